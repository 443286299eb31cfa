"""The order of messages with one bot process, seen from the arena. Neither sends, receives nor waits.

    GREETING --hello--> IDLE --question, or several--> ASKED --action, or as many--> IDLE

Everything a bot sends that has no arrow is a Violation and moves nothing: the caller ends the process.
Everything the arena does that has no arrow is a bug of ours and raises AssertionError.
"""

from collections.abc import Iterable, Sequence
from enum import Enum, auto
from typing import Final

from protocol.codec import BadMessage, decode_answers, decode_bot
from protocol.messages import VERSION, Action, FaultKind, Hello


class Phase(Enum):
    """What the arena is waiting for."""

    GREETING = auto()
    """The bot's hello."""
    IDLE = auto()
    """Nothing: the bot has nothing to say until it is asked."""
    ASKED = auto()
    """The answer to the open question."""


class Step(Enum):
    """What may happen in a phase."""

    HELLO = auto()
    QUESTION = auto()
    ACTION = auto()


NEXT: Final = {
    (Phase.GREETING, Step.HELLO): Phase.IDLE,
    (Phase.IDLE, Step.QUESTION): Phase.ASKED,
    (Phase.ASKED, Step.ACTION): Phase.IDLE,
}
"""The whole order of the protocol."""


SHOWN = 4
"""Questions that a sentence names."""


class Violation(Exception):  # noqa: N818 - the protocol's word
    """The bot broke the protocol; `kind` is MALFORMED, OUT_OF_TURN or START, `detail` is safe to print."""

    def __init__(self, kind: FaultKind, detail: str) -> None:
        super().__init__(kind, detail)
        self.kind = kind
        self.detail = detail


class Session:
    """Which message may come next from one bot process."""

    def __init__(self) -> None:
        self.phase = Phase.GREETING
        self.match = 0
        """Of the question that was put last; 0 before the first."""
        self.turn = 0
        self._open: list[tuple[int, int]] = []
        """Match and turn of each of several questions that were put at once."""

    def hello(self, data: bytes) -> Hello:
        """The bot's greeting. Raises Violation START for anything else."""
        assert self.phase is Phase.GREETING, f"HELLO has no place in {self.phase.name}"
        try:
            message = decode_bot(data)
        except BadMessage as bad:
            raise Violation(FaultKind.START, f"bad hello: {bad}") from None
        if not isinstance(message, Hello):
            raise Violation(FaultKind.START, "found an action, only a hello is allowed first")
        if message.protocol != VERSION:
            raise Violation(FaultKind.START, f"protocol {message.protocol}, only {VERSION} is spoken here")
        self._move(Step.HELLO)
        return message

    def asked(self, match: int, turn: int) -> None:
        """Note that the bot has been handed this question."""
        self._move(Step.QUESTION)
        self.match, self.turn = match, turn

    def asked_together(self, questions: Sequence[tuple[int, int]]) -> None:
        """Note that the bot has been handed these, each a match and a turn."""
        self.asked(*questions[-1])
        self._open = list(questions)

    def answers(self, data: bytes, *, before_question: bool) -> list[Action]:
        """The answers to several questions, in the order of these. Raises Violation like `answer`."""
        try:
            answers = decode_answers(data)
        except BadMessage as bad:
            raise Violation(FaultKind.MALFORMED, str(bad)) from None
        if before_question:
            raise Violation(FaultKind.OUT_OF_TURN, "found answers before the bot was asked")
        found = {(answer.match, answer.turn): answer for answer in answers}
        if sorted(found) != sorted(self._open) or len(answers) != len(self._open):
            told = f"{len(answers)} answers, to {_places(found)}" if answers else "no answer"
            allowed = f"allowed is one each to {_places(self._open)}"
            raise Violation(FaultKind.OUT_OF_TURN, f"found {told}; {allowed}")
        self._move(Step.ACTION)
        return [found[question] for question in self._open]

    def answer(self, data: bytes, *, before_question: bool) -> Action:
        """The answer to the open question. Raises Violation MALFORMED or OUT_OF_TURN.

        `before_question` says that the bytes came in before the bot was handed that question.
        """
        try:
            message = decode_bot(data)
        except BadMessage as bad:
            raise Violation(FaultKind.MALFORMED, str(bad)) from None
        if isinstance(message, Hello):
            raise Violation(FaultKind.OUT_OF_TURN, "found a second hello, allowed is one")
        found = f"found an answer to match {message.match} turn {message.turn}"
        if self.phase is not Phase.ASKED:
            raise Violation(FaultKind.OUT_OF_TURN, f"{found}, but no question is open")
        asked = f"match {self.match} turn {self.turn}"
        if before_question:
            raise Violation(FaultKind.OUT_OF_TURN, f"{found} before the bot was asked {asked}")
        if (message.match, message.turn) != (self.match, self.turn):
            raise Violation(FaultKind.OUT_OF_TURN, f"{found}, allowed is {asked}")
        self._move(Step.ACTION)
        return message

    def _move(self, step: Step) -> None:
        after = NEXT.get((self.phase, step))
        assert after is not None, f"{step.name} has no place in {self.phase.name}"
        self.phase = after


def _places(questions: Iterable[tuple[int, int]]) -> str:
    shown = [f"match {match} turn {turn}" for match, turn in sorted(questions)]
    return ", ".join(shown[:SHOWN]) + (f" and {len(shown) - SHOWN} more" if len(shown) > SHOWN else "")
