# CRASH exit code 0
import sys

import speak

dealer, question = speak.asked()
speak.plays(dealer, question)
dealer.close()
sys.exit(0)
