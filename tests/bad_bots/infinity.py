# MALFORMED 1e999
import speak

dealer, question = speak.asked()
dealer.send(b'{"type":"action","match":1,"turn":1e999,"action":"take 1"}')
speak.waits()
