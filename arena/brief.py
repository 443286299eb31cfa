"""Results in brief: boards that went alike are counted, not listed, so that a million matches fit on a page.

Nothing that ratings and standings depend on is lost, and they come out the same to the last bit: counts are
whole numbers, and scores are added as fractions, of which a well rounded sum of floats is the nearest float.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from functools import cached_property
from math import fsum
from typing import overload

import msgspec

from arena.model import Entrant, Result


class Alike(msgspec.Struct, frozen=True):
    """Boards that went alike."""

    results: tuple[Result, ...]
    """All matches of one of them, sorted by who sat where; without the board's key and without scores."""
    times: int


class Score(msgspec.Struct, frozen=True):
    """Game points of a bot."""

    matches: int
    """That were played to their end."""
    total: Fraction
    """In each match the mean over its sides."""


class Brief(msgspec.Struct, frozen=True):
    """What many results come to."""

    boards: tuple[Alike, ...]
    """In no order that means anything."""
    scores: dict[Entrant, Score]

    def same(self, other: "Brief") -> bool:
        """Whether another one comes to the same."""
        one, two = ({alike.results: alike.times for alike in brief.boards} for brief in (self, other))
        return self.scores == other.scores and one == two


class Gathering:
    """Makes a brief, board by board."""

    def __init__(self) -> None:
        self._times: Counter[tuple[Result, ...]] = Counter()
        self._matches: Counter[Entrant] = Counter()
        self._totals: dict[Entrant, Fraction] = {}

    def board(self, results: Iterable[Result], times: int = 1) -> None:
        """Count a whole board."""
        rows = sorted(results, key=lambda row: row.sides)
        self._times[tuple(msgspec.structs.replace(row, board="", scores=None) for row in rows)] += times
        for row in rows:
            for entrant, own in sides_of(row.sides) if row.scores is not None else ():
                self.score(entrant, times, times * Fraction(own_mean(row.scores or (), own)))

    def score(self, entrant: Entrant, matches: int, total: Fraction | int) -> None:
        """Count scores of matches that were played to their end."""
        self._matches[entrant] += matches
        self._totals[entrant] = self._totals.get(entrant, Fraction()) + total

    def brief(self) -> Brief:
        """All that was counted so far."""
        return Brief(
            tuple(Alike(results, times) for results, times in self._times.items()),
            {entrant: Score(count, self._totals[entrant]) for entrant, count in self._matches.items()},
        )


def sides_of(sides: Sequence[tuple[Entrant, ...]]) -> list[tuple[Entrant, list[int]]]:
    """Every bot at a table with the numbers of its sides."""
    bots = dict.fromkeys(entrant for side in sides for entrant in side)
    return [(bot, [number for number, side in enumerate(sides) if bot in side]) for bot in bots]


def own_mean(values: Sequence[float], own: Sequence[int]) -> float:
    """Mean over a bot's own sides; usually it has one."""
    return values[own[0]] if len(own) == 1 else fsum(values[side] for side in own) / len(own)


class Briefed(Sequence[Result]):
    """Results that are known in brief, and listed only when somebody asks for one of them."""

    def __init__(self, brief: Brief, listed: Callable[[], Sequence[Result]]) -> None:
        self.brief = brief
        self._listed = listed

    @cached_property
    def _all(self) -> Sequence[Result]:
        return self._listed()

    def __len__(self) -> int:
        return sum(len(alike.results) * alike.times for alike in self.brief.boards)

    @overload
    def __getitem__(self, index: int) -> Result: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Result]: ...
    def __getitem__(self, index: int | slice) -> Result | Sequence[Result]:
        return self._all[index]

    def __iter__(self) -> Iterator[Result]:
        return iter(self._all)


# What is asked of results, however they are known


def boards_of(results: Iterable[Result]) -> Iterator[tuple[Sequence[Result], int]]:
    """The matches of each board; of boards that are known to be alike those of one, and how many they are."""
    if isinstance(results, Briefed):
        return ((alike.results, alike.times) for alike in results.brief.boards)
    boards: dict[str, list[Result]] = {}
    for row in results:
        boards.setdefault(row.board, []).append(row)
    return ((rows, 1) for rows in boards.values())


def scores_of(results: Iterable[Result]) -> dict[Entrant, Score]:
    """Game points of every bot that played a match to its end."""
    return results.brief.scores if isinstance(results, Briefed) else brief_of(results).scores


def brief_of(results: Iterable[Result]) -> Brief:
    """Results in brief."""
    gathering = Gathering()
    for rows, times in boards_of(results):
        gathering.board(rows, times)
    return gathering.brief()
