# OUT_OF_TURN before the bot was asked
import json

import speak

peer, question = speak.attacks()
speak.sends(peer, question)
speak.floods(peer, speak.frame(json.dumps(speak.answer(question, turn=2)).encode()) * 500)
