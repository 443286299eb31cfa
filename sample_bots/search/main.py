"""Looks ahead in every game by trying each action on guessed cards: a determinized Monte Carlo search.

*Determinization.* A view does not say who holds which card, so nothing can be played out from it. But from
a guess it can: `from_view` deals the unseen cards at random in a way that agrees with all that the seat
knows. On such a deal an action is played, and then the rest by a quick policy, the same for all seats. What
an action is worth is its mean over many deals. The known weakness: within a guess nobody is in doubt, so
this bot sees no value in finding something out, or in keeping it secret.

*Paired deals.* The luck of the cards is many times larger than the difference between two actions. So each
is tried on the same deals, and only differences on one deal are looked at: the luck that both share drops
out.

*Sequential halving.* The playouts of a decision are spent in rounds of equal cost; after each the better
half of the actions stays in. So most of them go where the choice is close.

*A count, not a clock.* Playouts are counted. The same messages give the same answers on every machine, busy
or not, and a match can be played again bit for bit; the clock is an emergency brake alone.
"""

from math import sqrt
from random import Random
from statistics import mean, stdev
from time import monotonic

from playouts import PLAYOUTS

from arena.games import GAMES
from protocol.client import Decision, Start, TimeLeft, run

SURE = 3.0
"""Standard errors of the paired difference by which one action must lead all others to be chosen at once."""
ENOUGH = 8
"""Deals before which a standard error says nothing."""


class Search:
    def start(self, start: Start) -> None:
        self.game = GAMES[start.game]
        self.options = start.options
        self.playout = PLAYOUTS[start.game]
        self.random = Random(start.seed)

    def choose(self, decision: Decision) -> str:
        view = decision.view | {"options": self.options}  # some views do not tell all that from_view can use
        actions = self.different(decision.legal)
        values: dict[str, list[float]] = {action: [] for action in actions}
        brake = monotonic() + allowed_s(decision.clock)
        rounds = (len(actions) - 1).bit_length()
        while len(actions) > 1 and monotonic() < brake:
            for _ in range(max(1, self.playout.count // (rounds * len(actions)))):
                deal = self.game.from_view(view, self.random)
                for action in actions:
                    values[action].append(self.playout.value(deal.clone(), action, decision.side))
                if monotonic() > brake:
                    break
            actions.sort(key=lambda action: -mean(values[action]))
            if all(is_clear(values[actions[0]], values[other]) for other in actions[1:]):
                break
            actions = actions[: (len(actions) + 1) // 2]
        return actions[0]

    def different(self, legal: list[str]) -> list[str]:
        """One action of each kind, the first listed."""
        first: dict[str, str] = {}
        for action in legal:
            first.setdefault(self.playout.kind(action), action)
        return [*first.values()]


def is_clear(best: list[float], other: list[float]) -> bool:
    """Whether the values of one action, deal by deal, are beyond doubt above those of another."""
    ahead = [one - two for one, two in zip(best, other, strict=True)]
    return len(ahead) >= ENOUGH and mean(ahead) > SURE * stdev(ahead) / sqrt(len(ahead))


def allowed_s(clock: TimeLeft) -> float:
    """Half of what costs nothing and a twentieth of the bank: the slowest match stays in time."""
    return (clock.move_ms / 2 + clock.bank_ms / 20) / 1000


if __name__ == "__main__":
    run(Search())
