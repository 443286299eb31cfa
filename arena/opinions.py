"""What another bot would have chosen: the questions of a stored match put to it, one after the other.

The match takes the course it took, whatever the bot says now: every seat answers as it is stored. So one
hears what a new version thinks of exactly the positions that an old one met.
"""

import itertools
from typing import Any

import msgspec

from arena.model import Answer, Board, Clock, Entrant, FaultRecord, Question, SeatFault, TableJob
from arena.seats.base import Seat
from arena.seats.local import Local
from arena.table import play_table
from arena.transcript import Transcript, forced
from protocol.messages import End, Start, Welcome


class Opinion(msgspec.Struct, frozen=True):
    """One question that was put again."""

    decision: int
    """From 1, as `arena show` numbers them."""
    legal: tuple[str, ...]
    stored: str | None
    """The action that was played; None where the bot of that match failed instead."""
    now: Answer | SeatFault

    def differs(self) -> bool:
        """Whether something else is chosen now."""
        return not isinstance(self.now, Answer) or self.now.action != self.stored


def opinions(  # noqa: PLR0913 - what a table is made of
    kept: Transcript,
    seat: int,
    bot: Entrant,
    *,
    clock: Clock,
    sandbox: str,
    submissions: str,
    auto_forced: bool = False,
) -> list[Opinion]:
    """Put all questions of one seat to another bot; those after its first fault are not put to it.

    They are those of the match, and counted alike: with `auto_forced` a seat without a choice was not asked.
    """
    found: list[Opinion] = []
    unasked = forced(kept) if auto_forced else frozenset[int]()
    job = TableJob(
        key="opinions",
        game=kept.game,
        options=kept.options,
        seating=(*kept.seats[:seat], bot, *kept.seats[seat + 1 :]),
        boards=(Board(1, kept.seed),),
        clock=clock,
        sandbox=sandbox,
        submissions=submissions,
        auto_forced=auto_forced,
    )
    others: dict[int, Seat] = {
        number: _Stored(_Script(kept, number, unasked)) for number in range(kept.players) if number != seat
    }

    def around(number: int, real: Seat) -> Seat:
        return _Asked(real, _Script(kept, number, unasked), found) if number == seat else real

    play_table(job, guests=others, around=around)
    return found


class _Script:
    """What one seat said in a match: its own decisions but for the unasked, then perhaps a fault."""

    def __init__(self, kept: Transcript, seat: int, unasked: frozenset[int]) -> None:
        self.fault: FaultRecord | None = next((each for each in kept.faults if each.seat == seat), None)
        end = len(kept.decisions) if self.fault is None else self.fault.decision
        self._left = [
            (number, decision)
            for number, decision in itertools.islice(enumerate(kept.decisions, 1), end)
            if decision.seat == seat and number - 1 not in unasked
        ]
        self._left.reverse()
        self._end = end

    def starts(self) -> SeatFault | None:
        """Give the fault that it began with, if it never came to a question."""
        never = self.fault is not None and not self._left and self.fault.decision == 0
        return self._failed() if never else None

    def next(self) -> tuple[int, Answer | SeatFault]:
        """Number of the next decision, and what was said."""
        if not self._left:
            return self._end + 1, self._failed()
        number, decision = self._left.pop()
        return number, Answer(decision.action, wall_ms=0.0, note=decision.note)

    def _failed(self) -> SeatFault:
        assert self.fault is not None, "asked more often than in the match that is stored"
        return SeatFault(self.fault.kind, "as in the match that is stored", forfeit=self.fault.forfeit)


class _Stored(Local):
    """A seat that says what it said."""

    def __init__(self, script: _Script) -> None:
        self._script = script

    def ready(self, welcome: Welcome) -> SeatFault | None:
        del welcome
        return self._script.starts()

    def ask(self, match: int, question: Question) -> Answer | SeatFault:
        del match, question
        return self._script.next()[1]


class _Asked:
    """A seat whose bot is heard, and that says what was said."""

    def __init__(self, real: Seat, script: _Script, found: list[Opinion]) -> None:
        self._real, self._script, self._found = real, script, found
        self._failed = False

    def ready(self, welcome: Welcome) -> SeatFault | None:
        """Welcome the bot; that it does not start is an opinion of its own."""
        fault = self._real.ready(welcome)
        if fault is not None:
            self._heard(Opinion(0, (), None, fault))
        return None

    def ask(self, match: int, question: Question) -> Answer | SeatFault:
        """Put the question, keep what is said, and say what was said."""
        number, stored = self._script.next()
        if not self._failed:
            now = self._real.ask(match, question)
            action = stored.action if isinstance(stored, Answer) else None
            self._heard(Opinion(number, question.legal, action, now))
        return stored

    def start(self, start: Start) -> None:
        """Announce the match to a bot that is there."""
        if not self._failed:
            self._real.start(start)

    def end(self, end: End) -> None:
        """Announce its end, likewise."""
        if not self._failed:
            self._real.end(end)

    def report(self) -> str:
        """What the bot printed; nothing once it is gone."""
        return "" if self._failed else self._real.report()

    def dismiss(self, fault: SeatFault | None) -> None:
        """Send a bot away that is there."""
        if not self._failed:
            self._real.dismiss(fault)

    def __getattr__(self, name: str) -> Any:
        """Leave everything else to the seat itself."""
        return getattr(self._real, name)

    def _heard(self, opinion: Opinion) -> None:
        self._found.append(opinion)
        if isinstance(opinion.now, SeatFault):
            self._real.dismiss(opinion.now)
            self._real.report()
            self._failed = True
