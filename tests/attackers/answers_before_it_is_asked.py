# OUT_OF_TURN before the bot was asked
import speak

peer, question = speak.attacks()
speak.sends(peer, question)
speak.sends(peer, question, turn=2)
speak.waits()
