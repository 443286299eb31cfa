"""Student's t distribution, which the standard library lacks."""

import math
from functools import lru_cache

TINY = 1e-300
"""Stands in for a zero denominator of the continued fraction (Lentz)."""


def cdf(t: float, freedom: float) -> float:
    """Chance that a t variate with so many degrees of freedom is below t."""
    tail = _beta(freedom / 2, 0.5, freedom / (freedom + t * t)) / 2
    return 1 - tail if t > 0 else tail


@lru_cache
def quantile(chance: float, freedom: float) -> float:
    """The t that is not exceeded with that chance, 0.5 <= chance < 1; by bisection to the last bit."""
    low, high = 0.0, 1.0
    while cdf(high, freedom) < chance:
        low, high = high, 2 * high
    while low < (middle := (low + high) / 2) < high:
        low, high = (middle, high) if cdf(middle, freedom) < chance else (low, middle)
    return high


def _beta(a: float, b: float, x: float) -> float:
    """Regularised incomplete beta function I_x(a, b)."""
    if x >= 1:
        return 1.0
    logarithm = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)
    front = math.exp(logarithm)
    if x < (a + 1) / (a + b + 2):  # the fraction converges quickly on this side only
        return front * _fraction(a, b, x) / a
    return 1 - front * _fraction(b, a, 1 - x) / b


def _fraction(a: float, b: float, x: float) -> float:
    """Continued fraction of the incomplete beta function, by Lentz's method."""
    numerator, denominator = 1.0, 1 / _nonzero(1 - (a + b) * x / (a + 1))
    value = denominator
    step = 0
    change = 0.0
    while abs(change - 1) > 1e-15 and step < 10_000:
        step += 1
        even = step * (b - step) * x / ((a + 2 * step - 1) * (a + 2 * step))
        odd = -(a + step) * (a + b + step) * x / ((a + 2 * step) * (a + 2 * step + 1))
        for term in (even, odd):
            denominator = 1 / _nonzero(1 + term * denominator)
            numerator = _nonzero(1 + term / numerator)
            change = denominator * numerator
            value *= change
    return value


def _nonzero(value: float) -> float:
    return value if abs(value) > TINY else TINY
