# CRASH exit code 8
import os

import speak

dealer, question = speak.asked()
os.execv("/bin/sh", ["sh", "-c", "exit 8"])
