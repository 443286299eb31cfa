# OUT_OF_TURN found an answer to match
import speak

peer, question = speak.attacks()
speak.sends(peer, question, match=question["match"] - 1)
speak.waits()
