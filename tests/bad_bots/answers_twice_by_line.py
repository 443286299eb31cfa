# OUT_OF_TURN found an answer to match 1 turn 1
# over stdio
import json

import speak

for question in speak.asked_by_line():
    speak.says_line("\n".join([json.dumps(speak.answer(question))] * 2))
