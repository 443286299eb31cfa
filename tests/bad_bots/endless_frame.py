# MALFORMED found a message of 9223372036854775808 bytes
import speak

peer = speak.shaken()
peer.sendall(b"\x02\x80" + bytes(7))
speak.floods(peer, bytes(65536))
