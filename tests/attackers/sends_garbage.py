# MALFORMED found a frame with flags
import os

import speak

peer, question = speak.attacks()
speak.sends(peer, question)
speak.floods(peer, b"\xde" + os.urandom(65_535))
