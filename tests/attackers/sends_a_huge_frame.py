# MALFORMED found a message of 1073741824 bytes
import speak

peer, question = speak.attacks()
speak.sends(peer, question)
peer.sendall(b"\x02" + (1 << 30).to_bytes(8, "big"))
speak.floods(peer, bytes(65_536))
