# MALFORMED a second connection
import speak

dealer, question = speak.asked()
while True:
    try:
        speak.bare().close()
    except OSError:
        speak.waits()
