# MALFORMED NaN
import speak

dealer, question = speak.asked()
dealer.send(b'{"type":"action","match":1,"turn":NaN,"action":"take 1"}')
speak.waits()
