# START exit code 3 before hello; last words: no such model
import sys

sys.stderr.write("no such model\n")
sys.exit(3)
