# MALFORMED found
import speak

dealer, question = speak.asked()
dealer.send(b"")
speak.waits()
