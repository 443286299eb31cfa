"""Whether the seat matters: what each scored over whole boards, and a test of that.

On a complete board every bot has had every seat, so strength cancels; what is left is the seat's. Boards are
the clusters, as everywhere.
"""

import math
from collections import Counter
from collections.abc import Iterable, Sequence

import msgspec

from arena.model import Result
from arena.ratings import intervals
from arena.ratings.linear import Matrix, SingularError, cholesky, dot, solve

TEST_MIN_BOARDS = 10
"""Before so many boards the test would say little, and that not well."""

Scores = tuple[float, ...]
"""By seat: its mean share of the points on one board, one half is fair."""


class Seats(msgspec.Struct, frozen=True):
    """What sides that sit at the same place scored, whoever they were."""

    scores: tuple[float, ...]
    """By seat, mean share of the points; one half is fair."""
    errors: tuple[float, ...] | None
    """Halves of their 95 % intervals; None before the second board."""
    boards: int
    test: "Bias | None"
    """None before there are enough boards."""


class Bias(msgspec.Struct, frozen=True):
    """Chi-square test of the claim that all seats are as good."""

    statistic: float
    freedom: int
    chance: float
    """Of a statistic as large where the claim is true, the p-value."""


def seat_scores(results: Iterable[Result]) -> Seats | None:
    """What the seats of one kind of table scored; None without results."""
    boards = _boards(results)
    size = sum(boards.values())
    if not size:
        return None
    means = _means(boards, size)
    return Seats(means, _errors(boards, means, size), size, _test(boards, means, size))


def _boards(results: Iterable[Result]) -> Counter[Scores]:
    """How many boards went exactly so, sorted."""
    points: dict[str, list[int]] = {}
    matches: Counter[str] = Counter()
    for row in results:
        total = points.setdefault(row.board, [0] * len(row.places))
        matches[row.board] += 1
        for seat, place in enumerate(row.places):
            total[seat] += sum((place < other) - (place > other) for other in row.places)
    found = Counter(
        tuple(0.5 + each / (2 * matches[board] * (len(total) - 1)) for each in total)
        for board, total in points.items()
    )
    return Counter(dict(sorted(found.items())))


def _means(boards: Counter[Scores], size: int) -> Scores:
    return tuple(
        math.fsum(times * value for value, times in zip(column, boards.values(), strict=True)) / size
        for column in zip(*boards, strict=True)
    )


def _errors(boards: Counter[Scores], means: Scores, size: int) -> Scores | None:
    if size == 1:
        return None
    spread = _moments(boards, means, size)
    return tuple(
        intervals.half_width(math.sqrt(spread[i][i] / (size - 1)), size - 1) for i in range(len(means))
    )


def _moments(boards: Counter[Scores], middle: Sequence[float], size: int) -> Matrix:
    """Mean products of what the seats' scores are above a middle."""
    off = [
        ([score - fair for score, fair in zip(row, middle, strict=True)], times)
        for row, times in boards.items()
    ]
    return [
        [math.fsum(times * row[i] * row[j] for row, times in off) / size for j in range(len(middle))]
        for i in range(len(middle))
    ]


def _test(boards: Counter[Scores], means: Scores, size: int) -> Bias | None:
    """The score test: the spread is taken about one half, as the claim has it."""
    if size < TEST_MIN_BOARDS:
        return None
    spread = _moments(boards, [0.5] * len(means), size)
    kept = _independent(spread)
    above = [means[i] - 0.5 for i in kept]
    statistic = size * dot(above, solve(cholesky(_part(spread, kept)), above)) if kept else 0.0
    return Bias(statistic, len(kept), chi_square_tail(statistic, len(kept)))


def _independent(spread: Matrix) -> list[int]:
    """Seats of which none follows from the others: one less than all, as a rule."""
    kept: list[int] = []
    for seat in range(len(spread) - 1):
        try:
            cholesky(_part(spread, [*kept, seat]))
        except SingularError:
            continue
        kept.append(seat)
    return kept


def _part(matrix: Matrix, places: Sequence[int]) -> Matrix:
    return [[matrix[i][j] for j in places] for i in places]


def chi_square_tail(value: float, freedom: int) -> float:
    """Chance that a chi-square variate is above the value; 1 without any freedom."""
    half = value / 2
    tail = math.erfc(math.sqrt(half)) if freedom % 2 else math.exp(-half) if freedom else 1.0
    for twice in range(2 - freedom % 2, freedom, 2):
        tail += half ** (twice / 2) * math.exp(-half) / math.gamma(twice / 2 + 1)
    return tail
