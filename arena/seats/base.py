"""What the table needs of whoever sits at it."""

from collections.abc import Sequence
from typing import Protocol

from arena.model import Answer, Question, SeatFault
from protocol.messages import End, Start, Welcome


class Seat(Protocol):
    """One seat, with whatever process is behind it. What is ours and fails is an exception."""

    def call(self) -> None:
        """Start what is behind the seat, without waiting for it; only when nothing is there."""

    def ready(self, welcome: Welcome) -> SeatFault | None:
        """Wait until the bot has said hello, and welcome it."""

    def simultaneous(self) -> int:
        """How many matches it can hold at once, when it is ready."""

    def start(self, start: Start) -> None:
        """Announce a match."""

    def ask(self, match: int, question: Question) -> Answer | SeatFault:
        """Put a question and wait for what comes of it, within its limit."""

    def ask_together(self, questions: Sequence[tuple[int, Question]]) -> list[Answer] | SeatFault:
        """Put questions of several matches at once, at most `simultaneous`; within their limits together."""

    def tell(self, message: bytes) -> None:
        """Hand over a message of any kind, which asks for nothing."""

    def end(self, end: End) -> None:
        """Announce the end of a match."""

    def report(self) -> str:
        """What the bot printed in the match that ended, escaped. Waits for the end of a dismissed bot."""

    def dismiss(self, fault: SeatFault | None) -> None:
        """Tell the bot why it has to go, or goodbye; it is gone soon after. Harmless when it is."""

    def release(self) -> None:
        """Let go of what is behind the seat, without waiting for its end."""

    def close(self) -> None:
        """End everything behind the seat, whatever state it is in."""
