# NONE
import ctypes
import threading

import speak


def play():
    dealer = speak.greeted()
    for question in speak.questions(dealer):
        speak.plays(dealer, question)


threading.Thread(target=play).start()
ctypes.CDLL(None).pthread_exit(None)
