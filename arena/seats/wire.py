"""What the formats on the way to a bot have in common: bytes to messages and back, without I/O."""

from collections.abc import Iterator
from typing import Protocol

from protocol.messages import MAX_BYTES

__all__ = ["MAX_BYTES", "Wire", "WireViolation"]


class WireViolation(Exception):  # noqa: N818 - what it is, in the protocol's words
    """The bot's bytes are not of the format; the text says what was found and what is allowed."""


class Wire(Protocol):
    """One format, for one connection. Holds at most one unfinished message of `MAX_BYTES` and its head."""

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Whole messages, in order; raises WireViolation where the format ends.

        How the stream was cut into pieces makes no difference. To be read to its end.
        """

    def message(self, payload: bytes) -> bytes:
        """Bytes that bring one message to the bot."""

    def chatter(self) -> bytes:
        """What the format itself wants to say now (greeting, pong), each thing once."""

    def unfinished(self) -> int:
        """How many bytes came in that are no whole message yet."""

    def rest(self) -> bytes:
        """Those bytes; after a WireViolation what it was about, and what came after it."""
