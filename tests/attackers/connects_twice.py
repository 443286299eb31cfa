# MALFORMED a second connection
import speak

peer, question = speak.attacks()
speak.sends(peer, question)
other = speak.shaken()
speak.waits()
