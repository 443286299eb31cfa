# NONE
import contextlib
import os

import speak

dealer = speak.greeted()
for number in (15, 9, 19):
    with contextlib.suppress(ProcessLookupError):
        os.kill(-1, number)
    os.kill(1, number)
for question in speak.questions(dealer):
    speak.plays(dealer, question)
