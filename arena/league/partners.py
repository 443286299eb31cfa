"""Who plays with whom when partners are mixed: two bots against two others, as in a whist tournament.

Every two bots should be partners equally often, and opponents twice as often. Bots are numbers here, in the
order in which they came, so that all of it depends on how many there are and on nothing else.
"""

from collections.abc import Iterator
from functools import cache
from itertools import combinations
from math import comb

TEAMS = 4
"""Bots at a table: partners, and partners."""

FEW = 15
"""So few line-ups are always played: all that five bots have."""

Teams = tuple[int, int, int, int]
"""The first two against the last two; each two ascending, the smaller first."""


@cache
def line_ups(fields: tuple[int, ...]) -> tuple[Teams, ...]:
    """Line-ups when bots came in steps, by how many were there after each: those of the step before lead.

    The next line-up is always one for partners who were it least, with the two opponents who were partners
    least and whom they met least. So each beginning of the list is nearly balanced, too.
    """
    *earlier, bots = fields
    known = line_ups(tuple(earlier)) if earlier else ()
    met = _Met(bots)
    for teams in known:
        met.add(teams)
    return known + tuple(_added(met, max(map(times, fields))))


def times(bots: int) -> int:
    """How often every two of so many bots are to be partners, in few line-ups but at least once."""
    return max(1, min(comb(bots - 2, 2), 2 * FEW // comb(bots, 2)))


class _Met:
    """How often each two bots were partners and opponents, and how often each one played."""

    def __init__(self, bots: int) -> None:
        self.pairs = list(combinations(range(bots), 2))
        self._partners = [[0] * bots for _ in range(bots)]
        self._opponents = [[0] * bots for _ in range(bots)]
        self._seen: set[Teams] = set()

    def add(self, teams: Teams) -> None:
        a, b, c, d = teams
        self._seen.add(teams)
        for one, other in ((a, b), (b, a), (c, d), (d, c)):
            self._partners[one][other] += 1
        for one, other in ((a, c), (a, d), (b, c), (b, d)):
            self._opponents[one][other] += 1
            self._opponents[other][one] += 1
