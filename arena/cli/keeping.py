"""Commands that keep a workspace in order: names, what is deleted, and room on the disk."""

import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

import click

from arena.cli.options import style_option, workspace_option
from arena.cli.said import say, to_type
from arena.grid import counted, listing, short
from arena.model import League, UserError, no_such
from arena.runtimes import BUILT
from arena.store import Bot, Kept, Store
from arena.store.store import check_league_name
from arena.submissions import bot_name
from arena.submissions.unclaimed import bytes_in, sweep, unclaimed, versions_in

WAIT_S = 5.0
"""For a submission that is being tried."""

KIND = click.Choice(["bot", "league"])

LOST = {
    Kept.LOGS: "what bots printed, and what they sent where they failed",
    Kept.TRANSCRIPTS: "the transcripts: `arena verify`, `show` and `replay` cannot play these matches again, "
    "and nobody can export them",
}


def yes_option(command: click.decorators.FC) -> click.decorators.FC:
    """Add `--yes`, for commands that take something away."""
    return click.option("--yes", is_flag=True, help="Do not ask; needed where nobody can answer.")(command)


@click.command()
@click.argument("kind", type=KIND)
@click.argument("old")
@click.argument("new")
@workspace_option
def rename(kind: str, old: str, new: str, workspace: Path) -> None:
    """Give a bot or a league another name.

    A league's tables and their hashes stay as they are. A bot that has played in a league keeps its name: the
    hashes of tables are made of names, too.

    \b
    Example:
      arena rename league idiot-2p final
      arena rename bot Ann Anna
    """
    with Store.reopen(workspace) as store:
        if kind == "bot":
            store.keeping().rename_bot(_bot(store, old), bot_name(new))
        else:
            _rename_league(store, store.chosen_league(old).name, new)
    click.echo(f"{kind} {short(old)} is called {short(new)} now")


@click.command()
@click.argument("kind", type=KIND)
@click.argument("names", metavar="NAME...", nargs=-1, required=True)
@yes_option
@workspace_option
def delete(kind: str, names: tuple[str, ...], *, yes: bool, workspace: Path) -> None:
    """Delete leagues with all that was played in them, or bots with all their versions.

    A bot that stands in a league cannot be deleted, since what was played is kept whole: retire it, or
    delete its leagues first. A league that is running is refused.

    \b
    Example:
      arena delete league friday
      arena delete bot Ann --yes
    """
    names = tuple(dict.fromkeys(names))
    with Store.reopen(workspace) as store:
        if kind == "bot":
            _delete_bots(store, [_bot(store, name) for name in names], yes=yes)
        else:
            _delete_leagues(store, [store.chosen_league(name) for name in names], yes=yes)


@click.command()
@style_option
@workspace_option
def disk(style: str, workspace: Path) -> None:
    """Show what takes room in this workspace, in bytes, and what to type to have some of it back.

    \b
    Example:
      arena disk
    """
    with Store.open(workspace, read_only=True) as store:
        click.echo(listing(("what", "number", "bytes", "to have it back"), list(_taken(store)), style))


@click.command()
@click.argument("leagues", metavar="[LEAGUE]...", nargs=-1)
@click.option("--logs", is_flag=True, help="Give up what bots printed, and sent where they failed.")
@click.option("--transcripts", is_flag=True, help="Give up what matches can be played again from.")
@yes_option
@workspace_option
def trim(leagues: tuple[str, ...], *, logs: bool, transcripts: bool, yes: bool, workspace: Path) -> None:
    """Make the database smaller: give up logs or transcripts of LEAGUEs, and the room of what was deleted.

    Results, ratings and hashes stay. Without transcripts nobody can play the matches again, neither by
    `arena verify` nor by `show` and `replay`. Refused while a league runs: its runner would have to wait.

    \b
    Example:
      arena trim friday --logs
      arena trim friday --transcripts --yes
      arena trim
    """
    given_up = [kept for kept, wanted in ((Kept.LOGS, logs), (Kept.TRANSCRIPTS, transcripts)) if wanted]
    if bool(leagues) != bool(given_up):
        raise UserError(
            "say of which leagues and what: arena trim LEAGUE --logs, or --transcripts, or both; "
            "without any words it makes room of what was deleted"
        )
    with Store.reopen(workspace) as store, _resting(store):
        chosen = [store.chosen_league(name) for name in dict.fromkeys(leagues)]
        if chosen:
            _trim(store, chosen, given_up, yes=yes)
        before = store.keeping().file()
        after = store.keeping().shrink()
    click.echo(f"the database has {after.size} bytes now, {before.size - after.size} less than before")


def _bot(store: Store, name: str) -> Bot:
    bot = store.latest(name)
    if bot is None:
        raise UserError(no_such("bot", name, (each.name for each in store.bots())))
    return bot


def _rename_league(store: Store, old: str, new: str) -> None:
    check_league_name(new)
    with store.running(old):
        store.keeping().rename_league(old, new)


def _delete_leagues(store: Store, leagues: Sequence[League], *, yes: bool) -> None:
    with ExitStack() as held:
        for league in leagues:
            held.enter_context(store.running(league.name))
        for league in leagues:
            matches = counted(store.keeping().size(league.name).matches, "match")
            _agreed(f"league {league.name} with {matches}", yes=yes)
            store.keeping().delete_league(league.name)
            click.echo(f"league {league.name} is deleted, {matches} with it")
    say(f"to make the file smaller, too, type: {to_type('arena', 'trim')}")


def _delete_bots(store: Store, bots: Sequence[Bot], *, yes: bool) -> None:
    """The database first: see `unclaimed`."""
    with store.submitting(wait_s=WAIT_S):
        for bot in bots:
            versions = counted(bot.versions, "version")
            store.keeping().check_free(bot)
            _agreed(f"bot {short(bot.name)} with {versions}", yes=yes)
            store.keeping().delete_bot(bot)
            click.echo(f"bot {short(bot.name)} is deleted, {versions} with it")
        sweep(store)


def _trim(store: Store, leagues: Sequence[League], given_up: Sequence[Kept], *, yes: bool) -> None:
    for league in leagues:
        lost = " and ".join(LOST[kept] for kept in given_up)
        _agreed(f"of league {league.name} {lost}", yes=yes)
        store.keeping().trim(league.name, given_up)
        click.echo(f"league {league.name}: {' and '.join(given_up)} are given up")


def _agreed(lost: str, *, yes: bool) -> None:
    """Ask whether something may go for good; where nobody can answer, `--yes` has to be there."""
    if yes:
        return
    if not sys.stdin.isatty():
        raise UserError(f"this would delete {lost}, for good; add --yes when you mean it")
    click.confirm(f"This deletes {lost}, for good. Go on?", abort=True, err=True)


@contextmanager
def _resting(store: Store) -> Iterator[None]:
    """Within, no league runs: who rewrites the whole file would keep a runner waiting."""
    with ExitStack() as held:
        for league in store.leagues():
            held.enter_context(store.running(league.name))
        yield


def _taken(store: Store) -> Iterator[tuple[str, int, int, str]]:
    keeping = store.keeping()
    file = keeping.file()
    for league in store.leagues():
        size, trimmed = keeping.size(league.name), to_type("arena", "trim", league.name)
        parts = (
            ("results", size.results, to_type("arena", "delete", "league", league.name)),
            ("transcripts", size.transcripts, f"{trimmed} --transcripts"),
            ("logs", size.logs, f"{trimmed} --logs"),
        )
        for what, taken, line in parts:
            yield f"{league.name}: {what}", size.tables, taken, line if taken else ""
    yield "database: unused", 1, file.unused, to_type("arena", "trim") if file.unused else ""
    yield "database: whole file", 1, file.size, ""
    gone = set(unclaimed(store))
    for what in (store.submissions.name, BUILT):
        folders = [path for path in versions_in(store.workspace / what) if path not in gone]
        yield what, len(folders), sum(map(bytes_in, folders)), ""
    line = to_type("arena", "doctor", "--reap") if gone else ""
    yield "files of deleted bots", len(gone), sum(map(bytes_in, gone)), line
