# MEMORY MiB in its box
# in 64 MiB
import mmap

import speak

dealer, question = speak.asked()
held = []
while True:
    held.append(mmap.mmap(-1, 1 << 20))
    held[-1].write(bytes(1 << 20))
