# MALFORMED found a connection that starts with \x00
import speak

peer = speak.bare()
speak.floods(peer, bytes(65_536))
