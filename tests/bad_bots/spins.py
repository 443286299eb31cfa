# TIMEOUT no answer within 500 ms
# on a short clock
import speak

dealer, question = speak.asked()
while True:
    pass
