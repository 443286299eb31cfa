# OUT_OF_TURN found an answer to match 1 turn 7, allowed is match 1 turn 1
import speak

dealer, question = speak.asked()
dealer.send_json(speak.answer(question, turn=7))
speak.waits()
