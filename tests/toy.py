"""A game small enough to follow by hand: who takes the last stick loses. For tests of what is not rules."""

import copy
from collections.abc import Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Any, Self

from arena.games.base import Game, IllegalAction, average_ranks, each_for_himself


@dataclass(frozen=True, slots=True)
class Options:
    sticks: int = field(default=6, metadata={"range": (2, 1_000)})
    deals: int = field(default=1, metadata={"range": (1, 10)})


class Sticks:
    """Each deal lays `sticks` sticks out; a seat takes 1 or 2, and may take 3 though nobody lists it."""

    def __init__(self, options: Options, players: int, dealer: int) -> None:
        self.options, self.players, self.dealer = options, players, dealer
        self.sticks = 0
        self.turn = dealer
        self.deals = 0
        self.lost = [0] * players
        self.order: list[int] = []

    def over(self) -> bool:
        return self.deals == self.options.deals and not self.sticks

    def to_act(self) -> int | None:
        return self.turn if self.sticks else None

    def deal(self, deck: list[int]) -> list[str]:
        self.sticks = self.options.sticks
        self.turn = (self.dealer + 1 + self.deals) % self.players
        self.deals += 1
        return [f"deal {self.deals}"]

    def legal(self) -> list[str]:
        return [f"take {n}" for n in (1, 2) if n <= self.sticks]

    def is_legal(self, action: str) -> bool:
        return action in self.legal() or (action == "take 3" and self.sticks >= 3)

    def play(self, action: str) -> list[str]:
        if not self.is_legal(action):
            raise IllegalAction(action)
        seat = self.turn
        self.sticks -= int(action[5:])
        self.turn = (seat + 1) % self.players
        if not self.sticks:
            self.lost[seat] += 1
        return [f"{seat} {action}"]

    def fallback(self) -> str:
        return "take 1"

    def view(self, seat: int) -> dict[str, Any]:
        return {"seat": seat, "sticks": self.sticks}

    def places(self) -> tuple[float, ...]:
        return average_ranks(self.lost)

    def scores(self) -> tuple[float, ...]:
        return tuple(float(-lost) for lost in self.lost)

    def clone(self) -> Self:
        return copy.deepcopy(self)

    def position(self) -> dict[str, Any]:
        return {"sticks": self.sticks, "turn": self.turn}


def unsupported(*_: Any) -> Any:
    raise NotImplementedError


def from_view(view: Mapping[str, Any], rng: Random) -> Any:
    raise NotImplementedError(view, rng)


def pairs(players: int) -> tuple[tuple[int, ...], ...]:
    return tuple((seat, seat + players // 2) for seat in range(players // 2))


STICKS = Game(
    name="sticks",
    players=(2, 3, 4),
    options=Options,
    sides=each_for_himself,
    deck=lambda _options, _players: list(range(10)),
    new=Sticks,
    from_position=unsupported,
    from_view=from_view,
)

PARTNERS = Game(
    name="partners",
    players=(4,),
    options=Options,
    sides=pairs,
    deck=STICKS.deck,
    new=STICKS.new,
    from_position=unsupported,
    from_view=from_view,
)
"""The same with two sides; its places are by seat, so it is only good for matches that end early."""
