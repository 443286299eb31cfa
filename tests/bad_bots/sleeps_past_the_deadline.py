# TIMEOUT no answer within 500 ms
# on a short clock
import time

import speak

dealer, question = speak.asked()
time.sleep(0.6)
speak.plays(dealer, question)
speak.waits()
