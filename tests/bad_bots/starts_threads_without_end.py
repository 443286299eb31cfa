# NONE
import threading
import time

import speak

dealer = speak.greeted()
threads = 0
try:
    while threads < 300:
        threading.Thread(target=time.sleep, args=(1_000,), daemon=True).start()
        threads += 1
except RuntimeError:
    pass
assert threads < 32, threads
for question in speak.questions(dealer):
    speak.plays(dealer, question)
