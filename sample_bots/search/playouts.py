"""How a deal is played out to see what an action was worth, game by game."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from policies import (
    cards_ahead,
    cheap_tricks,
    cheapest_first,
    lay_clean,
    points_ahead,
    table_ahead,
    without_suits,
)

from arena.games.base import State


@dataclass(frozen=True, slots=True)
class Playout:
    """How one game is played out."""

    policy: Callable[[Any], str]
    """State -> action of the seat to act."""
    worth: Callable[[Any, int], float]
    """State where a playout ended, side -> how good it is for the side, in any unit."""
    count: int
    """Playouts for one decision. Twice as many take twice the time. These take 10 to 45 ms on a usual
    machine, so that a league of a hundred matches is a matter of minutes."""
    plies: int
    """Actions after which a playout is judged as it stands, if the deal has not ended before."""
    kind: Callable[[str], str] = str
    """Actions of one kind are as good as each other: only one of them is tried."""

    def value(self, state: State, action: str, side: int) -> float:
        """Play the action and what follows; uses the state up."""
        state.play(action)
        for _ in range(self.plies):
            if state.to_act() is None:
                break
            state.play(self.policy(state))
        return self.worth(state, side)


PLAYOUTS = {
    "idiot": Playout(cheapest_first("3456789JQ", "KA2T"), cards_ahead("A2T"), 120, 40, without_suits),
    "imp": Playout(cheapest_first("56789JQKA", "T432"), cards_ahead("T432"), 120, 40, without_suits),
    "imperial": Playout(cheap_tricks, points_ahead, 200, 36),
    "mpirimpa": Playout(lay_clean, table_ahead, 150, 24),
}
