# OUT_OF_TURN before the bot was asked match 1 turn 1
import speak

dealer = speak.greeted()
dealer.send_json({"type": "action", "match": 1, "turn": 1, "action": "take 1"})
speak.waits()
