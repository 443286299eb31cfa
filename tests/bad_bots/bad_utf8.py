# MALFORMED \xff
import speak

dealer, question = speak.asked()
dealer.send(b'{"type":"action","match":1,"turn":1,"action":"\xff\xfe"}')
speak.waits()
