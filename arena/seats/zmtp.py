"""The arena's end of a bot's ZeroMQ connection: ZMTP 3.0, NULL mechanism, as a ROUTER would speak it. No I/O.

    GREETING --64 bytes--> READY --its READY command--> OPEN --message--> OPEN
                                                         |
                                                         +--PING--> OPEN (and a PONG goes back)

Whatever has no arrow is a WireViolation. The peer is a DEALER of any libzmq from 4.0 on, or of another
implementation; it is never trusted: sizes are looked at before bytes are kept, a message is one frame.
The format is described at https://rfc.zeromq.org/spec/23/.
"""

from collections.abc import Iterator

from arena.seats.wire import MAX_BYTES, WireViolation
from protocol.text import escaped

GREETING_BYTES = 64
_MECHANISM = b"NULL".ljust(20, b"\0")
GREETING = b"\xff" + bytes(8) + b"\x7f" + b"\x03\x00" + _MECHANISM + bytes(32)
"""Signature, version 3.0, mechanism, not "as server", filler."""

MORE, LONG, COMMAND = 1, 2, 4
"""Bits of a frame's first byte; the others are reserved and zero."""
SHORT_BYTES = 255
"""Above this a length takes eight bytes."""

MAX_COMMAND = 512
"""Bytes of a command; libzmq's READY with an identity of 255 bytes fits."""
MAX_CHATTER = 1_000
"""Commands between two messages to the bot: a heartbeat of 100 ms through a long wait, but no flood."""

_ALLOWED = "a DEALER socket that speaks ZMTP 3 with the NULL mechanism"


class Zmtp:
    """A `Wire` for one connection, from the first byte on."""

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._greeted = False
        self._ready = False
        self._commands = 0
        # libzmq waits for our signature before it sends its version: all of ours goes out at once.
        self._chatter = GREETING

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Whole messages; raises WireViolation at the first byte that cannot be right."""
        self._buffer += data
        if not self._greeted and not self._greet():
            return
        while (frame := self._frame()) is not None:
            flags, body = frame
            if flags & COMMAND:
                self._command(body)
            elif self._ready:
                yield body
            else:
                raise WireViolation("found a message before the READY command")

    def message(self, payload: bytes) -> bytes:
        """One frame; only after a message came in, since nothing may overtake the handshake."""
        assert self._ready, "a message before the handshake"
        self._commands = 0
        return _framed(payload)

    def chatter(self) -> bytes:
        """Our greeting, READY and pongs, each once."""
        said, self._chatter = self._chatter, b""
        return said

    def unfinished(self) -> int:
        """Bytes of a greeting or frame that has not ended."""
        return len(self._buffer)

    def rest(self) -> bytes:
        """What it is of them."""
        return bytes(self._buffer)

    def _greet(self) -> bool:
        """Check as much of the greeting as is there; whether it is whole."""
        found = self._buffer
        for at, allowed in ((0, 0xFF), (9, 0x7F)):
            if len(found) > at and found[at] != allowed:
                start = escaped(bytes(found[: at + 1]), 40)
                raise WireViolation(f"found a connection that starts with {start}, allowed is {_ALLOWED}")
        if found[10:11] and found[10] < 3:
            raise WireViolation(f"found ZMTP version {found[10]}, allowed is {_ALLOWED}")
        if len(found) < GREETING_BYTES:
            return False
        if found[12:32] != _MECHANISM:
            name = escaped(bytes(found[12:32]).rstrip(b"\0"), 40)
            raise WireViolation(f"found mechanism {name}, allowed is {_ALLOWED}")
        del found[:GREETING_BYTES]
        self._greeted = True
        self._chatter += _framed(b"\5READY" + _property(b"Socket-Type", b"ROUTER"), COMMAND)
        return True

    def _frame(self) -> tuple[int, bytes] | None:
        """Next whole frame as (flags, body), None until it is there."""
        buffer = self._buffer
        if not buffer:
            return None
        flags = buffer[0]
        if flags & ~(LONG | COMMAND):
            what = (
                "a multi-part message" if flags & ~(MORE | LONG) == 0 else f"a frame with flags {flags:#04x}"
            )
            raise WireViolation(f"found {what}, allowed is one frame a message")
        head = 9 if flags & LONG else 2
        if len(buffer) < head:
            return None
        size = int.from_bytes(buffer[1:head], "big")
        most = MAX_COMMAND if flags & COMMAND else MAX_BYTES
        if size > most:
            what = "command" if flags & COMMAND else "message"
            raise WireViolation(f"found a {what} of {size} bytes, at most {most} allowed")
        if len(buffer) < head + size:
            return None
        body = bytes(buffer[head : head + size])
        del buffer[: head + size]
        return flags, body

    def _command(self, body: bytes) -> None:
        self._commands += 1
        if self._commands > MAX_CHATTER:
            raise WireViolation(f"found over {MAX_CHATTER} commands without a message, which is a flood")
        name, rest = body[1 : 1 + body[0]] if body else b"", body[1 + body[0] :] if body else b""
        if name == b"READY" and not self._ready:
            _check_socket_type(rest)
            self._ready = True
        elif name == b"PING" and self._ready and 2 <= len(rest) <= 18:
            self._chatter += _framed(b"\4PONG" + rest[2:], COMMAND)  # after two bytes of its time to live
        elif name == b"ERROR":
            raise WireViolation(f"the bot's ZeroMQ library gave up: {escaped(rest[1:], 80)}")
        else:
            allowed = "PING" if self._ready else "READY"
            raise WireViolation(f"found command {escaped(name, 40) or '(empty)'}, allowed is {allowed}")


def _framed(body: bytes, flags: int = 0) -> bytes:
    if len(body) <= SHORT_BYTES:
        return bytes((flags, len(body))) + body
    return bytes((flags | LONG,)) + len(body).to_bytes(8, "big") + body


def _property(name: bytes, value: bytes) -> bytes:
    return bytes((len(name),)) + name + len(value).to_bytes(4, "big") + value


def _check_socket_type(metadata: bytes) -> None:
    found = _properties(metadata).get(b"socket-type", b"")
    if found != b"DEALER":
        raise WireViolation(f"found a socket of type {escaped(found, 40) or '(none)'}, allowed is {_ALLOWED}")


def _properties(metadata: bytes) -> dict[bytes, bytes]:
    """Properties of a READY command by lower-case name."""
    found = {}
    while metadata:
        name_end = 1 + metadata[0]
        value_start = name_end + 4
        value_end = value_start + int.from_bytes(metadata[name_end:value_start], "big")
        if value_end > len(metadata) or value_start > len(metadata):
            raise WireViolation("found a READY command whose properties do not end where it does")
        found[metadata[1:name_end].lower()] = metadata[value_start:value_end]
        metadata = metadata[value_end:]
    return found
