# MALFORMED found a line of over 65536 bytes
# over stdio
import sys

import speak

for _ in speak.asked_by_line():
    while True:
        sys.stdout.write("x" * 65_536)
