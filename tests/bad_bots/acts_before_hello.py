# START only a hello is allowed first
import speak

speak.connected().send_json({"type": "action", "match": 1, "turn": 1, "action": "take 1"})
speak.waits()
