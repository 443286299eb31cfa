"""A league checked from its first word to its last table: from what it is, to what it plays, to what came.

    the file --> leagues and secrets --> versions --> schedule --> table, table, ... --> ratings

Only what every step before has borne out is used for the next one. Nothing that is derived and kept is
believed: it is compared at the end with what was found.
"""

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor
from hashlib import sha256
from itertools import islice

import msgspec

from arena.brief import Gathering
from arena.games import GAMES
from arena.league.course import Course
from arena.league.schedule import schedule_of
from arena.model import HOUSE, Entrant, Extension, League, Result, TableJob, UserError
from arena.store import Kept, Store
from arena.store.evidence import Charter, StoredTable
from arena.store.records import extension_hash, rotations
from arena.store.rows import result_of
from arena.submissions.kept import changed
from arena.verify.differences import Difference, Differs, Place, differ, same
from arena.verify.tables import Replayed, table_again

CHUNK = 256
"""Tables that are read before they are handed out to be played again."""

Work = tuple[TableJob, StoredTable]
Told = Callable[[int, int], None]
"""Hears how many tables were played again, of how many."""


class Verified(msgspec.Struct, frozen=True):
    """What was played again, when everything is as it was stored."""

    league: League
    tables: int
    matches: int
    decisions: int
    absent: tuple[Entrant, ...]
    """Versions whose files are not there any more."""


def examined(store: Store, name: str | None) -> League:
    """The league of that name, without one the newest, when the file and what all leagues are is as it was.

    Raises Differs, or NotThere.
    """
    evidence = store.evidence()
    for damage in evidence.damages():
        raise differ(Place(), "database", damage, "no damage")
    for charter in evidence.charters():
        _check_charter(charter)
    return store.chosen_league(name)


def verify(store: Store, league: League, *, told: Told, executor: Executor | None = None) -> Verified:
    """Play an examined league again, as far as it was played; raises Differs for the first difference.

    Raises UserError when the transcripts were trimmed.
    """
    _check_transcripts(store, league)
    absent = _check_versions(store, league)
    checking = _Checking(store, league, told, executor)
    checking.run()
    return Verified(league, checking.tables, checking.matches, checking.decisions, absent)


def verify_table(store: Store, league: League, key: str) -> Verified:
    """Play one table of an examined league again; raises Differs, and UserError as `verify` does."""
    _check_transcripts(store, league)
    checking = _Checking(store, league, lambda _done, _all: None, None)
    checking.run_table(key)
    return Verified(league, checking.tables, checking.matches, checking.decisions, ())


def _check_transcripts(store: Store, league: League) -> None:
    if Kept.TRANSCRIPTS in store.keeping().trimmed(league.name):
        raise UserError(
            f"the transcripts of league {league.name} were trimmed, so nothing of it can be played again; "
            f"its results are there: arena leaderboard {league.name}"
        )


def _check_charter(charter: Charter) -> None:
    place = Place(charter.name.decode("utf-8", "backslashreplace"))
    league = charter.content.decode("utf-8", "backslashreplace")
    if not charter.extensions:
        raise differ(place, "parts of the league", 0, "one or more")
    for number, each in enumerate(charter.extensions):
        content = each.content.decode("utf-8", "backslashreplace")
        found = extension_hash(league, number, content).encode()
        same(place, f"hash of the league with its part {number + 1}", each.hash, found)
        extension = msgspec.json.decode(each.content, type=Extension)
        found = sha256(extension.secret).hexdigest().encode()
        same(place, f"commitment to the secret of part {number + 1}", each.commitment, found)
    same(place, "name", charter.name, msgspec.json.decode(charter.content, type=League).name.encode())


def _check_versions(store: Store, league: League) -> tuple[Entrant, ...]:
    """Check that every version is the content it is named by, under its name; those whose files are gone."""
    place, absent = Place(league.name), []
    for entrant in league.extensions[-1].entrants:
        if entrant == HOUSE:
            continue
        entered = store.find_version(entrant.version)
        same(place, f"bot of version {entrant.version}", entered.name if entered else "none", entrant.name)
        folder = store.submissions / entrant.version
        wrong = changed(folder) if folder.exists() else None
        same(place, f"files of {entrant.name}", wrong or "as they were", "as they were")
        if not folder.exists():
            absent.append(entrant)
    return tuple(absent)


class _Checking:
    """Follows a league's schedule through its tables."""

    def __init__(self, store: Store, league: League, told: Told, executor: Executor | None) -> None:
        self._evidence = store.evidence()
        self._store, self._league = store, league
        self._told, self._executor = told, executor
        self._place = Place(league.name)
        (self._id,) = (each.id for each in self._evidence.charters() if each.name == league.name.encode())
        self._unseen = self._evidence.keys(self._id)
        self._all = len(self._unseen)
        self._adapts = schedule_of(league).adapts
        self._sides = GAMES[league.game].sides(league.players)
        self._batch: list[Result] = []
        """What the batch that is looked at came to, where the next one depends on it."""
        self._open: dict[tuple[tuple[Entrant, ...], bytes], list[Result]] = {}
        """Matches of boards that were not met in every seating yet, by line-up and seed."""
        self._together: dict[bytes, list[Result]] = {}
        """Matches of whole boards whose cards several line-ups may have, by seed: those of a comparison."""
        self._whole_boards = Gathering()
        self.tables = self.matches = self.decisions = 0

    def run(self) -> None:
        """Check every table that is stored; raises Differs."""
        moved = self._evidence.strays(self._id)
        same(self._place, "tables that belong to another league", moved, 0)
        course = Course(self._league, finished=(), results=lambda _before: tuple(self._batch))
        for batch in course.batches():
            self._batch = []
            if not self._whole(batch):
                break
        for key in sorted(self._unseen):
            table = key.decode("utf-8", "backslashreplace")
            place = msgspec.structs.replace(self._place, table=table)
            raise differ(place, "table", "is there", "the schedule has none of this name here")
        for rows in self._together.values():
            self._whole_boards.board(rows)
        kept = self._store.briefed(self._league.name).brief
        as_found = "what the tables come to"
        told = as_found if kept.same(self._whole_boards.brief()) else "something else, perhaps in the cache"
        same(self._place, "results that ratings and standings are made of", told, as_found)

    def run_table(self, key: str) -> None:
        """Check one table. What was played before it is believed: a schedule may depend on it."""
        course = Course(
            self._league,
            finished=(),
            results=lambda before: self._store.batch_results(self._league.name, before),
        )
        jobs = (job for batch in course.batches() for job in batch if job.key == key)
        for work in islice(self._stored(jobs), 1):
            self._take(work[0], table_again(self._league.name, *work))
            return
        place = msgspec.structs.replace(self._place, table=key)
        raise differ(place, "table", "is there", "the schedule has none of this name")

    def _whole(self, batch: Iterator[TableJob]) -> bool:
        """Check the tables of a batch; whether what comes after it may be looked at."""
        wanted = 0

        def counted() -> Iterator[TableJob]:
            nonlocal wanted
            for job in batch:
                if not self._unseen:
                    return
                wanted += 1
                yield job

        before = self.tables
        work = self._stored(counted())
        for chunk in iter(lambda: list(islice(work, CHUNK)), []):
            for (job, _), found in zip(chunk, self._played(chunk), strict=True):
                self._take(job, found)
        return bool(self._unseen) and not (self._adapts and self.tables - before < wanted)

    def _stored(self, jobs: Iterable[TableJob]) -> Iterator[Work]:
        """Those tables that were played, with what is stored of them."""
        for job in jobs:
            stored = self._evidence.table(self._id, job.key)
            if stored is not None:
                self._unseen.discard(job.key.encode())
                yield job, stored

    def _played(self, chunk: list[Work]) -> Iterator[Replayed | Difference]:
        jobs, tables = zip(*chunk, strict=True)
        names = [self._league.name] * len(chunk)
        if self._executor is None:
            return map(table_again, names, jobs, tables)
        return self._executor.map(table_again, names, jobs, tables, chunksize=CHUNK // 16)

    def _take(self, job: TableJob, found: Replayed | Difference) -> None:
        if isinstance(found, Difference):
            raise Differs(found)
        self.tables += 1
        self.matches += len(found.outcomes)
        self.decisions += sum(outcome.decisions for outcome in found.outcomes)
        results = [
            result_of(job.seating, board.seed, outcome, self._sides)
            for board, outcome in zip(job.boards, found.outcomes, strict=True)
        ]
        if self._adapts:
            self._batch += results
        self._gather(job, results)
        self._told(self.tables, self._all)

    def _gather(self, job: TableJob, results: list[Result]) -> None:
        """Count the boards that are whole now."""
        turned = rotations(job.seating)
        for board, result in zip(job.boards, results, strict=True):
            key = (turned[0], board.seed)
            rows = self._open.setdefault(key, [])
            rows.append(result)
            if len(rows) < len(turned):
                continue
            whole = self._open.pop(key)
            if self._league.comparison is None:
                self._whole_boards.board(whole)
            else:
                self._together.setdefault(board.seed, []).extend(whole)
