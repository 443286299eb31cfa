"""What the bad bots do well: connect, greet, listen, and answer as told. Copied beside each of them."""

import json
import os
import socket
import sys

PATH = os.environ["ARENA_ENDPOINT"].removeprefix("ipc://")
HELLO = {"type": "hello", "protocol": 1, "name": "bad"}
GREETING = b"\xff" + bytes(8) + b"\x7f\x03\x00" + b"NULL".ljust(20, b"\0") + bytes(32)
READY = b"\x04\x1c\x05READY\x0bSocket-Type\x00\x00\x00\x06DEALER"


def connected():
    """A DEALER socket that has not said hello."""
    import zmq

    dealer = zmq.Context().socket(zmq.DEALER)
    dealer.linger = 1_000
    dealer.connect("ipc://" + PATH)
    return dealer


def greeted():
    dealer = connected()
    dealer.send_json(HELLO)
    return dealer


def questions(dealer):
    """Questions one after the other, until the arena says goodbye."""
    while True:
        message = dealer.recv_json()
        if message["type"] == "decide":
            yield message
        if message["type"] == "bye":
            return


def answer(question, **changes):
    fields = {
        "type": "action",
        "match": question["match"],
        "turn": question["turn"],
        "action": question["legal"][0],
    }
    return fields | changes


def plays(dealer, question):
    dealer.send_json(answer(question))


def asked():
    """A greeted DEALER and the first question to it."""
    dealer = greeted()
    return dealer, next(questions(dealer))


def frame(data, flags=0):
    if len(data) < 256:
        return bytes([flags, len(data)]) + data
    return bytes([flags | 2]) + len(data).to_bytes(8, "big") + data


def bare():
    """A plain unix socket to the arena, which has said nothing."""
    peer = socket.socket(socket.AF_UNIX)
    peer.connect(PATH)
    return peer


def shaken():
    """A plain unix socket on which ZMTP and the hello were spoken by hand."""
    peer = bare()
    peer.sendall(GREETING + READY + frame(json.dumps(HELLO).encode()))
    return peer


def heard(peer):
    """What the arena says on a plain socket, message by message."""
    stream = peer.makefile("rb")
    stream.read(64)
    while flags := stream.read(1):
        size = int.from_bytes(stream.read(8 if flags[0] & 2 else 1), "big")
        body = stream.read(size)
        if not flags[0] & 4:
            yield json.loads(body)


def sends(peer, question, **changes):
    peer.sendall(frame(json.dumps(answer(question, **changes)).encode()))


def attacks():
    """A plain socket and the first question of an even match; what is asked in odd ones was played."""
    peer = shaken()
    for message in heard(peer):
        if message["type"] == "decide":
            if message["match"] % 2 == 0:
                return peer, message
            sends(peer, message)
    sys.exit()


def floods(peer, data):
    """Send the same for ever, as fast as it is taken."""
    try:
        while True:
            peer.sendall(data)
    except OSError:
        sys.exit(0)


def waits():
    """Stay until killed."""
    import signal

    while True:
        signal.pause()


def says_line(text):
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def greets_by_line():
    says_line(json.dumps(HELLO))


def asked_by_line():
    """Questions as they come in on stdin, after a hello on stdout."""
    greets_by_line()
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "decide":
            yield message
