# MALFORMED found a frame with flags
import os

import speak

peer, question = speak.attacks()
speak.sends(peer, question)
peer.sendall(b"\xde\xad")
for _ in range(20):
    if os.fork() == 0:
        break
while True:
    pass
