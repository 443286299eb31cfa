"""A league's results in brief, straight from its rows, and kept beside the database for the next time.

What is kept is derived, and used only while the league has the tables that it was made from. It is read again
in a fraction of a second; making it takes seconds for a million matches. `arena verify` makes its own.
"""

import functools
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from itertools import chain, groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

import msgspec

from arena.brief import Alike, Brief, Gathering, Score, own_mean, sides_of
from arena.model import Entrant, FaultKind, Result
from arena.store import cache
from arena.store.evidence import Rows
from arena.store.packing import outcome_of
from arena.store.rows import SEATING, result_of, seeds_of

FORM = 2
"""Of what is kept; another one is made anew."""

UNFAULTED = 3
"""Words of an outcome without faults."""

FORFEIT = FaultKind.START
"""Stands for any kind where the fault was committed before."""

WORTH_KEEPING = 500
"""Tables from which on a brief is kept: below, it is made in no time."""

Sides = tuple[tuple[int, ...], ...]

BLOCKS = """
    SELECT played.block_id, lineup.seatings, played.seating_id, played.outcomes
    FROM played
    JOIN block ON block.id = played.block_id
    JOIN lineup ON lineup.id = block.lineup_id
    WHERE played.league_id = ?
    ORDER BY played.block_id, played.seating_id
"""


class Kept(msgspec.Struct, frozen=True, array_like=True):
    """A brief as it is kept: who and what by number."""

    form: int
    made_from: cache.MadeFrom
    entrants: tuple[Entrant, ...]
    seatings: tuple[tuple[int, ...], ...]
    """Entrants by seat."""
    courses: tuple[str, ...]
    """Outcomes without scores and decisions, as `packing` writes them."""
    boards: tuple[tuple[int, ...], ...]
    """How many, then seating and course of each match."""
    scores: tuple[tuple[int, int, str, str], ...]
    """Entrant, matches, numerator, denominator."""


class Briefs:
    """Makes, keeps and finds the brief of one league; made by `Store.brief`."""

    def __init__(self, rows: Rows, league_id: int, sides: Sides) -> None:
        self._rows, self._league_id, self._sides = rows, league_id, sides

    def found(self, path: Path) -> Brief:
        """The brief that is kept there, or else a new one, which is kept when it is worth it."""
        made_from = cache.made_from(self._rows, self._league_id)
        kept = cache.read(path, Kept)
        if kept is None or (kept.form, kept.made_from) != (FORM, made_from):
            kept = self._made(made_from)
            if made_from[0] >= WORTH_KEEPING:
                cache.write(path, kept)
        return _brief(kept, self._sides)

    def _made(self, made_from: cache.MadeFrom) -> Kept:
        counting = _Counting(self._seatings(), self._sides)
        shared = self._shared()
        for _, group in groupby(self._rows(BLOCKS, self._league_id), key=itemgetter(0)):
            tables = list(group)
            if len(tables) == tables[0][1] and not shared:
                counting.block([(seating, outcomes) for _, _, seating, outcomes in tables])
            else:
                counting.rest += self._tables(tables[0][0])
        counting.count_rest()
        return counting.kept(made_from)

    def _seatings(self) -> dict[int, tuple[Entrant, ...]]:
        rows = self._rows(
            "SELECT seating.id, seating.bots FROM seating JOIN lineup ON lineup.id = seating.lineup_id "
            "WHERE lineup.league_id = ?",
            self._league_id,
        )
        return {seating: SEATING.decode(bots) for seating, bots in rows}

    def _shared(self) -> bool:
        """Whether line-ups have decks in common: then a board is theirs together."""
        rows = self._rows(
            "SELECT count(*) > count(DISTINCT seeds) FROM block JOIN lineup ON lineup.id = block.lineup_id "
            "WHERE lineup.league_id = ?",
            self._league_id,
        )
        return bool(rows[0][0])

    def _tables(self, block_id: int) -> list[tuple[Any, ...]]:
        """Tables of a block that cannot be counted as a whole."""
        return self._rows(
            "SELECT block.lineup_id, lineup.seatings, played.seating_id, block.seeds, played.outcomes "
            "FROM played JOIN block ON block.id = played.block_id "
            "JOIN lineup ON lineup.id = block.lineup_id WHERE block.id = ?",
            block_id,
        )


class _Counting:
    """Boards by who sat where and how each match went; scores by who made them."""

    def __init__(self, seatings: dict[int, tuple[Entrant, ...]], sides: Sides) -> None:
        self._seatings = seatings
        self._by_side = {
            seating: tuple(tuple(bots[seat] for seat in side) for side in sides)
            for seating, bots in seatings.items()
        }
        self._own = {seating: _single(sides) for seating, sides in self._by_side.items()}
        """By seating every bot with its side; None where one has several."""
        self._times: Counter[tuple[tuple[int, ...], tuple[str, ...]]] = Counter()
        self._totals: dict[int, list[Fraction | int]] = {}
        """By seating the scores of its sides."""
        self._ended: Counter[int] = Counter()
        """By seating the matches that have scores."""
        self._scores = Gathering()
        self.rest: list[tuple[Any, ...]] = []
        """Tables that are to be looked at board by board."""

    def block(self, tables: Sequence[tuple[int, str]]) -> None:
        """Count the boards of a block that was played in every seating."""
        seatings = tuple(seating for seating, _ in tables)
        columns = [self._courses(seating, outcomes.split("\n")) for seating, outcomes in tables]
        for board in zip(*columns, strict=True):
            self._times[seatings, board] += 1

    def count_rest(self) -> None:
        """Count those boards of the rest that were played in every seating of their line-up."""
        boards: dict[tuple[int, bytes], list[tuple[int, str]]] = {}
        wanted = {}
        for lineup, seatings, seating, seeds, outcomes in self.rest:
            wanted[lineup] = seatings
            for seed, line in zip(seeds_of(seeds), outcomes.split("\n"), strict=True):
                boards.setdefault((lineup, seed), []).append((seating, line))
        together: dict[bytes, list[tuple[int, str]]] = {}
        for (lineup, seed), matches in boards.items():
            if len(matches) == wanted[lineup]:
                together.setdefault(seed, []).extend(matches)
        for matches in together.values():
            self.block(sorted(matches))

    def _courses(self, seating: int, lines: Sequence[str]) -> list[str]:
        """How matches went, but for the scores, which are added up."""
        found = []
        for line in lines:
            words = line.split(" ")
            found.append(words[0] if len(words) == UNFAULTED else _course(words))
            if words[1] != "-":
                self._add(seating, words[1].split(","))
        return found

    def _add(self, seating: int, scores: Sequence[str]) -> None:
        if self._own[seating] is None:
            values = tuple(map(float, scores))
            for entrant, own in sides_of(self._by_side[seating]):
                self._scores.score(entrant, 1, Fraction(own_mean(values, own)))
            return
        totals = self._totals.setdefault(seating, [0] * len(scores))
        self._ended[seating] += 1
        for side, score in enumerate(scores):
            totals[side] += int(score) if score.isdigit() else Fraction(float(score))

    def kept(self, made_from: cache.MadeFrom) -> Kept:
        """All that was counted, as it is kept."""
        for seating, totals in self._totals.items():
            for entrant, side in self._own[seating] or ():
                self._scores.score(entrant, self._ended[seating], totals[side])
        entrants = sorted({bot for bots in self._seatings.values() for bot in bots})
        numbers = {entrant: number for number, entrant in enumerate(entrants)}
        seatings = {seating: number for number, seating in enumerate(self._seatings)}
        names = sorted({course for _, board in self._times for course in board})
        courses = {course: number for number, course in enumerate(names)}
        boards = []
        for (ids, board), times in self._times.items():
            pairs = ((seatings[place], courses[course]) for place, course in zip(ids, board, strict=True))
            boards.append((times, *chain.from_iterable(pairs)))
        return Kept(
            form=FORM,
            made_from=made_from,
            entrants=tuple(entrants),
            seatings=tuple(tuple(numbers[bot] for bot in bots) for bots in self._seatings.values()),
            courses=tuple(names),
            boards=tuple(boards),
            scores=tuple(
                (numbers[entrant], score.matches, str(score.total.numerator), str(score.total.denominator))
                for entrant, score in self._scores.brief().scores.items()
            ),
        )


def _single(sides: Sequence[tuple[Entrant, ...]]) -> list[tuple[Entrant, int]] | None:
    """Every bot with its side; None where one has several."""
    found = sides_of(sides)
    return [(bot, own[0]) for bot, own in found] if all(len(own) == 1 for _, own in found) else None


def _course(words: Sequence[str]) -> str:
    """An outcome with faults, without all that results do not have: equal results have equal courses."""
    faults = []
    for word in words[UNFAULTED:]:
        seat, kind, decision = word.split(".")
        faults.append(f"{seat}.{FORFEIT}.0*" if decision.endswith("*") else f"{seat}.{kind}.0")
    return " ".join([words[0], "-", "0", *sorted(faults)])


def _brief(kept: Kept, sides: Sides) -> Brief:
    seatings = [
        tuple(tuple(kept.entrants[bots[seat]] for seat in side) for side in sides) for bots in kept.seatings
    ]
    empty = (Entrant("", ""),) * sum(map(len, sides))
    courses = [
        result_of(empty, b"", outcome_of(course if " " in course else f"{course} - 0"), sides)
        for course in kept.courses
    ]

    @functools.cache
    def result(seating: int, course: int) -> Result:
        like = courses[course]
        return Result("", seatings[seating], like.places, None, like.faults, like.absent)

    @functools.cache
    def order(ids: tuple[int, ...]) -> list[int]:
        return sorted(range(len(ids)), key=lambda place: seatings[ids[place]])

    boards = []
    for times, *numbers in kept.boards:
        ids, ran = tuple(numbers[::2]), numbers[1::2]
        boards.append(Alike(tuple(result(ids[place], ran[place]) for place in order(ids)), times))
    scores = {
        kept.entrants[bot]: Score(matches, Fraction(int(over), int(under)))
        for bot, matches, over, under in kept.scores
    }
    return Brief(tuple(boards), scores)
