# NONE
import contextlib
import socket

import speak

dealer = speak.greeted()
for family, kind in ((2, 1), (2, 2), (10, 1), (10, 2), (16, 3), (17, 3), (40, 1), (38, 5)):
    with contextlib.suppress(OSError):
        raise AssertionError(socket.socket(family, kind))
for question in speak.questions(dealer):
    speak.plays(dealer, question)
