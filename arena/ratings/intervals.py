"""How sure a rating is: one covariance from boards as clusters, and what is read off it."""

import math
from collections.abc import Mapping, Sequence

from arena.ratings import student
from arena.ratings.linear import Matrix, product
from arena.ratings.pairs import Contrast, Pool, Tally, weight

CONFIDENCE = 0.95
LOS_MIN_BOARDS = 5
"""Below so many boards of either bot a chance would be a claim about luck."""

LEAST_LEFT = 0.3
"""Of what a board says against a fit that follows it, at least so much is taken to be left."""


def logistic(value: float) -> float:
    """Expected score at that advantage in logits; never overflows."""
    small = math.exp(-abs(value))
    return 1 / (1 + small) if value >= 0 else small / (1 + small)


def board_noise(pool: Pool, strengths: Sequence[float], inverse: Sequence[Sequence[float]]) -> Matrix:
    """Sum over boards of g g', where g is how a board pulled at each bot. Assumes nothing within a board.

    The fit follows each board a little, so what a board says against it is less than it would be were the
    board left out. That is made good by its leverage, with `inverse` of the curvature; zeros leave it so.
    """
    size = len(strengths)
    noise = [[0.0] * size for _ in range(size)]
    for signature, times in pool.boards.items():
        pull: dict[int, float] = {}
        leverage = 0.0
        for (contrast, sides, twice), count in signature:
            expected = logistic(sum(part * strengths[bot] for bot, part in contrast))
            share = weight(sides) * count
            for bot, part in contrast:
                pull[bot] = pull.get(bot, 0.0) + share * (twice / 2 - expected) * part
            leverage += share * expected * (1 - expected) * _spread(contrast, inverse)
        add_pull(noise, pull, times=times, leverage=leverage / (len(pull) - 1))
    return noise


def add_pull(noise: Matrix, pull: Mapping[int, float], *, times: int, leverage: float) -> None:
    """Add what so many boards did that all pulled so, as strongly as if the fit had not followed them."""
    grown = times / max(1 - leverage, LEAST_LEFT) ** 2
    for bot, value in pull.items():
        row = noise[bot]
        for other, other_value in pull.items():
            row[other] += grown * value * other_value


def _spread(contrast: Contrast, matrix: Sequence[Sequence[float]]) -> float:
    """Variance of the contrast under a covariance."""
    return sum(
        part * other_part * matrix[bot][other] for bot, part in contrast for other, other_part in contrast
    )


def covariance(
    noise: Matrix, *, boards: int, curvature: Matrix, inverse: Matrix, prior: Sequence[float]
) -> Matrix:
    """Covariance of what was fitted: the boards' own noise, mixed with the model's while boards are few.

    With B boards and n numbers that were fitted the boards' noise weighs B^2 / (B^2 + n^2). `curvature` is
    the data's alone; `prior` is the diagonal that the phantom matches add; `inverse` that of their sum.
    """
    share = boards**2 / (boards**2 + len(noise) ** 2) if boards > 1 else 0.0
    factor = share * (boards - 1) / boards
    middle = [
        [factor * own + (1 - share) * model for own, model in zip(*rows, strict=True)]
        for rows in zip(noise, curvature, strict=True)
    ]
    for i, curve in enumerate(prior):
        middle[i][i] += curve
    return product(product(inverse, middle), inverse)


def freedom(pool: Pool) -> int:
    """Degrees of freedom of every interval: boards - 1 + bots."""
    return pool.board_count() - 1 + len(pool.entrants)


def half_width(error: float, degrees: int) -> float:
    """Half of the two-sided 95 % interval for a standard error."""
    return student.quantile((1 + CONFIDENCE) / 2, degrees) * error


def variance_to_mean(matrix: Sequence[Sequence[float]]) -> list[float]:
    """Variance of each bot's strength less the mean of all."""
    size = len(matrix)
    rows = [math.fsum(row) / size for row in matrix]
    whole = math.fsum(rows) / size
    return [max(0.0, matrix[i][i] - 2 * rows[i] + whole) for i in range(size)]


def variance_between(matrix: Sequence[Sequence[float]], i: int, j: int) -> float:
    """Variance of the difference of two bots."""
    return max(0.0, (matrix[i][i] + matrix[j][j]) - (matrix[i][j] + matrix[j][i]))


def superiority(difference: float, error: float, degrees: int) -> float:
    """Likelihood that the first of two is the stronger; one half where nothing tells them apart."""
    return student.cdf(difference / error, degrees) if error > 0 else 0.5


def rank_ranges(
    strengths: Sequence[float], matrix: Sequence[Sequence[float]], degrees: int
) -> list[tuple[int, int]]:
    """Best and worst rank of each bot that the data allow, held jointly over its comparisons (Bonferroni)."""
    size = len(strengths)
    surely = 1 - (1 - CONFIDENCE) / (2 * max(1, size - 1))
    better, worse = [0] * size, [0] * size
    limit = student.quantile(surely, degrees)
    for i in range(size):
        for j in range(size):
            error = math.sqrt(variance_between(matrix, i, j))
            if i != j and strengths[i] - strengths[j] > limit * error:
                worse[i] += 1
                better[j] += 1
    return [(1 + better[i], size - worse[i]) for i in range(size)]


def perfect_bounds(pool: Pool, strengths: Sequence[float], tally: Sequence[Tally]) -> list[float | None]:
    """One-sided 95 % bounds of the bots that won or lost every comparison; None for the others.

    A bot so strong that it wins one board with chance p wins all N with chance p**N: the bound is where that
    is 5 %, seen from the mean of those it met. A board counts once, however many matches it had.
    """
    bounds: list[float | None] = [None] * len(strengths)
    for bot, record in enumerate(tally):
        if record.twice not in (0, 2 * record.pairs):
            continue
        sign = 1 if record.twice else -1
        chance = (1 - CONFIDENCE) ** (1 / record.boards)
        advantage = sign * math.log(chance / (1 - chance))
        bounds[bot] = _at_advantage(pool, strengths, bot, advantage)
    return bounds


def _at_advantage(pool: Pool, strengths: Sequence[float], bot: int, advantage: float) -> float:
    """The strength at which the bot's mean advantage over those it met is so many logits."""
    own, others, pairs = 0.0, 0.0, 0
    for (contrast, _, _), count in pool.cells().items():
        mine = dict(contrast).get(bot)
        if mine is not None:
            rest = sum(part * strengths[other] for other, part in contrast if other != bot)
            own += count * abs(mine)
            others += count * (rest if mine > 0 else -rest)
            pairs += count
    return (advantage * pairs - others) / own
