"""The strengths that explain the matches best: one equation for all table sizes, ties and partners.

Theory of operation. A match of k sides is taken as its k (k - 1) / 2 pairs. A pair with contrast x (mean of
one side less mean of the other) and score s (1, 1/2 or 0) adds w (s x.theta - log(1 + exp(x.theta))) with
w = 3 / (k + 1). The prior adds half a win and half a loss of every bot against a phantom of strength 0. The
sum is concave, its maximum finite and unique, and there a bot's expected points equal the points it took,
but for the prior's pull. Newton finds it.
"""

import math
from collections.abc import Callable, Sequence

import msgspec

from arena.ratings.intervals import logistic
from arena.ratings.linear import Matrix, SingularError, cholesky, solve
from arena.ratings.pairs import Contrast, Pool, one_way, weight

MOST_STEPS = 100
"""Newton needs five to ten; so many mean that there is no maximum."""

SMALL_STEP = 1e-9
"""Logits; the step after such a one is below the last bit, since Newton squares the error."""


class Pair(msgspec.Struct, frozen=True):
    """All comparisons with one contrast."""

    contrast: Contrast
    weight: float
    points: float
    """Weighted, of the positive side."""

    def advantage(self, strengths: Sequence[float]) -> float:
        """Of the positive side, in logits."""
        return sum(part * strengths[bot] for bot, part in self.contrast)


def pairs(pool: Pool) -> list[Pair]:
    """The pool's comparisons, added up over boards and table sizes."""
    terms: dict[Contrast, list[tuple[float, float]]] = {}
    for (contrast, sides, twice), count in pool.cells().items():
        terms.setdefault(contrast, []).append((weight(sides) * count, weight(sides) * count * twice / 2))
    return [
        Pair(contrast, *(math.fsum(column) for column in zip(*rows, strict=True)))
        for contrast, rows in terms.items()
    ]


def strongest(pool: Pool, prior: float) -> list[float]:
    """The strengths of the pool's bots in logits, by damped Newton.

    Raises ValueError when `prior` is 0 and the matches alone do not hold the bots together.
    """
    if prior == 0 and one_way(pool):
        raise ValueError("some bots never lost to the others: no finite rating without a prior")
    known = pairs(pool)
    return climb(
        [0.0] * len(pool.entrants),
        height=lambda values: _height(known, values, prior),
        slope=lambda values: _slope(known, values, prior),
        steepness=lambda values: steepness(known, values, prior),
    )


def climb(
    values: list[float],
    *,
    height: Callable[[list[float]], float],
    slope: Callable[[list[float]], list[float]],
    steepness: Callable[[list[float]], Matrix],
) -> list[float]:
    """The top of a concave height, by damped Newton."""
    for _ in range(MOST_STEPS):
        step = solve(cholesky(steepness(values)), slope(values))
        values = _uphill(height, values, step)
        if max(map(abs, step)) <= SMALL_STEP:
            return values
    raise SingularError(f"no maximum after {MOST_STEPS} steps")


def curvature(known: Sequence[Pair], strengths: Sequence[float]) -> Matrix:
    """Fisher information of the comparisons, the prior's left out."""
    size = len(strengths)
    matrix = [[0.0] * size for _ in range(size)]
    for pair in known:
        expected = logistic(pair.advantage(strengths))
        spread = pair.weight * expected * (1 - expected)
        for bot, part in pair.contrast:
            row = matrix[bot]
            for other, other_part in pair.contrast:
                row[other] += spread * part * other_part
    return matrix


def prior_curvature(strengths: Sequence[float], prior: float) -> list[float]:
    """What the phantom matches add to the diagonal."""
    return [prior * logistic(value) * (1 - logistic(value)) for value in strengths]


def steepness(known: Sequence[Pair], strengths: Sequence[float], prior: float) -> Matrix:
    """Curvature with the prior's.

    Without a prior only differences are determined: ones everywhere pin the mean and change no difference.
    """
    pin = 0.0 if prior else 1.0
    matrix = [[value + pin for value in row] for row in curvature(known, strengths)]
    for i, curve in enumerate(prior_curvature(strengths, prior)):
        matrix[i][i] += curve
    return matrix


def prior_slope(values: Sequence[float], prior: float) -> list[float]:
    """How the phantom matches pull."""
    return [prior * (0.5 - logistic(value)) for value in values]


def prior_height(values: Sequence[float], prior: float) -> list[float]:
    """Log-likelihood of the phantom matches."""
    return [prior * (value / 2 - _softplus(value)) for value in values]


def _slope(known: Sequence[Pair], strengths: Sequence[float], prior: float) -> list[float]:
    terms = [[pull] for pull in prior_slope(strengths, prior)]
    for pair in known:
        surprise = pair.points - pair.weight * logistic(pair.advantage(strengths))
        for bot, part in pair.contrast:
            terms[bot].append(surprise * part)
    return [math.fsum(row) for row in terms]


def _height(known: Sequence[Pair], strengths: Sequence[float], prior: float) -> float:
    terms = prior_height(strengths, prior)
    for pair in known:
        advantage = pair.advantage(strengths)
        terms.append(pair.points * advantage - pair.weight * _softplus(advantage))
    return math.fsum(terms)


def _softplus(value: float) -> float:
    return max(value, 0.0) + math.log1p(math.exp(-abs(value)))


def _uphill(
    height: Callable[[list[float]], float], values: list[float], step: Sequence[float]
) -> list[float]:
    """Go along the step, halved as long as it would lead down."""
    here = height(values)
    floor = here - 1e-12 * (1 + abs(here))  # near the top only rounding is left
    share = 1.0
    while True:
        there = [value + share * part for value, part in zip(values, step, strict=True)]
        if height(there) >= floor:
            return there
        share /= 2
