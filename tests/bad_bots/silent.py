# START no hello within
# with little time to start
import speak

dealer = speak.connected()
speak.waits()
