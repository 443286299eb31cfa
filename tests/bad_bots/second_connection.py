# MALFORMED a second connection
import speak

dealer, question = speak.asked()
other = speak.connected()
speak.waits()
