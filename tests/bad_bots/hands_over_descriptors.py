# NONE
import json
import socket

import speak

peer = speak.bare()
numbers = [peer.fileno()] * 40
peer.sendall(speak.GREETING + speak.READY)
socket.send_fds(peer, [speak.frame(json.dumps(speak.HELLO).encode())], numbers)
for message in speak.heard(peer):
    if message["type"] == "decide":
        socket.send_fds(peer, [speak.frame(json.dumps(speak.answer(message)).encode())], numbers)
