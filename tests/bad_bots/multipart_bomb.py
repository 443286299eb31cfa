# MALFORMED found a multi-part message
import speak

peer = speak.shaken()
speak.floods(peer, speak.frame(b"x" * 65_000, 1))
