"""One match as a generator of questions: clocks, faults, forfeits. No I/O and no time of its own.

Theory of operation. Whoever drives a match sends an `Answer` or a `SeatFault` for each `Question` and gets a
`Played` at the end:

    question --Answer, in time and legal--> played --+--> next question ... over: the game's places
        |                                            |
        +--SeatFault, late or illegal--> forfeit ----+--> fewer than two sides left: ended at once

A forfeit is the side's: all its seats are played on by the game's fallback, and it shares the last places.
Only the offender is charged with the fault.

With `auto_forced` a seat that has a single legal action is not asked: it is played, and stands among the
decisions like any other.
"""

from collections.abc import Callable, Generator, Mapping

import msgspec

from arena.games.base import Game, State, average_ranks
from arena.model import (
    Answer,
    Circumstances,
    Clock,
    Decision,
    FaultKind,
    FaultRecord,
    Outcome,
    Question,
    SeatFault,
)

SHOWN_ACTION = 80
"""Characters of an illegal action that a detail shows."""
SHOWN_LEGAL = 10
"""Legal actions that a detail lists; a swap in Idiot has 20, a meld in Mpirimpa hundreds."""


class Played(msgspec.Struct, frozen=True):
    """A finished match: its outcome, and what the transcript and the seats are owed."""

    outcome: Outcome
    decisions: tuple[Decision, ...]
    found: tuple[SeatFault, ...]
    """One for each fault of the outcome, in its order."""
    events: tuple[tuple[str, ...], ...]
    """By seat: what happened since it was last asked."""


Referee = Generator[Question, Answer | SeatFault, Played]


class Happening(msgspec.Struct, frozen=True):
    """A deal, an action or a fault, as whoever watches a match hears of it."""

    state: State
    """As it is now; it moves on, and is not to be changed."""
    events: tuple[str, ...] = ()
    decision: Decision | None = None
    answer: Answer | None = None
    """What the decision came with; None when nobody was asked: the fallback played, or it was forced."""
    fault: SeatFault | None = None
    seat: int | None = None
    """Who acted or failed; None for a deal."""


def _unwatched(happening: Happening) -> None:
    del happening


def play(  # noqa: PLR0913 - a match has this many parts
    game: Game,
    state: State,
    *,
    players: int,
    deck: Callable[[int], list[int]],
    clock: Clock,
    faulted: Mapping[int, SeatFault] | None = None,
    watch: Callable[[Happening], None] = _unwatched,
    auto_forced: bool = False,
) -> Referee:
    """Referee one match of a state in phase "deal".

    `deck` gives the cards of the match's k-th deal, from 0. `faulted` holds the seats that committed a
    fault before the first card: a failed start, or the rest of a table that they forfeited. `watch` hears of
    everything as it happens.
    """
    match = _Match(game.sides(players), players, clock, state, watch)
    for failed, fault in (faulted or {}).items():
        match.forfeit(failed, fault)
    deals = 0
    while match.contested() and not state.over():
        seat = state.to_act()
        if seat is None:
            match.deal(deck(deals))
            deals += 1
        elif seat in match.absent:
            match.play(Decision(seat, state.fallback()), None)
        elif len(legal := state.legal()) == 1 and auto_forced:
            match.play(Decision(seat, legal[0]), None)
        else:
            reply = yield match.question(seat, legal)
            match.take(seat, reply)
    return match.result()


def bank_after(bank_ms: float, *, wall_ms: float, move_ms: float) -> float:
    """What is left of a bank after a decision that was in time."""
    return bank_ms - max(0.0, wall_ms - move_ms)


def places(finished: tuple[float, ...], forfeited: frozenset[int]) -> tuple[float, ...]:
    """Places by side: the forfeited share the last ones, the others rank by `finished`."""
    last = float(len(finished))
    return average_ranks([last + 1 if side in forfeited else place for side, place in enumerate(finished)])


class _Match:
    """The bookkeeping of one match; what the generator changes as it goes."""

    def __init__(
        self,
        sides: tuple[tuple[int, ...], ...],
        players: int,
        clock: Clock,
        state: State,
        watch: Callable[[Happening], None],
    ) -> None:
        self.sides = sides
        self._state = state
        self._watch = watch
        self.absent: set[int] = set()
        """Seats that the fallback plays for."""
        self._clock = clock
        self._bank_ms = [float(clock.bank_ms)] * players
        self._turns = [0] * players
        self._events: list[list[str]] = [[] for _ in range(players)]
        self._decisions: list[Decision] = []
        self._faults: list[FaultRecord] = []
        self._found: list[SeatFault] = []

    def contested(self) -> bool:
        """Whether two sides or more are still in it."""
        return len(self.sides) - len(self._forfeited()) > 1

    def deal(self, deck: list[int]) -> None:
        self._watch(Happening(self._state, self._told(self._state.deal(deck))))

    def play(self, decision: Decision, answer: Answer | None) -> None:
        events = self._told(self._state.play(decision.action))
        self._decisions.append(decision)
        self._watch(Happening(self._state, events, decision, answer, seat=decision.seat))

    def _told(self, events: list[str]) -> tuple[str, ...]:
        for unseen in self._events:
            unseen.extend(events)
        return tuple(events)

    def question(self, seat: int, legal: list[str]) -> Question:
        self._turns[seat] += 1
        events, self._events[seat] = self._events[seat], []
        bank_ms = self._bank_ms[seat]
        return Question(
            seat=seat,
            turn=self._turns[seat],
            view=self._state.view(seat),
            events=tuple(events),
            legal=tuple(legal),
            limit_ms=self._clock.move_ms + bank_ms,
            bank_ms=bank_ms,
        )

    def take(self, seat: int, reply: Answer | SeatFault) -> None:
        """Play an answer, or let the seat forfeit; the fallback then plays in the next round of the loop."""
        if isinstance(reply, SeatFault):
            self.forfeit(seat, reply)
        elif (fault := self._late(seat, reply) or _illegal(self._state, reply)) is not None:
            self.forfeit(seat, fault)
        else:
            self._bank_ms[seat] = bank_after(
                self._bank_ms[seat], wall_ms=reply.wall_ms, move_ms=self._clock.move_ms
            )
            self.play(Decision(seat, reply.action, reply.note), reply)

    def forfeit(self, seat: int, fault: SeatFault) -> None:
        self.absent.update(*(side for side in self.sides if seat in side))
        self._faults.append(FaultRecord(seat, fault.kind, len(self._decisions), fault.forfeit))
        self._found.append(fault)
        self._watch(Happening(self._state, fault=fault, seat=seat))

    def result(self) -> Played:
        forfeited, state = self._forfeited(), self._state
        finished = state.over()
        return Played(
            outcome=Outcome(
                places=places(state.places() if finished else (1.0,) * len(self.sides), forfeited),
                scores=state.scores() if finished else None,
                decisions=len(self._decisions),
                faults=tuple(self._faults),
            ),
            decisions=tuple(self._decisions),
            found=tuple(self._found),
            events=tuple(map(tuple, self._events)),
        )

    def _forfeited(self) -> frozenset[int]:
        return frozenset(number for number, side in enumerate(self.sides) if side[0] in self.absent)

    def _late(self, seat: int, answer: Answer) -> SeatFault | None:
        """Belt and braces: the warden enforces the limit, and would have sent a fault."""
        limit_ms = self._clock.move_ms + self._bank_ms[seat]
        if answer.wall_ms <= limit_ms:
            return None
        return SeatFault(
            FaultKind.TIMEOUT,
            f"answered after {answer.wall_ms:.0f} ms, {limit_ms:.0f} ms allowed",
            sent=answer.sent,
            circumstances=_measured(answer),
        )


def _measured(answer: Answer) -> Circumstances:
    return Circumstances(wall_ms=answer.wall_ms, cpu_ms=answer.cpu_ms)


def _illegal(state: State, answer: Answer) -> SeatFault | None:
    if state.is_legal(answer.action):
        return None
    legal = state.legal()
    listed = ", ".join(legal[:SHOWN_LEGAL]) + (
        f" and {len(legal) - SHOWN_LEGAL} more" if len(legal) > SHOWN_LEGAL else ""
    )
    found = ascii(answer.action[:SHOWN_ACTION]) + ("..." if len(answer.action) > SHOWN_ACTION else "")
    return SeatFault(
        FaultKind.ILLEGAL,
        f"found action {found}, allowed are {listed}",
        sent=answer.sent,
        circumstances=_measured(answer),
    )
