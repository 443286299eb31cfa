# MALFORMED a second connection
import contextlib
import os

import speak

peer, question = speak.attacks()
speak.sends(peer, question)
for _ in range(20):
    if os.fork() == 0:
        break
held = []
with contextlib.suppress(OSError):
    while True:
        held.append(speak.bare())
speak.waits()
