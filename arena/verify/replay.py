"""One match played again: the referee as it was, with a transcript in the place of the bots.

So deals, places, scores and what the fallback plays are found anew. That a bot was late or crashed cannot be
found again; what follows from it can.
"""

from typing import Self

import msgspec

from arena import deals, referee
from arena.games import GAMES
from arena.games.base import State, parse_options
from arena.model import Answer, Clock, Decision, FaultRecord, Outcome, Question, SeatFault
from arena.transcript import Transcript
from arena.verify.differences import Differs, Place, differ, same


def replayed(kept: Transcript, clock: Clock, place: Place, *, auto_forced: bool) -> Outcome:
    """What a match comes to; raises Differs at the first step that is not the transcript's."""
    game = GAMES[kept.game]
    options = parse_options(game.options, kept.options)
    cards = game.deck(options, kept.players)
    state = _Followed(game.new(options, kept.players, kept.dealer), kept.decisions, place)
    at_start, later = _split(kept.faults)
    match = referee.play(
        game,
        state,
        players=kept.players,
        deck=lambda k: deals.deck(kept.seed, k, cards),
        clock=clock,
        faulted={fault.seat: _again(fault) for fault in at_start},
        auto_forced=auto_forced,
    )
    try:
        question = next(match)
        while True:
            question = match.send(_reply(state, question, later))
    except StopIteration as ended:
        played: referee.Played = ended.value
    if state.number < len(kept.decisions):
        raise state.differs("action", kept.decisions[state.number].action, "the match is over")
    same(place, "faults", kept.faults, played.outcome.faults)
    for number, (stored, found) in enumerate(zip(kept.decisions, played.decisions, strict=True), 1):
        same(msgspec.structs.replace(place, decision=number), "note", stored.note, found.note)
    return played.outcome


def _split(faults: tuple[FaultRecord, ...]) -> tuple[list[FaultRecord], list[FaultRecord]]:
    """Faults before any action, and the others.

    Whether the former were committed at the start or at the first question makes no difference to a match.
    """
    later = [number for number, fault in enumerate(faults) if fault.decision > 0]
    first = later[0] if later else len(faults)
    return list(faults[:first]), list(faults[first:])


def _reply(state: "_Followed", question: Question, faults: list[FaultRecord]) -> Answer | SeatFault:
    if faults and (faults[0].seat, faults[0].decision) == (question.seat, state.number):
        return _again(faults.pop(0))
    decision = state.next()
    return Answer(decision.action, wall_ms=0.0, note=decision.note)


def _again(fault: FaultRecord) -> SeatFault:
    return SeatFault(fault.kind, "", forfeit=fault.forfeit)


class _Followed:
    """A state that plays nothing but what stands in a transcript, and saves itself what it would show."""

    def __init__(self, state: State, decisions: tuple[Decision, ...], place: Place) -> None:
        self._state, self._decisions, self._place = state, decisions, place
        self.number = 0
        """Actions that were played."""
        self.over, self.to_act, self.deal = state.over, state.to_act, state.deal
        self.fallback, self.legal = state.fallback, state.legal
        self.places, self.scores, self.position = state.places, state.scores, state.position

    def next(self) -> Decision:
        """The decision that stands next, which must be of the seat to act; raises Differs."""
        seat = self.to_act()
        if self.number == len(self._decisions):
            raise self.differs("action", "none, the transcript ends", f"seat {seat} is to act")
        decision = self._decisions[self.number]
        if decision.seat != seat:
            raise self.differs("seat to act", decision.seat, seat)
        return decision

    def play(self, action: str) -> list[str]:
        """Play an action, of a bot or of the fallback, which must be the next one; raises Differs."""
        stored = self.next().action
        if stored != action:
            raise self.differs("action", stored, action)
        self.number += 1
        return self._state.play(action)

    def is_legal(self, action: str) -> bool:
        """Always, since what the referee asks about stands in the transcript; raises Differs if it is not."""
        if not self._state.is_legal(action):
            raise self.differs("action", action, "the game does not take it")
        return True

    def view(self, seat: int) -> dict[str, object]:
        del seat
        return {}

    def clone(self) -> Self:
        copy = type(self)(self._state.clone(), self._decisions, self._place)
        copy.number = self.number
        return copy

    def differs(self, what: str, stored: object, found: object) -> Differs:
        """The exception for the decision that is next."""
        return differ(msgspec.structs.replace(self._place, decision=self.number + 1), what, stored, found)
