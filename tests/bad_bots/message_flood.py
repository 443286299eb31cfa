# OUT_OF_TURN found an answer to match 1 turn 1
import json

import speak

peer = speak.shaken()
nonsense = {"type": "action", "match": 1, "turn": 1, "action": "take 1"}
speak.floods(peer, speak.frame(json.dumps(nonsense).encode()) * 500)
