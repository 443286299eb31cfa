# ILLEGAL found action 'take 99'
import speak

dealer, question = speak.asked()
dealer.send(b'{"type":"action","match":1,"turn":1,"action":"take 1","action":"take 99"}')
speak.waits()
