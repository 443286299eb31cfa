# MALFORMED 99999
import speak

dealer, question = speak.asked()
dealer.send(b'{"type":"action","match":1,"turn":' + b"9" * 5_000 + b',"action":"take 1"}')
speak.waits()
