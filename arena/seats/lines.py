"""JSON lines: one message a line, for bots on stdin and stdout."""

from collections.abc import Iterator

from arena.seats.wire import MAX_BYTES, WireViolation


class Lines:
    """A `Wire` on which messages end with a line feed; a carriage return before it is not minded."""

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._searched = 0
        """Bytes at the beginning that are known to hold no line feed, so that a trickle costs no square."""

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Whole lines; raises WireViolation as soon as one is too long, whether or not it ends."""
        self._buffer += data
        while (end := self._buffer.find(b"\n", self._searched)) >= 0:
            self._check(end)
            line = bytes(self._buffer[:end])
            del self._buffer[: end + 1]
            self._searched = 0
            yield line.removesuffix(b"\r")
        self._searched = len(self._buffer)
        self._check(self._searched)

    def message(self, payload: bytes) -> bytes:
        """One line. JSON as the codec writes it holds no line feed."""
        return payload + b"\n"

    def chatter(self) -> bytes:
        """Nothing: lines need no greeting."""
        return b""

    def unfinished(self) -> int:
        """Bytes of a line that has not ended."""
        return len(self._buffer)

    def rest(self) -> bytes:
        """What it is of them."""
        return bytes(self._buffer)

    def _check(self, length: int) -> None:
        if length > MAX_BYTES:
            raise WireViolation(f"found a line of over {MAX_BYTES} bytes, at most {MAX_BYTES} allowed")
