# MALFORMED found
import json

import speak

dealer, question = speak.asked()
dealer.send(json.dumps(speak.answer(question)).encode("utf-16"))
speak.waits()
