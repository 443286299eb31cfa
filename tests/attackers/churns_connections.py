# MALFORMED a second connection
import contextlib

import speak

peer, question = speak.attacks()
speak.sends(peer, question)
while True:
    with contextlib.suppress(OSError):
        speak.bare().close()
