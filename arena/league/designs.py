"""Some of all line-ups, so chosen that every two bots meet equally often and everyone plays equally often.

Bots are numbers here. For some sizes there are cyclic difference families: base blocks which, moved round the
circle of all bots, hold every pair exactly once. Elsewhere line-ups are put together one by one from what is
missing most, and then bettered by exchanging single bots.
"""

import math
from collections.abc import Iterator
from functools import cache
from itertools import combinations
from random import Random

Chosen = tuple[int, ...]
"""Bots of a line-up, ascending."""

FAMILIES = {
    (7, 3): ((0, 1, 3),),
    (13, 3): ((0, 1, 4), (0, 2, 7)),
    (13, 4): ((0, 1, 3, 9),),
    (21, 5): ((0, 1, 4, 14, 16),),
}
"""Bots and sides -> base blocks whose differences are all numbers below the number of bots, each once."""

APPEARANCES = 4
"""What unequal appearances weigh against unequal meetings."""

MOST_STEPS = 80_000
STEPS_A_SEAT = 200
HEAT, COLD = 1.5, 0.2
"""First and last temperature of the exchanges, in the unit of the cost."""


@cache
def some(fields: tuple[int, ...], sides: int, wanted: tuple[int, ...]) -> tuple[Chosen, ...]:
    """Line-ups of a field that grew, by how many bots it had at each step and how many line-ups.

    Those of earlier steps lead. There are never more than all.
    """
    *earlier, bots = fields
    known = some(tuple(earlier), sides, wanted[:-1]) if earlier else ()
    count = min(wanted[-1], math.comb(bots, sides)) if bots >= sides else 0
    if count == math.comb(bots, sides):
        return known + tuple(sorted(set(combinations(range(bots), sides)) - set(known)))
    met = _Met(bots, sides)
    for chosen in known or _family(bots, sides, count):
        met.add(chosen)
    fixed = len(met.line_ups)
    while len(met.line_ups) < count:
        met.add(met.wanted())
    met.better(fixed, Random(f"{fields} {sides} {wanted}"))  # noqa: S311 - the same for everybody
    return known + tuple(sorted(met.line_ups[len(known) :]))


def _family(bots: int, sides: int, count: int) -> Iterator[Chosen]:
    """A design in which every pair meets once, where one is known and asked for."""
    bases = FAMILIES.get((bots, sides), ())
    if bases and count >= bots * len(bases):
        for base in bases:
            for turn in range(bots):
                yield tuple(sorted((bot + turn) % bots for bot in base))


class _Met:
    """Line-ups chosen so far, how often every two bots meet in them, and how often each one appears."""

    def __init__(self, bots: int, sides: int) -> None:
        self._bots = range(bots)
        self._sides = sides
        self._pairs = [[0] * bots for _ in self._bots]
        self._appears = [0] * bots
        self._there: set[Chosen] = set()
        self.line_ups: list[Chosen] = []

    def add(self, chosen: Chosen) -> None:
        self.line_ups.append(chosen)
        self._there.add(chosen)
        self._count(chosen, 1)

    def wanted(self) -> Chosen:
        """The line-up that evens out most, bot by bot; one that is not there yet."""
        chosen: list[int] = []
        while len(chosen) < self._sides:
            rest = [bot for bot in self._bots if bot not in chosen]
            if len(chosen) == self._sides - 1:
                rest = [bot for bot in rest if tuple(sorted([*chosen, bot])) not in self._there]
            if not rest:
                return self._first_free()
            chosen.append(min(rest, key=lambda bot: (self._load(chosen, bot), bot)))
        return tuple(sorted(chosen))

    def better(self, fixed: int, dice: Random) -> None:
        """Exchange single bots of the line-ups after the fixed ones, coldly at the end."""
        free = len(self.line_ups) - fixed
        steps = min(MOST_STEPS, STEPS_A_SEAT * free * self._sides)
        for step in range(steps):
            heat = HEAT * (COLD / HEAT) ** (step / steps)
            number = fixed + dice.randrange(free)
            old = self.line_ups[number]
            leaves, comes = dice.choice(old), dice.randrange(len(self._bots))
            new = tuple(sorted({*old, comes} - {leaves}))
            if comes in old or new in self._there:
                continue
            rest = [bot for bot in old if bot != leaves]
            self._count(old, -1)
            cost = self._load(rest, comes) - self._load(rest, leaves)
            taken = cost <= 0 or dice.random() < math.exp(-cost / heat)
            self._count(new if taken else old, 1)
            if taken:
                self.line_ups[number] = new
                self._there.remove(old)
                self._there.add(new)

    def _load(self, chosen: list[int], bot: int) -> int:
        """How much uneven a bot makes it that comes to those chosen, up to what does not depend on it."""
        return sum(self._pairs[bot][other] for other in chosen) + APPEARANCES * self._appears[bot]

    def _count(self, chosen: Chosen, times: int) -> None:
        for bot in chosen:
            self._appears[bot] += times
        for one, other in combinations(chosen, 2):
            self._pairs[one][other] += times
            self._pairs[other][one] += times

    def _first_free(self) -> Chosen:
        return next(each for each in combinations(self._bots, self._sides) if each not in self._there)
