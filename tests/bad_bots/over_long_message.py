# MALFORMED found a message of 70000 bytes, at most 65536 allowed
import speak

dealer, question = speak.asked()
dealer.send(b"x" * 70_000)
speak.waits()
