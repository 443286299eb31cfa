# NONE
import errno
from pathlib import Path

import speak

dealer = speak.greeted()
for question in speak.questions(dealer):
    try:
        with Path("/tmp/fill").open("wb", buffering=0) as file:
            while True:
                file.write(bytes(1 << 20))
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EFBIG):
            speak.plays(dealer, question)
