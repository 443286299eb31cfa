"""From results to ratings on the Elo scale, with what may be concluded from them."""

import math
from collections.abc import Collection, Iterable, Sequence
from enum import StrEnum

import msgspec

from arena.model import Entrant, Result
from arena.ratings import intervals
from arena.ratings.linear import Matrix, cholesky, inverse
from arena.ratings.pairs import Pool, Tally, one_way, pools, tallies
from arena.ratings.rankings import placed, rankings
from arena.ratings.strengths import curvature, pairs, prior_curvature, steepness, strongest

ELO = 400 / math.log(10)
"""Elo points of one logit: 400 points are odds of 10 to 1."""

MEAN_ELO = 1500.0
"""Where the mean of a group is put."""


class Perfect(StrEnum):
    """A bot whose comparisons all went one way: how far away it is, nothing but the prior says."""

    WON = "won"
    LOST = "lost"


class Rating(msgspec.Struct, frozen=True):
    """One bot's strength and how sure it is."""

    entrant: Entrant
    elo: float
    se: float
    """Standard error of the rating relative to the mean of its group, in Elo."""
    error: float
    """Half of its 95 % interval."""
    ranks: tuple[int, int]
    """Best and worst rank in the group that the data allow."""
    boards: int
    """On which it was compared with another bot."""
    pairs: int
    points: float
    """Taken from its pairs; a tie is one half."""
    perfect: Perfect | None
    bound: float | None
    """One-sided 95 % bound of a perfect bot: at least so strong, or at most."""


class Difference(msgspec.Struct, frozen=True):
    """How much stronger the first of two bots is than the second."""

    elo: float
    se: float
    error: float
    """Half of the 95 % interval of the difference; not to be had from the two bots' own errors."""
    los: float | None
    """Likelihood that the first is the stronger; None before both have enough boards."""


class Group(msgspec.Struct, frozen=True):
    """Bots connected through their matches; nothing is known about their distance to other groups."""

    ratings: tuple[Rating, ...]
    """Sorted by entrant."""
    covariance: tuple[tuple[float, ...], ...]
    """Of the ratings, in squared Elo, in their order."""
    boards: int
    freedom: int
    """Degrees of freedom of the intervals."""
    one_way: bool
    """Some of its bots never dropped a point to the others: their distance rests on the prior."""

    def difference(self, first: Entrant, second: Entrant) -> Difference:
        """Compare two bots of this group."""
        position = {rating.entrant: number for number, rating in enumerate(self.ratings)}
        i, j = position[first], position[second]
        elo = self.ratings[i].elo - self.ratings[j].elo
        se = math.sqrt(intervals.variance_between(self.covariance, i, j))
        enough = min(self.ratings[i].boards, self.ratings[j].boards) >= intervals.LOS_MIN_BOARDS
        los = intervals.superiority(elo, se, self.freedom) if enough else None
        return Difference(elo, se, intervals.half_width(se, self.freedom), los)


class Fit(msgspec.Struct, frozen=True):
    """Ratings of everybody that could be compared."""

    groups: tuple[Group, ...]
    """Largest first."""
    unrated: tuple[Entrant, ...]
    """Played, but never against another bot."""

    def group(self, entrant: Entrant) -> Group | None:
        """The group of a rated bot."""
        return next((g for g in self.groups if any(r.entrant == entrant for r in g.ratings)), None)

    def difference(self, first: Entrant, second: Entrant) -> Difference | None:
        """Compare two bots; None when no chain of matches connects them."""
        group = self.group(first)
        if group is None or group is not self.group(second):
            return None
        return group.difference(first, second)

    def entrants(self) -> set[Entrant]:
        """Everybody that played."""
        rated = {rating.entrant for group in self.groups for rating in group.ratings}
        return rated.union(self.unrated)

    def among(self, chosen: Collection[Entrant]) -> "Fit":
        """What the same fit says of these bots alone: means, errors and ranks are theirs."""
        groups = [_among(group, chosen) for group in self.groups]
        alone = [group.ratings[0].entrant for group in groups if len(group.ratings) == 1]
        kept = tuple(group for group in groups if len(group.ratings) > 1)
        return Fit(kept, tuple(sorted([*alone, *(each for each in self.unrated if each in chosen)])))

    def anchored(self, entrant: Entrant, elo: float) -> "Fit":
        """The same fit with one bot put at that rating: its group is moved, no error changes."""
        home = self.group(entrant)
        if home is None:
            raise ValueError(f"{entrant.name} has no rating to anchor at")
        own = next(rating.elo for rating in home.ratings if rating.entrant == entrant)
        moved = tuple(_moved(group, elo - own) if group is home else group for group in self.groups)
        return Fit(moved, self.unrated)


class Model(StrEnum):
    """How a match is read."""

    PAIRS = "pairs"
    """As its pairs: who came before whom."""
    RANKINGS = "pl"
    """As a whole ranking, place by place from the top (Plackett-Luce)."""


def fit(results: Iterable[Result], *, prior: float = 1.0, model: Model = Model.PAIRS) -> Fit:
    """Rate all bots together.

    Depends on the results as a multiset only. `prior` is in matches against a phantom, half won and half
    lost; with 0 the results must hold each group together by themselves (ValueError otherwise).
    """
    rows = results if isinstance(results, Sequence) else list(results)
    found, unrated = pools(rows)
    if model is Model.RANKINGS:
        return Fit(tuple(_by_rankings(pool, rows, prior) for pool in found), unrated)
    return Fit(tuple(_by_pairs(pool, prior) for pool in found), unrated)


def without_forfeits(results: Iterable[Result]) -> list[Result]:
    """Drop each line-up's boards on which somebody forfeited: whole, so that seats stay balanced."""
    rows = list(results)
    spoiled = {_line_up(row) for row in rows if row.forfeited()}
    return [row for row in rows if _line_up(row) not in spoiled]


def _line_up(row: Result) -> tuple[str, tuple[Entrant, ...]]:
    return row.board, tuple(sorted(entrant for side in row.sides for entrant in side))


def _by_pairs(pool: Pool, prior: float) -> Group:
    strengths = strongest(pool, prior)
    known = pairs(pool)
    bread = inverse(cholesky(steepness(known, strengths, prior)))
    matrix = intervals.covariance(
        intervals.board_noise(pool, strengths, bread),
        boards=pool.board_count(),
        curvature=curvature(known, strengths),
        inverse=bread,
        prior=prior_curvature(strengths, prior),
    )
    return _group(pool, strengths, matrix)


def _by_rankings(pool: Pool, results: Iterable[Result], prior: float) -> Group:
    size = len(pool.entrants)
    values, matrix = placed(rankings(pool.entrants, results), prior)
    return _group(pool, values[:size], [row[:size] for row in matrix[:size]])


def _group(pool: Pool, strengths: list[float], matrix: Matrix) -> Group:
    return Group(
        ratings=_ratings(pool, strengths, matrix),
        covariance=tuple(tuple(ELO * ELO * value for value in row) for row in matrix),
        boards=pool.board_count(),
        freedom=intervals.freedom(pool),
        one_way=one_way(pool),
    )


def _ratings(pool: Pool, strengths: list[float], matrix: Matrix) -> tuple[Rating, ...]:
    origin = MEAN_ELO - ELO * math.fsum(strengths) / len(strengths)
    records = tallies(pool)
    bounds = [
        None if bound is None else origin + ELO * bound
        for bound in intervals.perfect_bounds(pool, strengths, records)
    ]
    spreads = _spreads(strengths, matrix, intervals.freedom(pool))
    return tuple(
        Rating(
            entrant=entrant,
            elo=origin + ELO * strengths[i],
            se=ELO * spreads[i].se,
            error=ELO * spreads[i].error,
            ranks=spreads[i].ranks,
            boards=records[i].boards,
            pairs=records[i].pairs,
            points=records[i].twice / 2,
            perfect=_perfect(records[i]),
            bound=bounds[i],
        )
        for i, entrant in enumerate(pool.entrants)
    )


class _Spread(msgspec.Struct, frozen=True):
    """How sure one of several numbers is, relative to their mean and among them."""

    se: float
    error: float
    ranks: tuple[int, int]


def _spreads(values: Sequence[float], matrix: Sequence[Sequence[float]], degrees: int) -> list[_Spread]:
    ranks = intervals.rank_ranges(values, matrix, degrees)
    errors = map(math.sqrt, intervals.variance_to_mean(matrix))
    return [
        _Spread(se, intervals.half_width(se, degrees), own) for se, own in zip(errors, ranks, strict=True)
    ]


def _among(group: Group, chosen: Collection[Entrant]) -> Group:
    places = [i for i, rating in enumerate(group.ratings) if rating.entrant in chosen]
    matrix = tuple(tuple(group.covariance[i][j] for j in places) for i in places)
    kept = [group.ratings[i] for i in places]
    spreads = _spreads([rating.elo for rating in kept], matrix, group.freedom)
    ratings = tuple(
        msgspec.structs.replace(rating, se=spread.se, error=spread.error, ranks=spread.ranks)
        for rating, spread in zip(kept, spreads, strict=True)
    )
    shift = MEAN_ELO - math.fsum(rating.elo for rating in kept) / len(kept) if kept else 0.0
    return _moved(msgspec.structs.replace(group, ratings=ratings, covariance=matrix), shift)


def _perfect(record: Tally) -> Perfect | None:
    if record.twice == 0:
        return Perfect.LOST
    return Perfect.WON if record.twice == 2 * record.pairs else None


def _moved(group: Group, shift: float) -> Group:
    ratings = []
    for rating in group.ratings:
        bound = None if rating.bound is None else rating.bound + shift
        ratings.append(msgspec.structs.replace(rating, elo=rating.elo + shift, bound=bound))
    return msgspec.structs.replace(group, ratings=tuple(ratings))
