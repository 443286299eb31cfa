# MALFORMED [[[[
import speak

dealer, question = speak.asked()
dealer.send(b"[" * 60_000)
speak.waits()
