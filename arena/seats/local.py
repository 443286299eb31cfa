"""The house bot: sits in the referee's own process and plays the first legal action."""

import sys
from collections.abc import Sequence

from arena.model import Answer, Question, SeatFault
from protocol.messages import End, Start, Welcome


class Local:
    """A `Seat` without a process; never commits a fault."""

    def call(self) -> None:
        """Nothing to start."""

    def ready(self, welcome: Welcome) -> SeatFault | None:
        """Always ready."""
        del welcome
        return None

    def start(self, start: Start) -> None:
        """Nothing to prepare."""

    def ask(self, match: int, question: Question) -> Answer | SeatFault:
        """First legal action; its time is not counted."""
        del match
        return Answer(question.legal[0], wall_ms=0.0)

    def tell(self, message: bytes) -> None:
        """Nothing to hear."""

    def simultaneous(self) -> int:
        """Any number of them."""
        return sys.maxsize

    def ask_together(self, questions: Sequence[tuple[int, Question]]) -> list[Answer] | SeatFault:
        """One after the other."""
        answers = []
        for match, question in questions:
            reply = self.ask(match, question)
            if isinstance(reply, SeatFault):
                return reply
            answers.append(reply)
        return answers

    def end(self, end: End) -> None:
        """Nothing to learn."""

    def report(self) -> str:
        """It does not print."""
        return ""

    def dismiss(self, fault: SeatFault | None) -> None:
        """Nothing to end."""

    def release(self) -> None:
        """Nothing to let go of."""

    def close(self) -> None:
        """Nothing to close."""
