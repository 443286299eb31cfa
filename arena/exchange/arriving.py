"""From the file of a league to a league of this workspace.

    file --> a workspace of its own: charter, then tables in the order of its schedule
         --> everything played again there
         --> submissions moved, rows taken over in one transaction

Nothing of the file is believed: seeds and seatings are derived anew, files of versions are taken as if they
were handed in, and only what is held by all of this reaches the workspace's database.
"""

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import TypeVar

import msgspec

from arena import transcript
from arena.exchange import form
from arena.exchange.checks import check_table, league_of
from arena.exchange.form import BadExport, File, Head, Match, Table
from arena.league.course import course_of, end_of
from arena.model import Decision, League, MatchRecord, Outcome, TableJob, TableResult, UserError
from arena.store import Store, telling
from arena.store.arrivals import Newcomer
from arena.store.locks import Held, locked
from arena.store.records import moment, outcomes_hash
from arena.store.store import check_league_name
from arena.submissions.acceptance import TURN_S, flush
from arena.submissions.kept import changed
from arena.submissions.tree import Gatherer, tree_hash, write
from protocol.text import escaped

PLACE = "importing"
LOCK = "import.lock"
WAIT_S = 1.0
"""For another import; one takes as long as playing everything again."""

Check = Callable[[Store, League], None]
"""Plays a league again; raises what it likes when something differs."""

Kind = TypeVar("Kind", bound=form.Line)


class Arrived(msgspec.Struct, frozen=True):
    """What came of an import."""

    league: League
    tables: int
    hash: str
    known: tuple[str, ...]
    """Names of the bots whose versions were here."""
    new: tuple[str, ...]
    """Names of those that are new, and retired until somebody wants them."""
    without_files: tuple[str, ...]
    """Names of those whose files did not come along."""


def arrive(store: Store, path: Path, *, name: str | None, check: Check) -> Arrived:
    """Take in the league of a file, under another name if one is given; raises UserError."""
    lines = form.read(path)
    head = _next(lines, Head)
    if head.form != form.FORM:
        raise BadExport(f"{path} has the form '{escaped(head.form, 80)}'; {form.FORM!r} is known here")
    league = league_of(head)
    if name is not None:
        check_league_name(name)
        league = msgspec.structs.replace(league, name=name)
    store.arrivals().check(league.name, head.versions)
    with _scratch(store.workspace) as scratch:
        _unpack(scratch, league, head, lines)
        check(scratch, league)
        return _settle(store, scratch, league, head.versions)


@contextmanager
def _scratch(workspace: Path) -> Iterator[Store]:
    """A workspace that is gone afterwards; what a killed import left is removed by the next."""
    place = workspace / PLACE
    try:
        with locked(workspace / LOCK, wait_s=WAIT_S):
            shutil.rmtree(place, ignore_errors=True)
            try:
                with Store.open(place) as scratch:
                    yield scratch
            finally:
                shutil.rmtree(place, ignore_errors=True)
    except Held as held:
        raise UserError(f"process {held} is importing; type the command again when it has ended") from None


# Into the scratch


def _unpack(scratch: Store, league: League, head: Head, lines: Iterator[form.Lines]) -> None:
    scratch.arrivals().enter(head.versions)
    scratch.create_league(league)
    rest = _unpack_files(scratch, {each.version for each in head.versions}, lines)
    _unpack_tables(scratch, league, head, rest)
    if scratch.league_hash(league.name) != head.hash:
        raise BadExport("refused: the hash of all tables is another one")
    if end_of(scratch, league) is None:
        raise BadExport("refused: the league is not at its end")


def _unpack_files(scratch: Store, versions: set[str], lines: Iterator[form.Lines]) -> Iterator[form.Lines]:
    """Write the versions whose files came along; gives the lines after them."""
    gatherers: dict[str, Gatherer] = {}
    for line in lines:
        if not isinstance(line, File):
            break
        if line.version not in versions:
            raise BadExport("refused: a file belongs to no version of the league")
        gatherer = gatherers.setdefault(line.version, Gatherer())
        content = gatherer.room(line.path).check(line.content)
        gatherer.add_file(line.path, executable=line.executable, content=content)
    else:
        raise BadExport("refused: it ends before its tables")
    for version, gatherer in gatherers.items():
        tree = gatherer.tree()
        if tree_hash(tree) != version:
            raise BadExport(f"refused: the files of version {version[:12]} have another hash")
        write(tree, scratch.submissions / version)
    return _chained(line, lines)


def _chained(first: form.Lines, rest: Iterator[form.Lines]) -> Iterator[form.Lines]:
    yield first
    yield from rest


def _unpack_tables(scratch: Store, league: League, head: Head, lines: Iterator[form.Lines]) -> None:
    """Write the tables in the order of the schedule, which says who sat there and what was dealt."""
    left = head.tables
    for batch in course_of(scratch, league).batches():
        with scratch.arrivals().taking_in(league.name) as take:
            for job in islice(batch, left):
                take(job, *_table(lines, league, job))
                left -= 1
        if not left:
            break
    _next(lines, form.End)
    if left or next(lines, None) is not None:
        raise BadExport("refused: it has other tables than its schedule")


def _table(lines: Iterator[form.Lines], league: League, job: TableJob) -> tuple[TableResult, datetime]:
    table = _next(lines, Table)
    matches = [_next(lines, Match) for _ in job.boards]
    if (table.key, table.seating) != (job.key, job.seating):
        raise BadExport(f"refused: table '{escaped(table.key, 80)}' stands where the schedule has {job.key}")
    check_table(table, matches, league)
    records = tuple(_record(job, number, match) for number, match in enumerate(matches))
    outcomes = [record.outcome for record in records]
    if outcomes_hash(job, outcomes) != table.hash:
        raise BadExport(f"refused: the hash of table {job.key} is another one")
    return TableResult(job.key, records, layers=table.layers, void=table.void), moment(table.finished)


def _record(job: TableJob, number: int, match: Match) -> MatchRecord:
    board = job.boards[number]
    if match.board != board.number:
        raise BadExport(f"refused: table {job.key} has board {match.board} where {board.number} was played")
    decisions = [Decision(each.seat, each.action, each.note) for each in match.decisions]
    known = transcript.setting(job.game, job.options, board.seed, job.seating)
    try:
        kept = transcript.write(transcript.played(known, decisions, match.faults))
    except ValueError as error:
        raise BadExport(f"refused: a match of table {job.key} cannot be kept: {error}") from None
    outcome = Outcome(match.places, match.scores, len(decisions), match.faults)
    return MatchRecord(board.number, outcome, match.cost, kept)


def _next(lines: Iterator[form.Lines], kind: type[Kind]) -> Kind:
    line = next(lines, None)
    if not isinstance(line, kind):
        found = "nothing" if line is None else f"a line '{type(line).__name__.lower()}'"
        raise BadExport(f"refused: {found} stands where a line '{kind.__name__.lower()}' is expected")
    return line


# Into the workspace


def _settle(store: Store, scratch: Store, league: League, newcomers: tuple[Newcomer, ...]) -> Arrived:
    """Files first, as with a submission: what a kill leaves of them belongs to nobody, and is swept."""
    tables, whole = len(scratch.finished(league.name)), scratch.league_hash(league.name)
    known = {each for each in newcomers if store.find_version(each.version)}
    scratch.close()
    with store.submitting(wait_s=TURN_S):
        for each in newcomers:
            _move(scratch.submissions / each.version, store.submissions / each.version)
        with telling(store.submissions):
            flush(store.submissions)
        store.arrivals().take_over(scratch.workspace / "arena.db", league.name, newcomers)
    return Arrived(
        league=league,
        tables=tables,
        hash=whole,
        known=tuple(each.name for each in newcomers if each in known),
        new=tuple(each.name for each in newcomers if each not in known),
        without_files=tuple(
            each.name for each in newcomers if not (store.submissions / each.version).is_dir()
        ),
    )


def _move(found: Path, target: Path) -> None:
    """Move a version to where leagues find it, unless it is there whole."""
    with telling(target):
        if found.is_dir() and changed(target):
            if target.exists():
                target.rename(found.with_name("damaged"))
            found.rename(target)
