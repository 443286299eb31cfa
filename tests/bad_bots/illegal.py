# ILLEGAL found action 'take 99\x1b[2J', allowed are take 1, take 2
import speak

dealer, question = speak.asked()
dealer.send_json(speak.answer(question, action="take 99\x1b[2J"))
speak.waits()
