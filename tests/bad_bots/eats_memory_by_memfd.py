# CRASH exit code 1; last words: PermissionError: [Errno 1] Operation not permitted
import os

import speak

dealer, question = speak.asked()
held = os.memfd_create("held")
while True:
    os.write(held, bytes(1 << 20))
