# MEMORY MiB in its box
# in 64 MiB
import os

import speak

dealer, question = speak.asked()
for _ in range(6):
    if os.fork() == 0:
        held = bytearray(15 << 20)
        held[::4096] = b"x" * len(held[::4096])
        break
speak.waits()
