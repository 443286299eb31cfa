"""How well observed scores fit a claim about their mean: the exact empirical likelihood.

The scores of blocks are counted per distinct value, the *atoms*. Of all distributions on these that make a
claim true, the likeliest has the weights q = p / (1 + x b): p are the observed shares, b is how far each
atom misses the claim, x is the root of sum p b / (1 + x b) = 0.
"""

import math
from collections.abc import Sequence

STEPS = 200
"""Most steps of a root; Newton takes about six, halving an interval to its last bit about sixty."""

ROUNDS = 100
"""Most rounds of a claim about the normalised mean; about four are taken."""

SETTLED = 1e-12
"""Change of the root mean square at which those rounds end."""


def odds(shares: Sequence[float], misses: Sequence[float]) -> list[float]:
    """Observed share of each atom over its weight in the likeliest q under which the misses are 0 on average.

    Some miss must be above 0 and some below.
    """
    root = tilt(shares, misses)
    return [1 + root * miss for miss in misses]


def mean_misses(atoms: Sequence[float], mean: float) -> list[float]:
    """Of the claim that the mean is this."""
    return [atom - mean for atom in atoms]


def normalised_misses(atoms: Sequence[float], shares: Sequence[float], distance: float) -> list[float]:
    """Of the claim that the mean is that many standard deviations above one half.

    With d = atom - 1/2 the claim is E d = r sqrt(E d^2) for r = distance / sqrt(1 + distance^2). It is made
    linear at a root mean square R, solved, and made linear again at the R of the solution. The first R is the
    largest there is; from it each round finds misses of both signs, so no claim is out of reach as long as 0
    and 1 are among the atoms.
    """
    sign = math.copysign(1.0, distance)
    offsets = [sign * (atom - 0.5) for atom in atoms]
    ratio = abs(distance) / math.hypot(1.0, distance)
    square = 0.25
    misses: list[float] = []
    for _ in range(ROUNDS):
        size = math.sqrt(square)
        misses = [offset - ratio * (offset * offset / size + size) / 2 for offset in offsets]
        root = tilt(shares, misses)
        before, square = square, _mean_square(shares, misses, offsets, root)
        if abs(square - before) <= SETTLED * square:
            break
    return misses


def _mean_square(
    shares: Sequence[float], misses: Sequence[float], offsets: Sequence[float], root: float
) -> float:
    return math.fsum(
        share / (1 + root * miss) * offset * offset
        for share, miss, offset in zip(shares, misses, offsets, strict=True)
    )


def tilt(shares: Sequence[float], misses: Sequence[float]) -> float:
    """The x at which sum p b / (1 + x b) is 0: by Newton, kept within what is known to hold the root."""
    low, high = -1 / max(misses), -1 / min(misses)
    x = 0.0
    for _ in range(STEPS):
        value = slope = 0.0
        for share, miss in zip(shares, misses, strict=True):
            part = miss / (1 + x * miss)
            value += share * part
            slope += share * part * part
        if value > 0:
            low = x
        else:
            high = x
        step = x + value / slope
        if not low < step < high:
            step = (low + high) / 2
        if abs(step - x) <= 1e-15 * abs(x) or step in (low, high):
            return step
        x = step
    return x
