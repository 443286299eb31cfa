# MALFORMED 2000
import speak

dealer, question = speak.asked()
dealer.send_json(speak.answer(question, action="x" * 65_000))
speak.waits()
