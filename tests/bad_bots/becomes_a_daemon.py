# START exit code 0 before hello
import os

import speak

if os.fork():
    os._exit(0)
os.setsid()
dealer = speak.greeted()
for question in speak.questions(dealer):
    speak.plays(dealer, question)
