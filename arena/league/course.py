"""The way of a league from batch to batch, found again from its results whenever it is asked for.

Each extension is followed to its end before the next one begins. The keys of a schedule that adapts carry the
number of the batch, so what stands in the store tells how far the league is, and in which order its results
are to be read, whenever and wherever they were played.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import count

import msgspec

from arena import ratings
from arena.league.batches import PLAYED, Batch, Block, End, Played, Rate
from arena.league.schedule import schedule_of, size_of
from arena.league.tables import called, tables
from arena.model import League, Result, TableJob, UserError
from arena.store import Store


class Astray(UserError):  # noqa: N818 - reads as what it is
    """The store holds tables that the schedule would not choose after the results before them."""


class Course:
    """A league's batches, one after the other."""

    def __init__(
        self,
        league: League,
        *,
        finished: Collection[str],
        results: Callable[[str], Sequence[Result]],
        submissions: str = "",
        rate: Rate = ratings.fit,
    ) -> None:
        """`finished` are the keys of tables that stand in the store.

        `results` are asked for by what the keys of a batch have in common.
        """
        self._league = league
        self._schedule = schedule_of(league)
        self.finished = finished
        self._results = results
        self._submissions = submissions
        self._rate = rate
        self.played: list[Played] = []
        """The batches that were passed."""
        self.end = End("")
        """Of the last extension that was passed."""

    def batches(self) -> Iterator[Iterator[TableJob]]:
        """The tables that each batch is missing; the next batch is to be asked for when they are played."""
        for number in range(len(self._league.extensions)):
            league = msgspec.structs.replace(self._league, extensions=self._league.extensions[: number + 1])
            for batch in count():
                chosen = self._schedule.batch(league, tuple(self.played), self._rate)
                if isinstance(chosen, End):
                    self.end = chosen
                    break
                before = f"{number:02}-{batch:05}-" if self._schedule.adapts else ""
                yield self._missing(league, chosen, before)
                results = tuple(self._results(before)) if before else ()
                self.played.append(Played(number, chosen.blocks, results))

    def _missing(self, league: League, batch: Batch, before: str) -> Iterator[TableJob]:
        jobs: Iterable[TableJob] = (
            job
            for place, block in enumerate(batch.blocks)
            for job in tables(
                league, block, stem=_stem(league, block, before, place), submissions=self._submissions
            )
        )
        if before:
            jobs = self._as_played(list(jobs), before)
        return (job for job in jobs if job.key not in self.finished)

    def _as_played(self, jobs: list[TableJob], before: str) -> list[TableJob]:
        """The tables of a batch, of which those that stand in the store are some."""
        others = {key for key in self.finished if key.startswith(before)} - {job.key for job in jobs}
        if others:
            raise Astray(
                f"league {self._league.name} has the table {min(others)}, which its schedule would not "
                f"choose here: it was begun by another version of the arena, or on a machine that computes "
                f"differently; go on with it there, or begin a new league with another --name"
            )
        return jobs


def _stem(league: League, block: Block, before: str, place: int) -> str:
    """What the keys of a block's tables begin with; they sort in the order of the schedule."""
    if before:
        return f"{before}{place:05}-{called(league, block)}"
    return f"{len(league.extensions) - 1:02}-{block.first:06}-{called(league, block)}"


class Standing(msgspec.Struct, frozen=True):
    """Where a league is on its course."""

    end: End | None
    """Why it ended; None before its end."""
    played: tuple[Played, ...]
    """The batches that are wholly played."""
    missing: int
    """Tables of the batch it is in that are not played."""


def course_of(store: Store, league: League) -> Course:
    """The course of a league over what stands in the store now."""
    return Course(
        league,
        finished=store.finished(league.name),
        results=lambda before: store.batch_results(league.name, before),
        submissions=str(store.submissions.resolve()),
    )


def standing(store: Store, league: League) -> Standing:
    """How far a league is, found by following it."""
    course = course_of(store, league)
    for batch in course.batches():
        missing = sum(1 for _ in batch)
        if missing:
            return Standing(None, tuple(course.played), missing)
    return Standing(course.end, tuple(course.played), 0)


def end_of(store: Store, league: League) -> str | None:
    """Why a league ended; None before its end, and where nothing goes on from what stands in the store.

    Counts where results do not matter.
    """
    if schedule_of(league).adapts:
        try:
            end = standing(store, league).end
        except Astray:  # said when it is to be played
            return None
        return end.reason if end else None
    left = size_of(league).tables - len(store.finished(league.name))
    return None if left > 0 else PLAYED.reason
