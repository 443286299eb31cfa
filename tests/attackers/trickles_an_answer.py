# TIMEOUT of an unfinished message
# on a short clock
import time

import speak

peer, question = speak.attacks()
while True:
    for byte in speak.frame(b"x" * 200):
        peer.sendall(bytes([byte]))
        time.sleep(0.005)
