# MALFORMED found a multi-part message
import speak

dealer, question = speak.asked()
dealer.send_multipart([b"", b"{}"])
speak.waits()
