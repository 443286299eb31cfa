"""Symmetric positive definite systems as small as a league, solved by Cholesky factors."""

import math
from collections.abc import Sequence
from operator import mul

Matrix = list[list[float]]

SINGULAR = 1e-12
"""A pivot this much smaller than its diagonal entry is rounding, not curvature."""


class SingularError(ValueError):
    """Some direction has no curvature: the data say nothing about it."""


def dot(left: Sequence[float], right: Sequence[float]) -> float:
    """Plain inner product: terms are always in the same order, so the result is reproducible."""
    return sum(map(mul, left, right), 0.0)


def cholesky(matrix: Matrix) -> Matrix:
    """Lower triangular rows L with L L' = matrix; row i has i + 1 entries."""
    lower: Matrix = []
    for i, row in enumerate(matrix):
        factors: list[float] = []
        for j in range(i):
            factors.append((row[j] - dot(factors, lower[j])) / lower[j][j])
        pivot = row[i] - dot(factors, factors)
        if not pivot > SINGULAR * row[i]:
            raise SingularError(f"pivot {pivot:.3g} in row {i}")
        factors.append(math.sqrt(pivot))
        lower.append(factors)
    return lower


def solve(lower: Matrix, right: Sequence[float]) -> list[float]:
    """The x of L L' x = right."""
    forward: list[float] = []
    for row, value in zip(lower, right, strict=True):
        forward.append((value - dot(forward, row)) / row[-1])
    for i in reversed(range(len(lower))):
        forward[i] /= lower[i][i]
        for j, factor in enumerate(lower[i][:i]):
            forward[j] -= factor * forward[i]
    return forward


def inverse(lower: Matrix) -> Matrix:
    """Inverse of L L', a column for each unit vector."""
    size = len(lower)
    return [solve(lower, [float(i == j) for j in range(size)]) for i in range(size)]


def product(left: Matrix, right: Matrix) -> Matrix:
    """Matrix product."""
    columns = list(zip(*right, strict=True))
    return [[dot(row, column) for column in columns] for row in left]
