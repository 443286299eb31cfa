"""What is kept of an endless stream: its beginning and its end."""

KEPT_BYTES = 32 * 1024
"""Of the beginning, and as much of the end."""


class HeadTail:
    """Takes all bytes, keeps the first and last `KEPT_BYTES`."""

    def __init__(self) -> None:
        self._head = bytearray()
        self._tail = bytearray()
        self._total = 0

    def add(self, data: bytes) -> None:
        """Take the next bytes of the stream."""
        self._total += len(data)
        missing = KEPT_BYTES - len(self._head)
        if missing > 0:
            self._head += data[:missing]
            data = data[missing:]
        self._tail += data
        if len(self._tail) > KEPT_BYTES:
            del self._tail[:-KEPT_BYTES]

    def text(self) -> bytes:
        """What was kept, with a line that says how much was not."""
        dropped = self._total - len(self._head) - len(self._tail)
        gap = b"\n... %d bytes left out ...\n" % dropped if dropped else b""
        return bytes(self._head) + gap + bytes(self._tail)

    def last_line(self) -> bytes:
        """Last line that says something."""
        lines = (self._tail or self._head).strip().splitlines()
        return bytes(lines[-1]) if lines else b""
