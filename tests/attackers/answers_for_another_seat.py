# MALFORMED unknown field
import speak

peer, question = speak.attacks()
speak.sends(peer, question, seat=1)
speak.waits()
