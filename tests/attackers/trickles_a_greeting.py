# START of an unfinished message
# with little time to start
import time

import speak

peer = speak.bare()
for byte in speak.GREETING:
    peer.sendall(bytes([byte]))
    time.sleep(0.05)
