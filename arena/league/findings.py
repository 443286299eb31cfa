"""What a comparison has come to: while it is played, and at its end."""

import math
from collections.abc import Iterable

import msgspec

from arena.league.course import standing
from arena.league.schedules.compare import comparison_of, matches_of, seen, side_of
from arena.model import Comparison, League, Result
from arena.ratings import sequential
from arena.ratings.sequential import Estimate, Interval, Sample, Verdict
from arena.store import Store


class Finding(msgspec.Struct, frozen=True):
    """What a comparison has come to so far, or at its end."""

    league: League
    sample: Sample
    ended: bool
    verdict: Verdict | None
    """Of the sequential test; None where it has none."""
    ratio: float
    """Log-likelihood of H1 over that of H0."""
    planned: int
    """Boards that were expected."""
    faults: tuple[int, int, int]
    """Committed by the new one, by the old one, by the others."""
    matches: int
    missing: int
    """Tables of the batch that is being played."""
    won: int
    """Boards of which the new one took more than half."""
    lost: int

    @property
    def asked(self) -> Comparison:
        """What is compared."""
        return comparison_of(self.league)

    @property
    def alike(self) -> float:
        """Share of boards on which neither took more; 0.0 before any."""
        boards = self.sample.blocks
        return (boards - self.sample.telling) / boards if boards else 0.0

    @property
    def live(self) -> Interval | None:
        """Interval that holds however often it is looked at."""
        return sequential.live_interval(self.sample, self.asked.bounds.scale, self.planned)

    @property
    def boards_left(self) -> int | None:
        """Expected, in whole batches and at most what is allowed; None where nothing can be expected yet."""
        left = self.league.extensions[-1].boards - self.sample.blocks
        if self.ended:
            return 0
        if self.asked.fixed:
            return left
        expected = sequential.blocks_left(self.sample, self.asked.bounds)
        return (
            None if expected is None else min(math.ceil(expected / self.asked.batch) * self.asked.batch, left)
        )

    def estimate(self) -> Estimate | None:
        """Difference with its interval, right for how the comparison ended; None before its end."""
        if not self.ended or not self.sample.blocks:
            return None
        scale = self.asked.bounds.scale
        if self.asked.fixed or self.verdict is Verdict.ALIKE:
            elo = sequential.difference(self.sample, scale)
            return Estimate(elo, *sequential.fixed_interval(self.sample, scale))
        return sequential.stopped_estimate(self.sample, self.asked.bounds, look=self.asked.batch)


def found_so_far(store: Store, league: League) -> Finding:
    """What the boards of the batches that were wholly played say."""
    asked, at = comparison_of(league), standing(store, league)
    found = seen(league, at.played)
    results = [row for each in at.played for row in each.results]
    return Finding(
        league=league,
        sample=found,
        ended=at.end is not None,
        verdict=None if asked.fixed else sequential.decided(found, asked.bounds),
        ratio=sequential.ratio(found, asked.bounds),
        planned=_planned(league),
        faults=_faults(asked, results),
        matches=len(results),
        missing=at.missing,
        won=_boards_where(found, 1),
        lost=_boards_where(found, -1),
    )


def _planned(league: League) -> int:
    asked = comparison_of(league)
    if asked.fixed:
        return league.extensions[-1].boards
    return sequential.planned_blocks(asked.bounds, matches_of(league))


def _boards_where(found: Sample, sign: int) -> int:
    return round(sum(times for score, times in found.counts if sign * (score - sequential.EVEN) > 0))


def _faults(asked: Comparison, results: Iterable[Result]) -> tuple[int, int, int]:
    new = old = every = 0
    for row in results:
        new += len(row.faults[side_of(row, asked.new)])
        old += len(row.faults[side_of(row, asked.old)])
        every += sum(map(len, row.faults))
    return new, old, every - new - old
