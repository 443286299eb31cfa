# MALFORMED "1"
import speak

dealer, question = speak.asked()
dealer.send_json(speak.answer(question, turn="1"))
speak.waits()
