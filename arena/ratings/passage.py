"""Where a random walk with drift leaves a strip, and when: what the end of a test says of the drift.

A walk begins at 0 between two lines, and moves with a drift and a variance of 1 for each unit of time. All is
summed over mirror images of the walk (method of images). Each term is a chance times an exponential; they are
multiplied as logarithms, so that no drift is too strong.
"""

import math
from collections.abc import Callable, Iterator
from statistics import NormalDist

import msgspec

NORMAL = NormalDist()

NEGLIGIBLE = 25.0
"""Images whose weight in the strip is below exp(-25) are left out."""

TAIL = -5.0
"""Below it a normal chance is taken from its continued fraction."""

FRACTIONS = 80

FAR = 8.0
"""Standard deviations beyond which nothing of a normal is left."""

PANELS = 80
"""Of an integral, the narrower the nearer to its ends; the error of a chance is then about 0.00001."""

LATE = 0.5826
"""A walk that is looked at now and then leaves as if each line were so many deviations of a step away."""


class Walk(msgspec.Struct, frozen=True):
    """A drift between two lines, low < 0 < high."""

    drift: float
    low: float
    high: float

    @property
    def width(self) -> float:
        """Of the strip."""
        return self.high - self.low


def chance_above(walk: Walk, at: float, *, before: float, after: float) -> float:
    """Chance of a better outcome than a height at a look, where the lines count up to the look before it.

    Better is to have left upwards until that one, or to have been still inside and now be above. It rises
    with the drift. `before` is the time of the look before, 0.0 without one; `after` the time since then.
    """
    turn, step = at - walk.drift * after, math.sqrt(after)

    def risen(height: float) -> float:
        return NORMAL.cdf((height - turn) / step)

    if not before:
        return risen(0.0)
    reach, mean = FAR * math.sqrt(before), walk.drift * before
    least, most = max(walk.low, mean - reach), min(walk.high, mean + reach)
    start, sure = (min(most, max(least, turn + side * FAR * step)) for side in (-1, 1))
    density = _density(walk, before)
    left = math.fsum(_left_upwards(walk, before))
    inside = _integral(lambda height: density(height) * risen(height), start, sure)
    return min(1.0, left + inside + _integral(density, sure, most))


def time_inside(walk: Walk) -> float:
    """Expected time until it leaves."""
    drift, low, high = walk.drift, walk.low, walk.high
    if abs(drift) * walk.width < 1e-6:
        return -low * high
    if drift < 0:
        drift, low = -drift, -high
    up = math.expm1(2 * drift * low) / math.expm1(-2 * drift * walk.width)
    return (low + walk.width * up) / drift


def _left_upwards(walk: Walk, time: float) -> Iterator[float]:
    """Parts of the chance that it left by the upper line until then."""
    root = math.sqrt(time)
    for shift in _shifts(walk, time):
        signed = walk.high + shift
        distance = abs(signed)
        sign = math.copysign(1.0, signed)
        for drift in (walk.drift, -walk.drift):
            weight = walk.drift * walk.high - drift * distance
            yield sign * _weighed(weight, (drift * time - distance) / root)


def _density(walk: Walk, time: float) -> Callable[[float], float]:
    """Of the heights of walks that are still inside then."""
    images = [
        (image, sign)
        for shift in _shifts(walk, time)
        for image, sign in ((shift, 1), (2 * walk.high + shift, -1))
    ]
    scale = math.sqrt(2 * math.pi * time)

    def at(height: float) -> float:
        parts = (
            sign * math.exp(walk.drift * image - (height - image - walk.drift * time) ** 2 / (2 * time))
            for image, sign in images
        )
        return max(0.0, math.fsum(parts)) / scale

    return at


def _shifts(walk: Walk, time: float) -> Iterator[float]:
    """Of the images that count: each is the walk, reflected at both lines."""
    most = math.ceil((math.sqrt(2 * NEGLIGIBLE * time) / walk.width + 1) / 2)
    return (2 * walk.width * number for number in range(-most, most + 1))


def _integral(function: Callable[[float], float], start: float, end: float) -> float:
    """By Simpson's rule over the angle on a half circle: under a strong drift what counts is near a line."""
    if start >= end:
        return 0.0
    radius, step = (end - start) / 2, math.pi / PANELS
    angles = [step * number for number in range(1, PANELS)]
    values = [function(start + radius * (1 - math.cos(angle))) * math.sin(angle) for angle in angles]
    return (4 * math.fsum(values[::2]) + 2 * math.fsum(values[1::2])) * radius * step / 3


def _weighed(exponent: float, point: float) -> float:
    """Chance that a standard normal is below the point, times exp(exponent)."""
    if point > TAIL:
        return math.exp(exponent) * math.erfc(-point / math.sqrt(2)) / 2
    fraction = 0.0
    for number in range(FRACTIONS, 0, -1):
        fraction = number / (fraction - point)
    return math.exp(exponent - point * point / 2) / math.sqrt(2 * math.pi) / (fraction - point)
