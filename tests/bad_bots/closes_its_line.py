# TIMEOUT no answer within 500 ms
# over stdio
# on a short clock
import os

import speak

for _ in speak.asked_by_line():
    os.close(1)
    speak.waits()
