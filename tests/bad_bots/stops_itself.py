# TIMEOUT no answer within 500 ms
# on a short clock
import os
import signal

import speak

dealer, question = speak.asked()
os.kill(os.getpid(), signal.SIGSTOP)
