# CRASH exit code 0
import os
import time

import speak

peer = speak.shaken()
for message in speak.heard(peer):
    if message["type"] == "decide":
        if os.fork():
            os._exit(0)
        os.setsid()
        time.sleep(5)  # its box is gone long before, however busy the machine is
        speak.sends(peer, message)
