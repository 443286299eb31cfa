# MALFORMED which is a flood
import speak

peer, question = speak.attacks()
speak.sends(peer, question)
speak.floods(peer, speak.frame(b"\x04PING\x00\x00", 4) * 1_000)
