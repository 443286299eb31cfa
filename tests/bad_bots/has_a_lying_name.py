# CRASH exit code 3
import ctypes
import sys

import speak

ctypes.CDLL(None).prctl(15, b") Z 1 1 1\n1 (x", 0, 0, 0)
dealer, question = speak.asked()
ctypes.CDLL(None).prctl(15, b"warden 0.1", 0, 0, 0)
sys.exit(3)
