# NONE
import os
import time

import speak

dealer = speak.greeted()
children = 0
try:
    while children < 300:
        if os.fork() == 0:
            time.sleep(1_000)
        children += 1
except BlockingIOError:
    pass
assert children < 32, children
for question in speak.questions(dealer):
    speak.plays(dealer, question)
