# MALFORMED found a connection that starts with \x01
import speak

peer = speak.bare()
peer.sendall(b"\x01\x00" + b"\x10\x00" + b'{"type":"hello"}')
speak.waits()
