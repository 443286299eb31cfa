# MALFORMED Input data was truncated
import speak

dealer, question = speak.asked()
dealer.send(b'{"type":"action"')
speak.waits()
