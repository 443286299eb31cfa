# OUT_OF_TURN found an answer to match 1 turn 1
import speak

dealer, question = speak.asked()
speak.plays(dealer, question)
speak.plays(dealer, question)
speak.waits()
