"""The way between the referee and its wardens: ZeroMQ over a socket in the table's folder.

The referee commands, a warden answers: one reply to each command that asks for one, and never a word of its
own. So nothing can pile up on either side, and no reply can be taken for another.
"""

import time
from pathlib import Path
from typing import Self

import msgspec
import zmq

from arena.model import FaultKind

NAME = "link"
HIGH_WATER = 8
"""Messages that may wait; the conversation needs two at most."""


class WardenLost(Exception):  # noqa: N818 - reads as what happened
    """A warden ended by itself, was killed from outside or hangs: ours, the table is to be played again."""


class Tell(msgspec.Struct, frozen=True, tag=True, array_like=True):
    """Hand the payload to the bot. No reply."""


class Ask(msgspec.Struct, frozen=True, tag=True, array_like=True):
    """Hand the payload to the bot and give what it answers. Reply: Heard or Broken."""

    limit_ms: float


class Report(msgspec.Struct, frozen=True, tag=True, array_like=True):
    """Give the log of the match that ends here. Reply: Log."""


class Expel(msgspec.Struct, frozen=True, tag=True, array_like=True):
    """Hand the payload to the bot, let it end within the grace, kill what is left. Reply: Log."""

    grace_ms: float


class Heard(msgspec.Struct, frozen=True, tag=True, array_like=True):
    """A message of the bot, which is the payload. The first one comes unasked: the hello."""

    wall_ms: float
    """From the question's bytes handed to the bot to the answer's bytes here."""
    cpu_ms: float | None
    """CPU time of the bot's process since it was handed the question."""
    early: bool
    """Whether it was here before the question was handed over."""


class Broken(msgspec.Struct, frozen=True, tag=True, array_like=True):
    """The bot committed a fault; nothing more comes from it."""

    kind: FaultKind
    detail: str


class Log(msgspec.Struct, frozen=True, tag=True, array_like=True):
    """The payload is what the bot wrote to stdout and stderr since the last Log: its head and tail."""

    cpu_ms: float | None
    """CPU time of the bot's process since it started."""


class Refused(msgspec.Struct, frozen=True, tag=True, array_like=True):
    """The box could not be put up, or was torn down by something that is not the bot: ours."""

    reason: str


Command = Tell | Ask | Report | Expel
Reply = Heard | Broken | Log | Refused

_ENCODER = msgspec.msgpack.Encoder()
_COMMAND: msgspec.msgpack.Decoder[Command] = msgspec.msgpack.Decoder(Command)
_REPLY: msgspec.msgpack.Decoder[Reply] = msgspec.msgpack.Decoder(Reply)


def _socket(context: "zmq.Context[zmq.Socket[bytes]]", kind: int) -> "zmq.Socket[bytes]":
    socket = context.socket(kind)
    socket.linger = 0
    socket.sndhwm = socket.rcvhwm = HIGH_WATER
    return socket


class Hub:
    """The referee's end: one for a table."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        """The table's own, where its sockets lie."""
        self.address = f"ipc://{folder / NAME}"
        self._context = zmq.Context()
        self._socket = _socket(self._context, zmq.ROUTER)
        self._socket.router_mandatory = True
        self._socket.bind(self.address)
        (folder / NAME).chmod(0o600)  # wardens run as we do, bots do not
        self._pollers: dict[bytes, zmq.Poller] = {}
        self._inbox: dict[bytes, tuple[Reply, bytes]] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._context.destroy(linger=0)

    def expect(self, name: bytes, gone: int) -> None:
        """Note a warden of that name; the descriptor is readable when its process is gone."""
        self._pollers[name] = zmq.Poller()
        self._pollers[name].register(self._socket, zmq.POLLIN)
        self._pollers[name].register(gone, zmq.POLLIN)

    def send(self, name: bytes, command: Command, payload: bytes = b"") -> None:
        """Send one command to the warden of that name; raises WardenLost when it is not there."""
        try:
            self._socket.send_multipart([name, _ENCODER.encode(command), payload], zmq.NOBLOCK)
        except zmq.ZMQError:
            raise WardenLost(f"the warden {name.decode()} is not there") from None

    def receive(self, name: bytes, wait_s: float) -> tuple[Reply, bytes]:
        """Wait for the next reply of that warden; raises WardenLost when there will be none."""
        deadline = time.monotonic() + wait_s
        while name not in self._inbox:
            left_s = max(0.0, deadline - time.monotonic())
            ready = dict(self._pollers[name].poll(int(left_s * 1_000)))
            if self._socket not in ready:
                what = "ended" if ready else f"did not answer within {wait_s:.1f} s"
                raise WardenLost(f"the warden {name.decode()} {what}")
            sender, head, payload = self._socket.recv_multipart()
            self._inbox[sender] = (_REPLY.decode(head), payload)
        return self._inbox.pop(name)


class Line:
    """The warden's end."""

    def __init__(self, address: str, name: bytes) -> None:
        self._context = zmq.Context()
        self._socket = _socket(self._context, zmq.DEALER)
        self._socket.routing_id = name
        self._socket.connect(address)
        self.fd: int = self._socket.FD
        """To be watched for reading; `receive` until None before each wait, as libzmq signals edges only."""

    def send(self, reply: Reply, payload: bytes = b"") -> None:
        """Send one reply; never blocks."""
        self._socket.send_multipart([_ENCODER.encode(reply), payload], zmq.NOBLOCK)

    def receive(self) -> tuple[Command, bytes] | None:
        """Next command, None when there is none now."""
        if not int(self._socket.get(zmq.EVENTS)) & zmq.POLLIN:
            return None
        head, payload = self._socket.recv_multipart()
        return _COMMAND.decode(head), payload

    def close(self) -> None:
        """Let go at once, unsent replies with it."""
        self._context.destroy(linger=0)
