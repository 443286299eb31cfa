# NONE
import os
import sys

import speak

sys.stdout.write("\x1b[2J\u202e\n")
sys.stdout.flush()
sys.stderr.write("x" * 100_000 + "\nlast line\n")
sys.stderr.flush()
dealer = speak.greeted()
os.close(1)
os.close(2)
for question in speak.questions(dealer):
    speak.plays(dealer, question)
