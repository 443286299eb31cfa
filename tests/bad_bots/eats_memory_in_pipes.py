# NONE
import contextlib
import fcntl
import os

import speak

dealer = speak.greeted()
pipes = []
with contextlib.suppress(OSError):
    while True:
        pipes.append(os.pipe())
        os.set_blocking(pipes[-1][1], False)
        with contextlib.suppress(PermissionError):  # of all pipes of a user together
            fcntl.fcntl(pipes[-1][1], fcntl.F_SETPIPE_SZ, 1 << 20)
        os.write(pipes[-1][1], bytes(1 << 20))
assert 8 < len(pipes) < 32, len(pipes)
for pipe in pipes:
    os.close(pipe[0])
for question in speak.questions(dealer):
    speak.plays(dealer, question)
