# START exit code 0 before hello
import os
import time

import speak

if os.fork():
    os._exit(0)
os.setsid()
time.sleep(5)  # its box is gone long before, however busy the machine is
dealer = speak.greeted()
for question in speak.questions(dealer):
    speak.plays(dealer, question)
