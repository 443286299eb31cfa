"""The way between the referee and one warden: a pair of sockets that nobody else can reach.

The referee commands, a warden answers: one reply to each command that asks for one. So nothing can pile up
on either side, and no reply can be taken for another. When either end closes, the other one knows at once.
"""

import contextlib
import math
import socket
import struct

import msgspec

from arena.model import Circumstances, FaultKind

MOST_BYTES = 100_000
"""Of one packet: a log of 64 KiB or a message of the protocol, and its head."""
SEND_S = 10
"""How long a command may wait for a warden that takes none; a warden that works takes it at once."""


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
    """The bot committed a fault; nothing more comes from it. The payload is what it sent instead."""

    kind: FaultKind
    detail: str
    circumstances: Circumstances


class Log(msgspec.Struct, frozen=True, tag=True, array_like=True):
    """The payload is what the bot wrote to stdout and stderr since the last Log: its head and tail."""


class Refused(msgspec.Struct, frozen=True, tag=True, array_like=True):
    """The box could not be put up, or was torn down by something that is not the bot: ours."""

    reason: str


Command = Tell | Ask | Report | Expel
Reply = Heard | Broken | Log | Refused

_ENCODER = msgspec.msgpack.Encoder()
_COMMAND: msgspec.msgpack.Decoder[Command] = msgspec.msgpack.Decoder(Command)
_REPLY: msgspec.msgpack.Decoder[Reply] = msgspec.msgpack.Decoder(Reply)


def pair() -> tuple["Link", socket.socket]:
    """Make a link: the referee's end of it, and the other end as a warden is given it."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    return Link(ours), theirs


class Link:
    """The referee's end."""

    def __init__(self, end: socket.socket) -> None:
        self._end = end
        self._wait_s = 0
        # Kept by the kernel: Python's own timeouts cost three calls more for each packet.
        self._end.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, _timeval(SEND_S))

    def send(self, command: Command, payload: bytes = b"") -> None:
        """Send one command; raises WardenLost when there is no warden any more."""
        try:
            self._end.send(_packed(command, payload))
        except OSError as error:
            raise WardenLost(f"the warden is not there: {error.strerror}") from None

    def receive(self, wait_s: float) -> tuple[Reply, bytes]:
        """Wait for the next reply, up to a second longer; raises WardenLost when there will be none."""
        if math.ceil(wait_s) != self._wait_s:
            self._wait_s = math.ceil(wait_s)
            self._end.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, _timeval(self._wait_s))
        try:
            data = self._end.recv(MOST_BYTES)
        except BlockingIOError:
            raise WardenLost(f"a warden did not answer within {self._wait_s} s") from None
        except OSError as error:
            raise WardenLost(f"a warden is not there: {error.strerror}") from None
        if not data:
            raise WardenLost("a warden ended by itself, or was killed")
        head, payload = _parted(data)
        return _REPLY.decode(head), payload

    def close(self) -> None:
        """Let go of the warden, which ends."""
        self._end.close()


class Line:
    """The warden's end."""

    def __init__(self, end: socket.socket) -> None:
        end.setblocking(False)
        self._end = end
        self.fd = end.fileno()
        """To be watched for reading."""

    def send(self, reply: Reply, payload: bytes = b"") -> None:
        """Send one reply; the referee waits for it, so there is room. Lost when it has let go."""
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            self._end.send(_packed(reply, payload))

    def receive(self) -> tuple[Command, bytes] | None:
        """Next command; None when the referee let go, or is gone."""
        try:
            data = self._end.recv(MOST_BYTES)
        except ConnectionResetError:  # it let go of replies that it had not read
            return None
        if not data:
            return None
        head, payload = _parted(data)
        return _COMMAND.decode(head), payload


def _timeval(seconds: int) -> bytes:
    """A `struct timeval`, as setsockopt takes it."""
    return struct.pack("@ll", seconds, 0)


def _packed(head: Command | Reply, payload: bytes) -> bytes:
    """One packet: length of the head in two bytes, head, payload."""
    packed = _ENCODER.encode(head)
    return len(packed).to_bytes(2, "big") + packed + payload


def _parted(packet: bytes) -> tuple[bytes, bytes]:
    size = int.from_bytes(packet[:2], "big")
    return packet[2 : 2 + size], packet[2 + size :]
