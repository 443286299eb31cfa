"""From match results to whole-number counts of who came before whom.

Every match is taken apart into its pairs of sides. A pair is a *contrast*: the mean of one side's strengths
less the mean of the other's. Counts are whole numbers and everything is sorted before it is summed, so that
nothing downstream can depend on the order in which results came.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations

import msgspec

from arena.brief import boards_of
from arena.model import Entrant, Result

Contrast = tuple[tuple[int, float], ...]
"""(bot, coefficient) in order of bots; the first coefficient is positive."""

Cell = tuple[Contrast, int, int]
"""Contrast, number of sides at the table, and twice the score of the positive side: 0, 1 or 2."""

Signature = tuple[tuple[Cell, int], ...]
"""Everything that happened on one board: how often each cell, sorted."""


class Pool(msgspec.Struct, frozen=True):
    """Bots that are connected through their matches, and what happened on their boards."""

    entrants: tuple[Entrant, ...]
    """Sorted; a contrast's bots are positions in here."""
    boards: dict[Signature, int]
    """How many boards went exactly so, sorted by signature."""

    def cells(self) -> dict[Cell, int]:
        """Counts over all boards, sorted."""
        total: Counter[Cell] = Counter()
        for signature, times in self.boards.items():
            for cell, count in signature:
                total[cell] += times * count
        return dict(sorted(total.items()))

    def board_count(self) -> int:
        """Number of boards on which somebody of this pool was compared."""
        return sum(self.boards.values())


def weight(sides: int) -> float:
    """What one pair counts at a table of that many sides: its pairs are not independent of each other."""
    return 3.0 / (sides + 1)


def pools(results: Iterable[Result]) -> tuple[list[Pool], tuple[Entrant, ...]]:
    """Connected pools, largest first, and the entrants that were never compared with another."""
    boards = list(boards_of(results))
    entrants = sorted(
        {entrant for rows, _ in boards for row in rows for side in row.sides for entrant in side}
    )
    counts = _counts(boards, {entrant: number for number, entrant in enumerate(entrants)})
    linked = _components(len(entrants), {cell[0] for cells, _ in counts for cell in cells})
    found = [_pool(members, entrants, counts) for members in linked if len(members) > 1]
    found.sort(key=lambda pool: (-len(pool.entrants), pool.entrants))
    return found, tuple(entrants[members[0]] for members in linked if len(members) == 1)


def _counts(
    boards: Iterable[tuple[Sequence[Result], int]], index: Mapping[Entrant, int]
) -> list[tuple[Counter[Cell], int]]:
    found = []
    contrasts: dict[tuple[tuple[Entrant, ...], tuple[Entrant, ...]], tuple[Contrast, bool]] = {}
    for rows, times in boards:
        cells: Counter[Cell] = Counter()
        for row in rows:
            for (side, place), (other, other_place) in combinations(
                zip(row.sides, row.places, strict=True), 2
            ):
                if (side, other) not in contrasts:
                    contrasts[side, other] = _contrast([index[e] for e in side], [index[e] for e in other])
                contrast, turned = contrasts[side, other]
                if contrast:
                    twice = 1 + (place < other_place) - (place > other_place)
                    cells[contrast, len(row.sides), 2 - twice if turned else twice] += 1
        found.append((cells, times))
    return found


def _contrast(side: Sequence[int], other: Sequence[int]) -> tuple[Contrast, bool]:
    """The contrast of two sides, and whether it was turned round to begin with a positive coefficient.

    Empty when the two sides are the same bots: such a pair says nothing.
    """
    parts: Counter[int] = Counter()
    for bot in side:
        parts[bot] += len(other)
    for bot in other:
        parts[bot] -= len(side)
    whole = [(bot, part) for bot, part in sorted(parts.items()) if part]
    turned = bool(whole) and whole[0][1] < 0
    scale = len(side) * len(other) * (-1 if turned else 1)
    return tuple((bot, part / scale) for bot, part in whole), turned


def _components(size: int, contrasts: Iterable[Contrast]) -> list[list[int]]:
    neighbours: list[set[int]] = [set() for _ in range(size)]
    for contrast in contrasts:
        first = contrast[0][0]
        for bot, _ in contrast[1:]:
            neighbours[first].add(bot)
            neighbours[bot].add(first)
    todo = set(range(size))
    found = []
    while todo:
        members = reachable(min(todo), neighbours)
        todo -= members
        found.append(sorted(members))
    return found


def reachable(start: int, neighbours: Sequence[Iterable[int]]) -> set[int]:
    """Everything that can be reached, the start included."""
    seen, todo = {start}, [start]
    while todo:
        new = set(neighbours[todo.pop()]) - seen
        seen |= new
        todo.extend(new)
    return seen


def _pool(
    members: Sequence[int], entrants: Sequence[Entrant], boards: Iterable[tuple[Counter[Cell], int]]
) -> Pool:
    local = {bot: number for number, bot in enumerate(members)}
    total: Counter[Signature] = Counter()
    for cells, times in boards:
        own = [
            ((tuple((local[bot], part) for bot, part in contrast), sides, twice), count)
            for (contrast, sides, twice), count in cells.items()
            if contrast[0][0] in local
        ]
        if own:
            total[tuple(sorted(own))] += times
    return Pool(tuple(entrants[bot] for bot in members), dict(sorted(total.items())))


class Tally(msgspec.Struct, frozen=True):
    """What a bot's comparisons came to."""

    boards: int
    """On which it was compared with another bot."""
    pairs: int
    twice: int
    """Twice the points it took from them."""


def tallies(pool: Pool) -> list[Tally]:
    """One for each entrant of the pool, in its order."""
    boards, pairs, twice = ([0] * len(pool.entrants) for _ in range(3))
    for signature, times in pool.boards.items():
        for (contrast, _, points), count in signature:
            for bot, part in contrast:
                pairs[bot] += times * count
                twice[bot] += times * count * (points if part > 0 else 2 - points)
        for bot in {bot for (contrast, _, _), _ in signature for bot, _ in contrast}:
            boards[bot] += times
    return [Tally(*counts) for counts in zip(boards, pairs, twice, strict=True)]


def one_way(pool: Pool) -> bool:
    """Whether some bots never dropped a point to the others, so that only the prior keeps them near."""
    above: list[set[int]] = [set() for _ in pool.entrants]
    below: list[set[int]] = [set() for _ in pool.entrants]
    for contrast, _, twice in pool.cells():
        for bot, part in contrast:
            for other, other_part in contrast:
                if part > 0 > other_part and twice > 0:
                    below[bot].add(other)
                    above[other].add(bot)
                if part > 0 > other_part and twice < 2:
                    below[other].add(bot)
                    above[bot].add(other)
    everyone = len(pool.entrants)
    return len(reachable(0, above)) < everyone or len(reachable(0, below)) < everyone
