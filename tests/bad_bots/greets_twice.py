# OUT_OF_TURN found a second hello
import speak

dealer, question = speak.asked()
dealer.send_json(speak.HELLO)
speak.waits()
