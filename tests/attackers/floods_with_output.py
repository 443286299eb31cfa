# OUTPUT over 16777216 bytes on stdout and stderr
import os

import speak

peer, question = speak.attacks()
while True:
    os.write(1, bytes(65_536))
