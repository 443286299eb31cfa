"""What every two bots scored against each other, as it was counted: no model, no third bot."""

import math
from collections import defaultdict
from collections.abc import Iterable
from statistics import NormalDist

import msgspec

from arena.model import Entrant, Result
from arena.ratings.intervals import CONFIDENCE
from arena.ratings.pairs import Pool, pools

ADDED = 2
"""Boards won and as many lost that are added before an error is told (Agresti and Coull, by boards)."""

Z = NormalDist().inv_cdf((1 + CONFIDENCE) / 2)


class Crossing(msgspec.Struct, frozen=True):
    """How one bot fared against another, in all matches in which they were on different sides."""

    score: float
    """Share of the points, a tie is one half."""
    error: float
    """Half of its 95 % interval; boards are independent of each other, what happens on one is not."""
    boards: int
    pairs: int
    """Matches, more where a bot had several seats."""

    def turned(self) -> "Crossing":
        """The same as the other sees it."""
        return msgspec.structs.replace(self, score=1 - self.score)


Crossings = dict[tuple[Entrant, Entrant], Crossing]


def crossings(results: Iterable[Result]) -> Crossings:
    """Both ways of every two bots that met."""
    found: Crossings = {}
    for pool in pools(results)[0]:
        for (one, two), boards in _met(pool).items():
            crossing = _crossing(boards)
            pair = pool.entrants[one], pool.entrants[two]
            found[pair] = crossing
            found[pair[::-1]] = crossing.turned()
    return found


def _met(pool: Pool) -> dict[tuple[int, int], list[tuple[int, int, int]]]:
    """By pair of bots: (boards, pairs, twice the first one's points), boards that went alike together."""
    found: defaultdict[tuple[int, int], list[tuple[int, int, int]]] = defaultdict(list)
    for signature, boards in pool.boards.items():
        own: defaultdict[tuple[int, int], list[int]] = defaultdict(lambda: [0, 0])
        for (contrast, _, twice), count in signature:
            for one, two, points in _opponents(contrast, twice):
                own[one, two][0] += count
                own[one, two][1] += count * points
        for pair, (pairs, points) in own.items():
            found[pair].append((boards, pairs, points))
    return dict(sorted(found.items()))


def _opponents(contrast: Iterable[tuple[int, float]], twice: int) -> Iterable[tuple[int, int, int]]:
    """Every two bots on different sides, in order, with twice the points of the first."""
    parts = list(contrast)
    return (
        (min(mine, other), max(mine, other), twice if mine < other else 2 - twice)
        for mine, part in parts
        for other, other_part in parts
        if part > 0 > other_part
    )


def _crossing(rows: list[tuple[int, int, int]]) -> Crossing:
    boards, pairs = sum(row[0] for row in rows), sum(times * count for times, count, _ in rows)
    points = sum(times * twice for times, _, twice in rows) / 2
    size = boards + 2 * ADDED
    usual = pairs / boards
    middle = (points + ADDED * usual) / (pairs + 2 * ADDED * usual)
    squares = [times * (twice / 2 - middle * count) ** 2 for times, count, twice in rows]
    squares += [ADDED * usual**2 * ((1 - middle) ** 2 + middle**2)]
    variance = math.fsum(squares) / (size - 1) / size / usual**2
    return Crossing(points / pairs, Z * math.sqrt(variance), boards, pairs)
