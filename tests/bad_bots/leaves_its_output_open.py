# CRASH exit code 6
import os
import signal

import speak

dealer, question = speak.asked()
if os.fork() == 0:
    os.setsid()
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    speak.waits()
dealer.close()
os._exit(6)
