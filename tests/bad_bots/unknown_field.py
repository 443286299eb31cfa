# MALFORMED unknown field
import speak

dealer, question = speak.asked()
dealer.send_json(speak.answer(question, score=100))
speak.waits()
