# CRASH exit code 0
import os

import speak

peer = speak.shaken()
for message in speak.heard(peer):
    if message["type"] == "decide":
        if os.fork():
            os._exit(0)
        os.setsid()
        speak.sends(peer, message)
