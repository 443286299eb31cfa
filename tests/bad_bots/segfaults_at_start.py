# START killed by SIGSEGV before hello
import os
import signal

os.kill(os.getpid(), signal.SIGSEGV)
