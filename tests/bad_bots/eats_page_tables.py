# MEMORY MiB in its box
# in 64 MiB
import mmap

import speak

dealer, question = speak.asked()
view = mmap.mmap(-1, 1 << 38, flags=mmap.MAP_PRIVATE | 0x4000, prot=mmap.PROT_READ)
for place in range(0, 1 << 38, 1 << 21):
    view[place]
