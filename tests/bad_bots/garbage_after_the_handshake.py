# MALFORMED found a frame with flags
import speak

peer = speak.shaken()
peer.sendall(b"\xde\xad\xbe\xef" * 100)
speak.waits()
