"""What a league is about to play, without playing or writing anything."""

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain, islice

import msgspec

from arena.games import GAMES
from arena.league.batches import Size
from arena.league.course import Course, course_of
from arena.league.schedule import schedule_of, size_of
from arena.model import Entrant, League, TableJob
from arena.store import Store

MOST_TABLES = 50_000
"""So many tables are looked at; a round robin of many bots has millions."""

MOST_TIMES = 500
"""Matches whose times are looked at, the newest."""

GUESSED_MATCH_MS = 500.0
"""Where no match of the game was played yet: bots that think, but not long."""

GUESSED_START_MS = 300.0
"""Of the processes of a table, which nothing measures."""


class Spread(msgspec.Struct, frozen=True):
    """How evenly something is spread."""

    what: str
    least: int
    mean: float
    most: int


class Meeting(msgspec.Struct, frozen=True):
    """What one line-up plays."""

    sides: tuple[tuple[Entrant, ...], ...]
    tables: int
    matches: int


class Preview(msgspec.Struct, frozen=True):
    """The tables that can be told beforehand, and how evenly they are spread."""

    size: Size
    """Of the whole league."""
    meetings: tuple[Meeting, ...]
    spreads: tuple[Spread, ...]
    tables: int
    """That were looked at: all, or those of the next batch, or the first `MOST_TABLES`."""
    done: int
    """Of the whole league, that are played."""
    adapts: bool
    """Whether these are the next batch alone, because results choose the others."""


class Estimate(msgspec.Struct, frozen=True):
    """How long something takes."""

    match_ms: float
    measured: int
    """Matches that this is the mean of; 0 where it is a guess."""

    def seconds(self, size: Size, done: int, jobs: int) -> float:
        """For the tables that are not done, so many at a time."""
        table_ms = GUESSED_START_MS + self.match_ms * size.matches / max(size.tables, 1)
        return max(size.tables - done, 0) * table_ms / 1000 / jobs


def preview(store: Store, league: League, *, stands: bool) -> Preview:
    """What a league plays, or what it plays next; `stands` says whether it is in the store."""
    adapts = schedule_of(league).adapts
    course = course_of(store, league) if adapts and stands else Course(league, finished=(), results=_nothing)
    jobs = list(islice(_next(course) if adapts else chain.from_iterable(course.batches()), MOST_TABLES))
    done = len(store.finished(league.name)) if stands else 0
    meetings, spreads = tuple(_meetings(league, jobs)), tuple(_spreads(league, jobs))
    return Preview(size_of(league), meetings, spreads, len(jobs), done, adapts)


def estimate(store: Store, league: League) -> Estimate:
    """From the times of earlier matches, or guessed."""
    times = store.match_times(league.game, league.players, most=MOST_TIMES)
    return Estimate(math.fsum(times) / len(times) if times else GUESSED_MATCH_MS, len(times))


def _nothing(_before: str) -> tuple[()]:
    return ()


def _next(course: Course) -> Iterator[TableJob]:
    """What the first batch that is not played wholly is missing."""
    for batch in course.batches():
        first = next(batch, None)
        if first is not None:
            return chain([first], batch)
    return iter(())


def _sides(league: League, job: TableJob) -> list[tuple[Entrant, ...]]:
    return [tuple(job.seating[seat] for seat in side) for side in GAMES[league.game].sides(league.players)]


def _meetings(league: League, jobs: Sequence[TableJob]) -> Iterator[Meeting]:
    tables: Counter[tuple[tuple[Entrant, ...], ...]] = Counter()
    matches: Counter[tuple[tuple[Entrant, ...], ...]] = Counter()
    for job in jobs:
        line_up = tuple(sorted(tuple(sorted(side)) for side in _sides(league, job)))
        tables[line_up] += 1
        matches[line_up] += len(job.boards)
    return (Meeting(line_up, count, matches[line_up]) for line_up, count in tables.items())


def _spreads(league: League, jobs: Sequence[TableJob]) -> Iterator[Spread]:
    """In matches; whoever could be counted and never was counts as none."""
    met: Counter[frozenset[Entrant]] = Counter()
    seats: Counter[tuple[Entrant, int]] = Counter()
    played: Counter[Entrant] = Counter()
    for job in jobs:
        sides = _sides(league, job)
        pairs = {
            frozenset((one, other))
            for number, side in enumerate(sides)
            for rest in sides[number + 1 :]
            for one in side
            for other in rest
        }
        met.update(dict.fromkeys((pair for pair in pairs if len(pair) > 1), len(job.boards)))
        played.update(dict.fromkeys(job.seating, len(job.boards)))
        seats.update({(bot, seat): len(job.boards) for seat, bot in enumerate(job.seating)})
    bots = len({*played, *league.extensions[-1].entrants})
    yield _spread("matches of a bot", played, bots)
    yield _spread("matches of two bots against each other", met, math.comb(bots, 2))
    yield _spread("matches of a bot in one seat", seats, bots * league.players)


def _spread(
    what: str, counts: Counter[Entrant] | Counter[frozenset[Entrant]] | Counter[tuple[Entrant, int]], of: int
) -> Spread:
    values = list(counts.values())
    least = min(values, default=0) if len(values) == of else 0
    return Spread(what, least, sum(values) / of if of else 0.0, max(values, default=0))
