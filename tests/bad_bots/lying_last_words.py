# CRASH exit code 1; last words: \x1b[2K\x1b[1Ahonest: \u202eCRASH
import sys

import speak

dealer, question = speak.asked()
sys.stderr.write("\x1b[2K\x1b[1Ahonest: \u202eCRASH")
sys.stderr.flush()
sys.exit(1)
