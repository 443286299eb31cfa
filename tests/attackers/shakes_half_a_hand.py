# START 30 bytes of an unfinished message
# with little time to start
import speak

peer = speak.bare()
peer.sendall(speak.GREETING[:30])
speak.waits()
