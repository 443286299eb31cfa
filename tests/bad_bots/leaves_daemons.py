# NONE
import os
import signal
import time

import speak

for _ in range(4):
    if os.fork() == 0:
        os.setsid()
        for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.SIG_IGN)
        if os.fork():
            os._exit(0)
        os.closerange(0, 64)
        time.sleep(1_000)
dealer = speak.greeted()
for question in speak.questions(dealer):
    speak.plays(dealer, question)
