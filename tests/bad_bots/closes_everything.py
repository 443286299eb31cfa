# CRASH
import os
import time

import speak

dealer, question = speak.asked()
os.closerange(0, 64)
time.sleep(1_000)
