# OUT_OF_TURN found an answer to match 2 turn 1, allowed is match 1 turn 1
import speak

dealer, question = speak.asked()
dealer.send_json(speak.answer(question, match=2))
speak.waits()
