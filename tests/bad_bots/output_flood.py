# OUTPUT over 16777216 bytes on stdout and stderr
import sys

import speak

dealer, question = speak.asked()
while True:
    sys.stdout.write("x" * 65_536)
