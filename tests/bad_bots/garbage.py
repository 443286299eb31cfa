# MALFORMED found a connection that starts with G
import speak

peer = speak.bare()
peer.sendall(b"GET / HTTP/1.1\r\nHost: arena\r\n\r\n")
speak.waits()
