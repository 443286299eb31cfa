# TIMEOUT 14 bytes of an unfinished message
# over stdio
# on a short clock
import sys

import speak

for _ in speak.asked_by_line():
    sys.stdout.write('{"type":"actio')
    sys.stdout.flush()
    speak.waits()
