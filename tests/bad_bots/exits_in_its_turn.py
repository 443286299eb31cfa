# CRASH exit code 5
import sys

import speak

dealer, question = speak.asked()
sys.exit(5)
