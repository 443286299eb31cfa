# NONE
import contextlib
import os

import speak

with contextlib.suppress(OSError):
    while True:
        os.open("/dev/ptmx", os.O_RDWR | os.O_NOCTTY)
dealer = speak.greeted()
for question in speak.questions(dealer):
    speak.plays(dealer, question)
