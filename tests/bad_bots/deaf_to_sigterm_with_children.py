# TIMEOUT no answer within 500 ms
# on a short clock
import os
import signal

import speak

dealer, question = speak.asked()
for number in range(1, 32):
    if number not in (signal.SIGKILL, signal.SIGSTOP):
        signal.signal(number, signal.SIG_IGN)
for _ in range(3):
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            break
speak.waits()
