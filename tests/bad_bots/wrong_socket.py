# MALFORMED found a socket of type
import speak
import zmq

socket = zmq.Context().socket(zmq.REP)
socket.connect("ipc://" + speak.PATH)
speak.waits()
