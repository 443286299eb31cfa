"""Two bots, block by block: whether the one is stronger, and when that is known (docs/compare.md).

A block is a deal with all its seatings. Its score is the mean of what the first bot took from the second in
it, from 0 to 1. Blocks are independent of each other; nothing is assumed about what happens within one.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterable
from enum import StrEnum
from statistics import NormalDist

import msgspec

from arena.model import Bounds, Scale
from arena.ratings import passage
from arena.ratings.likelihood import mean_misses, normalised_misses, odds

ELO = 400 / math.log(10)
NORMALISED = 2 * ELO
"""Makes the two scales agree for small differences of bots that never tie."""

EVEN = 0.5

UNSEEN = 1e-3
"""Weight of an atom that may occur and did not: with it every claim is possible, and none is helped."""

QUARTER = 0.25
"""Weight that each atom has beyond its count in an interval: with few blocks it then holds what it says."""

TELLING = 5
"""The test decides only after so many blocks that were not even: before, luck can look like certainty."""

CONFIDENCE = 0.95

LIVE_FROM = 10
"""Blocks before which there is no live interval."""

LIVE_SHARE = 0.1
"""Of the planned blocks: about where the live interval is at its narrowest."""

WORK = 640_000.0
"""Matches that a test with errors of 5 % takes where a claim is true, times the square of their distance."""

FARTHEST = 20_000.0
"""Elo at which a search for an end of an interval gives up."""

PRECISION = 1e-6
"""Elo to which an end of an interval is searched."""

Interval = tuple[float, float]


class Verdict(StrEnum):
    """What a sequential test came to."""

    H1 = "H1"
    H0 = "H0"
    ALIKE = "alike"
    """Nearly all blocks were even: neither bound other than 0 can be reached."""


class Sample(msgspec.Struct, frozen=True):
    """Scores of blocks, counted."""

    counts: tuple[tuple[float, float], ...]
    """(score, how many blocks), sorted; a score that may occur and did not has 0."""
    matches: int
    """In a block."""

    @property
    def weight(self) -> float:
        """Sum of the counts."""
        return math.fsum(count for _, count in self.counts)

    @property
    def blocks(self) -> int:
        """How many there are."""
        return round(self.weight)

    @property
    def telling(self) -> int:
        """Blocks that were not even."""
        return round(math.fsum(count for score, count in self.counts if score != EVEN))

    @property
    def score(self) -> float:
        """Mean; one half without any block."""
        return _moments(self.counts)[0] if self.blocks else EVEN

    @property
    def variance(self) -> float:
        """Mean square distance to the mean."""
        return _moments(self.counts)[1] if self.blocks else 0.0

    @property
    def deviation(self) -> float:
        """Standard deviation of a single match, were the matches of a block independent."""
        return math.sqrt(self.matches * self.variance)

    def weighted(self, *, unseen: float = 0.0, extra: float = 0.0) -> "Sample":
        """The same, both ends among the atoms, with a weight for those unseen and an extra one for all."""
        found = {0.0: 0.0, 1.0: 0.0, **dict(self.counts)}
        counts = ((score, (count or unseen) + extra) for score, count in found.items())
        return Sample(tuple(sorted(counts)), self.matches)


class Estimate(msgspec.Struct, frozen=True):
    """A difference with its 95 % interval."""

    elo: float
    low: float
    high: float


def sample(scores: Iterable[float], matches: int) -> Sample:
    """Count scores of blocks of so many matches."""
    return Sample(tuple(sorted(Counter(scores).items())), matches)


def logistic_elo(score: float) -> float:
    """Elo at which that score is expected; infinite for 0 and 1."""
    if not 0 < score < 1:
        return math.copysign(math.inf, score - EVEN)
    return ELO * math.log(score / (1 - score))


def expected_score(elo: float) -> float:
    """Of who is that many Elo stronger."""
    return 1 / (1 + 10 ** (-elo / 400))


def normalised_elo(score: float, deviation: float) -> float:
    """Distance of a score to one half in standard deviations of a match, in Elo; infinite without any."""
    if deviation <= 0:
        return 0.0 if score == EVEN else math.copysign(math.inf, score - EVEN)
    return NORMALISED * (score - EVEN) / deviation


def difference(seen: Sample, scale: Scale) -> float:
    """What the blocks show, on a scale; infinite where every one went the same way."""
    if scale is Scale.LOGISTIC:
        return logistic_elo(seen.score)
    return normalised_elo(seen.score, seen.deviation)


def superiority(seen: Sample) -> float:
    """Likelihood that the first bot is the stronger, after a number of blocks that was fixed before."""
    if not seen.variance:
        return EVEN if seen.score == EVEN else float(seen.score > EVEN)
    return NormalDist().cdf((seen.score - EVEN) / math.sqrt(seen.variance / seen.blocks))


# The test


def lines(bounds: Bounds) -> Interval:
    """Log-likelihood ratios at which the test ends: for H0, for H1."""
    return (
        math.log(bounds.beta / (1 - bounds.alpha)),
        math.log((1 - bounds.beta) / bounds.alpha),
    )


def ratio(seen: Sample, bounds: Bounds) -> float:
    """Logarithm of how much likelier H1 makes the blocks than H0 does; 0 without any."""
    if not seen.blocks:
        return 0.0
    return _ratio(seen.weighted(unseen=UNSEEN), bounds)


def decided(seen: Sample, bounds: Bounds) -> Verdict | None:
    """What the test has come to; None while it goes on."""
    if seen.telling >= TELLING:
        low, high = lines(bounds)
        value = ratio(seen, bounds)
        if low < value < high:
            return None
        return Verdict.H1 if value >= high else Verdict.H0
    within_reach = reach(seen, bounds)
    unlike = [abs(elo) for elo in (bounds.elo0, bounds.elo1) if elo]
    return Verdict.ALIKE if within_reach < min(unlike) else None


def reach(seen: Sample, bounds: Bounds) -> float:
    """Elo that the two are at most apart, by how few blocks were not even.

    Were d the share of such blocks, their mean could not be further from one half than sqrt(d / (1 - d))
    standard deviations, and d / 2 in all. It holds at every count of them below `TELLING` with the same
    chance, so that being wrong at any costs no more than the bounds allow.
    """
    share = _most(seen.telling, seen.blocks, min(bounds.alpha, bounds.beta) / TELLING)
    if share >= 1:
        return math.inf
    if bounds.scale is Scale.LOGISTIC:
        return logistic_elo(EVEN + share / 2)
    return NORMALISED * math.sqrt(share / (1 - share) / seen.matches)


def planned_blocks(bounds: Bounds, matches: int) -> int:
    """About how many blocks a test takes where one of its claims is true."""
    return max(1, math.ceil(WORK / (bounds.elo1 - bounds.elo0) ** 2 / matches))


def blocks_left(seen: Sample, bounds: Bounds) -> float | None:
    """Expected number of blocks until the test ends, were the difference what it is so far.

    None before any, and where a line is passed while too few blocks were uneven.
    """
    if not seen.blocks:
        return None
    mean, variance = _steps(_smooth(seen), bounds)
    low, high = lines(bounds)
    value = ratio(seen, bounds)
    if not low < value < high:
        return 0.0 if decided(seen, bounds) else None
    return passage.time_inside(passage.Walk(mean / variance, low - value, high - value)) / variance


# Intervals


def fixed_interval(seen: Sample, scale: Scale) -> Interval:
    """95 % interval after a number of blocks that was fixed before: all claims that fit well enough.

    It follows from the likelihood of the blocks alone, so it is there for every score, 0 and 1 as well.
    """
    weighted = seen.weighted(extra=QUARTER)
    middle = difference(weighted, scale)
    limit = NormalDist().inv_cdf((1 + CONFIDENCE) / 2) ** 2

    def fits(elo: float) -> bool:
        return 2 * _misfit(weighted, scale, elo) <= limit

    return _last(fits, middle, -1.0), _last(fits, middle, 1.0)


def live_interval(seen: Sample, scale: Scale, planned: int) -> Interval | None:
    """Interval that may be looked at after every block: 95 % that it is never wrong, whenever one stops.

    A normal mixture confidence sequence for the score, at its best at about `LIVE_SHARE` of the planned
    blocks, and the differences that its ends stand for; None before `LIVE_FROM` blocks.
    """
    blocks = seen.blocks
    if blocks < LIVE_FROM:
        return None
    smooth = _smooth(seen)
    mixed = LIVE_SHARE * planned
    spread = math.log((blocks + mixed) / (mixed * (1 - CONFIDENCE) ** 2))
    width = math.sqrt(smooth.variance * (blocks + mixed) / (blocks * (blocks - 1)) * spread)
    low, high = (_at_score(smooth, scale, smooth.score + side * width) for side in (-1, 1))
    return low, high


def stopped_estimate(seen: Sample, bounds: Bounds, *, look: int) -> Estimate:
    """Difference after a test that looked every `look` blocks: as often too high as too low.

    The estimate and the ends of its interval are the differences at which an outcome better than this one, of
    all that such a test may have, has a chance of 50, 2.5 and 97.5 %. For each difference the log-likelihood
    ratio is a walk whose steps are those of the likeliest scores with that difference.
    """
    smooth = _smooth(seen)
    reached = _ratio(smooth, bounds) * seen.blocks / smooth.weight
    last = (seen.blocks - 1) % look + 1

    def better(elo: float) -> float:
        mean, variance = _steps(_claimed(smooth, bounds.scale, elo), bounds)
        late = passage.LATE * math.sqrt(variance * look)
        low, high = lines(bounds)
        walk = passage.Walk(mean / variance, low - late, high + late)
        return passage.chance_above(
            walk, reached, before=variance * (seen.blocks - last), after=variance * last
        )

    start = difference(smooth, bounds.scale)
    tail = (1 - CONFIDENCE) / 2
    middle, lower, upper = (_where(better, chance, start) for chance in (0.5, tail, 1 - tail))
    return Estimate(middle, lower, upper)


def _where(chance: Callable[[float], float], wanted: float, start: float) -> float:
    """The difference at which a chance that rises with it is the wanted one."""
    upper = _last(lambda elo: chance(elo) < wanted, start, 1.0)
    return upper if upper != start else _last(lambda elo: chance(elo) >= wanted, start, -1.0)


def _last(holds: Callable[[float], bool], start: float, sign: float) -> float:
    """How far from the start, in one direction, something holds; infinite if it never ends."""
    if not holds(start):
        return start
    step, inner = 1.0, start
    while holds(outer := start + sign * step):
        inner, step = outer, 2 * step
        if step > FARTHEST:
            return sign * math.inf
    while abs(outer - inner) > PRECISION:
        middle = (inner + outer) / 2
        inner, outer = (middle, outer) if holds(middle) else (inner, middle)
    return inner


def _at_score(seen: Sample, scale: Scale, score: float) -> float:
    """The difference under the likeliest distribution with that mean; infinite beyond 0 and 1."""
    elo = logistic_elo(min(1.0, max(0.0, score)))
    if math.isinf(elo):
        return elo
    return difference(_claimed(seen, Scale.LOGISTIC, elo), scale)


def _smooth(seen: Sample) -> Sample:
    """The sample as estimates see it, in which no two claims are infinitely far apart."""
    return seen.weighted(unseen=QUARTER)


def _steps(seen: Sample, bounds: Bounds) -> tuple[float, float]:
    """Mean and variance of what a block adds to the log-likelihood ratio, where blocks come like these."""
    steps = _log_odds(seen, bounds)
    mean = math.fsum(count * step for (_, count), step in zip(seen.counts, steps, strict=True)) / seen.weight
    square = math.fsum(
        count * (step - mean) ** 2 for (_, count), step in zip(seen.counts, steps, strict=True)
    )
    return mean, square / seen.weight


def _ratio(seen: Sample, bounds: Bounds) -> float:
    return math.fsum(
        count * step for (_, count), step in zip(seen.counts, _log_odds(seen, bounds), strict=True)
    )


def _log_odds(seen: Sample, bounds: Bounds) -> list[float]:
    """By atom, the logarithm of how much likelier H1 makes it than H0."""
    under_0, under_1 = (_odds(seen, bounds.scale, elo) for elo in (bounds.elo0, bounds.elo1))
    return [math.log(zero / one) for zero, one in zip(under_0, under_1, strict=True)]


def _claimed(seen: Sample, scale: Scale, elo: float) -> Sample:
    """The likeliest distribution with that difference, as counts."""
    odds_of = _odds(seen, scale, elo)
    counts = tuple((score, count / odd) for (score, count), odd in zip(seen.counts, odds_of, strict=True))
    return Sample(counts, seen.matches)


def _misfit(seen: Sample, scale: Scale, elo: float) -> float:
    """How much log-likelihood the claim of that difference costs."""
    odds_of = _odds(seen, scale, elo)
    return math.fsum(count * math.log(odd) for (_, count), odd in zip(seen.counts, odds_of, strict=True))


def _odds(seen: Sample, scale: Scale, elo: float) -> list[float]:
    """By atom, its share over what it likeliest is if the difference is that."""
    whole = seen.weight
    shares = [count / whole for _, count in seen.counts]
    atoms = [score for score, _ in seen.counts]
    if scale is Scale.LOGISTIC:
        misses = mean_misses(atoms, expected_score(elo))
    else:
        misses = normalised_misses(atoms, shares, elo / NORMALISED * math.sqrt(seen.matches))
    return odds(shares, misses)


def _moments(counts: Iterable[tuple[float, float]]) -> tuple[float, float]:
    pairs = list(counts)
    whole = math.fsum(count for _, count in pairs)
    mean = math.fsum(score * count for score, count in pairs) / whole
    return mean, math.fsum(count * (score - mean) ** 2 for score, count in pairs) / whole


def _most(telling: int, blocks: int, chance: float) -> float:
    """Share of telling blocks at which so few of them would have that chance; 1.0 where all would do."""
    if telling >= blocks:
        return 1.0
    low, high = telling / blocks, 1.0
    while low < (middle := (low + high) / 2) < high:
        few = math.fsum(
            math.comb(blocks, number) * middle**number * (1 - middle) ** (blocks - number)
            for number in range(telling + 1)
        )
        low, high = (middle, high) if few > chance else (low, middle)
    return high
