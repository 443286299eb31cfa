"""The order of messages with one bot process, seen from the arena. Neither sends, receives nor waits.

    GREETING --hello--> IDLE --question--> ASKED --action--> IDLE

Everything a bot sends that has no arrow is a Violation and moves nothing: the caller ends the process.
Everything the arena does that has no arrow is a bug of ours and raises AssertionError.
"""

from enum import Enum, auto
from typing import Final

from protocol.codec import BadMessage, decode_bot
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
