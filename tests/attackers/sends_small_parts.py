# MALFORMED found a multi-part message
import speak

peer, question = speak.attacks()
speak.sends(peer, question)
speak.floods(peer, speak.frame(b"", 1) * 9_000)
