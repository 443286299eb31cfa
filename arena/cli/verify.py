"""The command that plays everything again."""

import multiprocessing
import time
from collections.abc import Iterator
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import click

from arena import verify as checks
from arena.cli import screen
from arena.cli.league import commitments, cores
from arena.cli.options import MatchNumber, workspace_option
from arena.cli.progress import shown
from arena.cli.said import wrapped
from arena.grid import counted, digits, short
from arena.league.course import end_of
from arena.league.runner import Progress
from arena.model import League
from arena.store import Store

EXIT_DIFFERS = 1

FEW_TABLES = 200
"""Below so many, workers cost more than they save."""

TOLD_EVERY_S = 0.1


@click.command()
@click.argument("league", required=False)
@click.option("--match", type=MatchNumber(), metavar="N", help="Only the table of this match.")
@workspace_option
@click.pass_context
def verify(ctx: click.Context, league: str | None, *, match: int | None, workspace: Path) -> None:
    """Play LEAGUE again, or the newest league, from its seeds and transcripts; say where it differs first.

    Every deal, place, score, hash, rating and what came of faults is found anew and compared with what is
    stored: exit code 0 when all of it holds, 1 when something differs. What is not played yet is left out.

    \b
    Example:
      arena verify friday
      arena verify --match 17
    """
    if match is not None and league:
        raise click.UsageError("a match is of one league: leave LEAGUE out, or --match")
    with Store.open(workspace, read_only=True) as store:
        try:
            lines = list(_match(store, match) if match is not None else _league(store, league))
        except checks.Differs as differs:
            click.echo("\n".join(difference(differs.difference)))
            ctx.exit(EXIT_DIFFERS)
    click.echo(wrapped("\n".join(lines), screen.room()))


def _league(store: Store, name: str | None) -> Iterator[str]:
    league = checks.examined(store, name)
    began = time.monotonic()
    with told(league) as told_, workers(len(store.finished(league.name))) as executor:
        found = checks.verify(store, league, told=told_, executor=executor)
    spent_s = time.monotonic() - began
    yield f"League {league.name} holds: {_amount(found)} in {spent_s:.1f} s."
    for entrant in found.absent:
        yield f"Not checked: the files of {short(entrant.name)} {digits(entrant.version)}, which are gone."
    yield f"Its end: {end_of(store, league) or 'not yet; what is missing was left out'}."
    yield from commitments(league)
    yield f"hash of all tables: {store.league_hash(league.name)}"


def _match(store: Store, number: int) -> Iterator[str]:
    checks.examined(store, None)
    league, table = store.table_of(number)
    found = checks.verify_table(store, store.chosen_league(league), table)
    yield f"Match {number} of league {league} holds, with its table {table}: {_amount(found)}."


def _amount(found: checks.Verified) -> str:
    tables, matches = counted(found.tables, "table"), counted(found.matches, "match")
    return f"{matches} at {tables}, {counted(found.decisions, 'decision')} played again"


def difference(found: checks.Difference) -> Iterator[str]:
    place = found.place
    names = (("league", place.league), ("table", place.table), ("match", place.match))
    where = [f"{word} {value}" for word, value in (*names, ("decision", place.decision)) if value is not None]
    yield f"Differs first: {', '.join([*where, found.what])}"
    yield f"  stored: {found.stored}"
    yield f"  found:  {found.found}"


@contextmanager
def told(league: League) -> Iterator[checks.Told]:
    """Show how it goes, as `arena run` does."""
    began = time.monotonic()
    last = began

    with shown(league) as listener:

        def tell(done: int, total: int) -> None:
            nonlocal last
            now = time.monotonic()
            if done == total or now - last >= TOLD_EVERY_S:
                last = now
                listener.progress(Progress(done, total, done, now - began))

        yield tell


@contextmanager
def workers(tables: int) -> Iterator[Executor | None]:
    """A process for each core, where it pays."""
    if tables < FEW_TABLES or cores() < 2:
        yield None
        return
    with ProcessPoolExecutor(cores(), mp_context=multiprocessing.get_context("forkserver")) as executor:
        yield executor
