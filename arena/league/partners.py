"""Who plays with whom when partners are mixed: two bots against two others, as in a whist tournament.

Every two bots should be partners equally often, and opponents twice as often. Bots are numbers here, in the
order in which they came, so that all of it depends on how many there are and on nothing else.
"""

from collections.abc import Iterator
from functools import cache
from itertools import combinations
from math import comb

SEATS = 4
"""Two sides of two, and a bot on each."""

FEW = 15
"""So few line-ups are always all played: five bots have so many."""

Pair = tuple[int, int]
"""Partners, the one who came first ahead."""

Teams = tuple[Pair, Pair]
"""Who plays against whom, the pair with the first of all bots ahead."""


@cache
def line_ups(fields: tuple[int, ...]) -> tuple[Teams, ...]:
    """Line-ups of a field that grew, by how many bots it had at each step; those of earlier steps lead.

    The next one is always for the two who were partners least, against two who were so little, too, and whom
    they met least. So every beginning of the list is nearly balanced.
    """
    *earlier, bots = fields
    known = line_ups(tuple(earlier)) if earlier else ()
    wanted = max(map(partnerings, fields))
    met = _Met(bots, wanted)
    for teams in known:
        met.add(teams)
    return known + tuple(_missing(met, wanted))


def partnerings(bots: int) -> int:
    """How often every two of so many bots are partners at least: once, or more where line-ups are few."""
    return max(1, min(comb(bots - 2, 2), 2 * FEW // comb(bots, 2)))


def ordered(pair: Pair, other: Pair) -> Teams:
    """A line-up whichever pair is named first."""
    return (pair, other) if pair < other else (other, pair)


def _missing(met: "_Met", wanted: int) -> Iterator[Teams]:
    """Line-ups that are to be played until every two bots were partners so often.

    `partnerings` wants no more of them than there are, so a pair that is to play has opponents left.
    """
    while True:
        pair = min(met.pairs, key=met.turn)
        if met.partners[pair] >= wanted:
            return
        other = min(met.strangers(pair), key=lambda other: met.fitness(pair, other))
        teams = ordered(pair, other)
        met.add(teams)
        yield teams


class _Met:
    """How often every two bots were partners and opponents, and how often each one played."""

    def __init__(self, bots: int, wanted: int) -> None:
        self._wanted = wanted
        self.pairs = list(combinations(range(bots), 2))
        self.partners = dict.fromkeys(self.pairs, 0)
        self._opponents = [[0] * bots for _ in range(bots)]
        self._played = [0] * bots
        self._line_ups: set[Teams] = set()

    def add(self, teams: Teams) -> None:
        self._line_ups.add(teams)
        for pair in teams:
            self.partners[pair] += 1
            for bot in pair:
                self._played[bot] += 1
        for one in teams[0]:
            for other in teams[1]:
                self._opponents[one][other] += 1
                self._opponents[other][one] += 1

    def strangers(self, pair: Pair) -> Iterator[Pair]:
        """Pairs against which a pair can still play, and never did."""
        one, other = pair
        for a, b in self.pairs:
            if one != a != other and one != b != other:
                opponents = (a, b)
                if ordered(pair, opponents) not in self._line_ups:
                    yield opponents

    def turn(self, pair: Pair) -> tuple[int, ...]:
        """Lowest for the pair whose turn it is; the order of the bots decides at last."""
        one, other = pair
        return (
            self.partners[pair],
            self._played[one] + self._played[other],
            self._opponents[one][other],
            *pair,
        )

    def fitness(self, pair: Pair, other: Pair) -> tuple[int, ...]:
        """Lowest for the opponents that a pair should have: first, nothing beyond what is wanted."""
        met = [self._opponents[a][b] for a in pair for b in other]
        beyond = sum(max(0, times - 2 * self._wanted) for times in met)
        return (
            beyond + max(0, self.partners[other] - self._wanted),
            self.partners[other],
            sum(met),
            sum(self._played[bot] for bot in other),
            *other,
        )
