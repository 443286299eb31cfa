"""Bytes to and from one bot without ever blocking, and the format on them."""

import contextlib
import os
from collections.abc import Iterator

from arena.seats.wire import Wire

PIECE = 64 * 1024
"""Bytes read at once."""


class Closed(Exception):  # noqa: N818 - an event, not an error
    """The bot's end of the connection is closed."""


class Channel:
    """Two descriptors, which may be the same, and a `Wire`. Takes over both."""

    def __init__(self, reads: int, writes: int, wire: Wire) -> None:
        self.reads = reads
        self.writes = writes
        self.dry = False
        """Whether the last read found nothing."""
        self._wire = wire
        self._out = bytearray()
        os.set_blocking(reads, False)
        os.set_blocking(writes, False)

    def messages(self) -> Iterator[bytes]:
        """Messages that one read brings; raises Closed, or WireViolation after what was in form."""
        self.dry = False
        try:
            data = os.read(self.reads, PIECE)
        except BlockingIOError:
            self.dry = True
            return
        except ConnectionError:
            raise Closed from None
        if not data:
            raise Closed
        yield from self._wire.feed(data)
        self.flush()

    def send(self, payload: bytes) -> None:
        """Hand over a message, or as much of it as the bot takes now; raises Closed."""
        self._out += self._wire.message(payload)
        self.flush()

    def flush(self) -> None:
        """Hand over what waits, as far as the bot takes it; raises Closed."""
        if chatter := self._wire.chatter():
            self._out += chatter
        if self._out:
            try:
                with contextlib.suppress(BlockingIOError):
                    del self._out[: os.write(self.writes, self._out)]
            except ConnectionError:
                raise Closed from None

    def unread(self) -> int:
        """Bytes that wait for the bot to read."""
        return len(self._out)

    def unfinished(self) -> int:
        """Bytes of a message that the bot has begun."""
        return self._wire.unfinished()

    def rest(self) -> bytes:
        """Those bytes."""
        return self._wire.rest()

    def close(self) -> None:
        """Close both descriptors."""
        for descriptor in {self.reads, self.writes}:
            os.close(descriptor)
