# CRASH closed its connection and ran on
import speak

peer = speak.shaken()
peer.recv(65536)
peer.close()
speak.waits()
