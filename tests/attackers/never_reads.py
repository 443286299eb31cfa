# TIMEOUT no answer within 500 ms
# on a short clock
import speak

peer, question = speak.attacks()
speak.waits()
