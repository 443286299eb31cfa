"""Plackett-Luce with ties (Davidson-Luce): whole rankings, explained place by place from the top.

Theory of operation. Of the sides that are left some set comes next, alone or tied: set S with odds
delta_|S| exp(mean strength of S), delta_1 = 1. Each such choice is a multinomial logit in the strengths and
in log delta, so the whole is concave as the pairs are; Newton finds the top, and boards are the clusters.
The prior is the pairs' own, for the deltas too, since a league may have nothing but ties.
"""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations

import msgspec

from arena.model import Entrant, Result
from arena.ratings.intervals import add_pull, covariance
from arena.ratings.linear import Matrix, cholesky, inverse
from arena.ratings.strengths import climb, prior_curvature, prior_height, prior_slope

Side = tuple[int, ...]
"""Its bots, sorted."""

Stage = tuple[tuple[Side, ...], tuple[Side, ...]]
"""Sides that are left, and those of them that come next; both sorted."""

Features = tuple[tuple[int, float], ...]
"""How often each strength counts, and behind them each log delta, in order."""

Signature = tuple[tuple[Stage, int], ...]


class Choice(msgspec.Struct, frozen=True):
    """What is expected of one set of sides that are left."""

    height: float
    """Logarithm of the sum of all odds."""
    mean: dict[int, float]
    """Of the features."""
    spread: dict[tuple[int, int], float]
    """Their covariance."""


class Rankings(msgspec.Struct, frozen=True):
    """What happened on the boards of some bots, in whole rankings."""

    bots: int
    orders: int
    """Most sides that ever shared a place; the log deltas are of the orders 2 to this."""
    boards: dict[Signature, int]
    """How many boards went exactly so, sorted."""

    def features(self, sides: Sequence[Side]) -> Features:
        """Of sides that come next together."""
        found: dict[int, float] = {}
        for side in sides:
            for bot in side:
                found[bot] = found.get(bot, 0.0) + 1 / len(sides) / len(side)
        if len(sides) > 1:
            found[self.bots + len(sides) - 2] = 1.0
        return tuple(sorted(found.items()))

    def stages(self) -> dict[Stage, int]:
        """How often each, sorted."""
        total: Counter[Stage] = Counter()
        for signature, times in self.boards.items():
            for stage, count in signature:
                total[stage] += times * count
        return dict(sorted(total.items()))


def rankings(entrants: Sequence[Entrant], results: Iterable[Result]) -> Rankings:
    """The matches in which nobody but these bots played."""
    index = {entrant: number for number, entrant in enumerate(entrants)}
    boards: dict[str, Counter[Stage]] = {}
    for row in results:
        if all(entrant in index for side in row.sides for entrant in side):
            boards.setdefault(row.board, Counter()).update(_stages(row, index))
    signatures = Counter(tuple(sorted(stages.items())) for stages in boards.values())
    orders = (len(taken) for signature in signatures for (_, taken), _ in signature)
    return Rankings(len(index), max(orders, default=1), dict(sorted(signatures.items())))


def _stages(row: Result, index: Mapping[Entrant, int]) -> list[Stage]:
    sides = sorted(
        (place, tuple(sorted(index[entrant] for entrant in side)))
        for place, side in zip(row.places, row.sides, strict=True)
    )
    stages: list[Stage] = []
    left = sides
    while len(left) > 1:
        taken = [side for place, side in left if place == left[0][0]]
        stages.append((tuple(sorted(side for _, side in left)), tuple(taken)))
        left = left[len(taken) :]
    return stages


def placed(known: Rankings, prior: float) -> tuple[list[float], Matrix]:
    """Strengths of the bots in logits, then log deltas; and the covariance of them all."""
    taken, lefts = _totals(known)
    size = known.bots + known.orders - 1

    def height(values: list[float]) -> float:
        terms = [part * value for part, value in zip(taken, values, strict=True)]
        terms += [-count * _choice(known, left, values).height for left, count in lefts.items()]
        return math.fsum(terms + prior_height(values, prior))

    def slope(values: list[float]) -> list[float]:
        terms = [[part, pull] for part, pull in zip(taken, prior_slope(values, prior), strict=True)]
        for left, count in lefts.items():
            for i, part in _choice(known, left, values).mean.items():
                terms[i].append(-count * part)
        return list(map(math.fsum, terms))

    def steepness(values: list[float]) -> Matrix:
        matrix = _curvature(known, lefts, values)
        for i, curve in enumerate(prior_curvature(values, prior)):
            matrix[i] = [each + (not prior and max(i, j) < known.bots) for j, each in enumerate(matrix[i])]
            matrix[i][i] += curve
        return matrix

    values = climb([0.0] * size, height=height, slope=slope, steepness=steepness)
    bread = inverse(cholesky(steepness(values)))
    return values, covariance(
        _noise(known, values, bread),
        boards=sum(known.boards.values()),
        curvature=_curvature(known, lefts, values),
        inverse=bread,
        prior=prior_curvature(values, prior),
    )


def _totals(known: Rankings) -> tuple[list[float], dict[tuple[Side, ...], int]]:
    """Features of all that came next, added up; and how often each set of sides was left."""
    terms: list[list[float]] = [[] for _ in range(known.bots + known.orders - 1)]
    lefts: Counter[tuple[Side, ...]] = Counter()
    for (left, taken), count in known.stages().items():
        lefts[left] += count
        for i, part in known.features(taken):
            terms[i].append(count * part)
    return list(map(math.fsum, terms)), dict(lefts)


def _choice(known: Rankings, left: Sequence[Side], values: Sequence[float]) -> Choice:
    sizes = range(1, min(len(left), known.orders) + 1)
    sets = [known.features(some) for size in sizes for some in combinations(left, size)]
    heights = [sum(part * values[i] for i, part in features) for features in sets]
    top = max(heights)
    odds = [math.exp(height - top) for height in heights]
    total = math.fsum(odds)
    mean: dict[int, float] = {}
    square: dict[tuple[int, int], float] = {}
    for features, odd in zip(sets, odds, strict=True):
        for i, part in features:
            mean[i] = mean.get(i, 0.0) + odd / total * part
            for j, other in features:
                square[i, j] = square.get((i, j), 0.0) + odd / total * part * other
    spread = {(i, j): square.get((i, j), 0.0) - mean[i] * mean[j] for i in mean for j in mean}
    return Choice(top + math.log(total), mean, spread)


def _curvature(known: Rankings, lefts: Mapping[tuple[Side, ...], int], values: Sequence[float]) -> Matrix:
    matrix = [[0.0] * len(values) for _ in values]
    for left, count in lefts.items():
        for (i, j), part in _choice(known, left, values).spread.items():
            matrix[i][j] += count * part
    return matrix


def _noise(known: Rankings, values: Sequence[float], bread: Matrix) -> Matrix:
    """As `intervals.board_noise` is for pairs."""
    noise = [[0.0] * len(values) for _ in values]
    for signature, times in known.boards.items():
        pull: dict[int, float] = {}
        leverage = 0.0
        for (left, taken), count in signature:
            choice = _choice(known, left, values)
            for i, part in (*known.features(taken), *((i, -part) for i, part in choice.mean.items())):
                pull[i] = pull.get(i, 0.0) + count * part
            leverage += count * sum(part * bread[i][j] for (i, j), part in choice.spread.items())
        add_pull(noise, pull, times=times, leverage=leverage / max(1, len(pull) - 1))
    return noise
