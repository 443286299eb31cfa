# MALFORMED found
import json

import speak

dealer, question = speak.asked()
dealer.send(json.dumps(speak.answer(question)).encode() * 2)
speak.waits()
