# OUT_OF_TURN found an answer to match
import speak

peer, question = speak.attacks()
speak.sends(peer, question)
speak.sends(peer, question)
speak.waits()
