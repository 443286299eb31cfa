"""Commands that take a league from one workspace to another, as a file."""

from collections.abc import Iterator
from pathlib import Path

import click

from arena import exchange
from arena import verify as checks
from arena.cli.options import workspace_option
from arena.cli.said import say, to_type
from arena.cli.verify import EXIT_DIFFERS, difference, told, workers
from arena.grid import counted, short
from arena.model import League
from arena.store import Store


@click.command()
@click.argument("league")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--with-bots", is_flag=True, help="Put the submissions themselves into it, too.")
@workspace_option
def export(league: str, file: Path, *, with_bots: bool, workspace: Path) -> None:
    """Write LEAGUE into a new FILE: what it is, its secrets, and every match with its transcript.

    Only a league that is at its end, since the file holds its secret. What bots printed is not in it, and the
    bots themselves only with --with-bots.

    \b
    Example:
      arena export friday friday.league
      arena export friday friday.league --with-bots
    """
    with Store.open(workspace, read_only=True) as store:
        chosen = store.chosen_league(league)
        exchange.export(store, chosen, file, with_bots=with_bots)
        tables, whole = len(store.finished(chosen.name)), store.league_hash(chosen.name)
    click.echo(f"{file}: league {chosen.name}, {counted(tables, 'table')}, {file.stat().st_size} bytes")
    click.echo(f"hash of all tables: {whole}")


@click.command("import")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--name", help="What the league is called here.  [default: its name]")
@workspace_option
@click.pass_context
def import_(ctx: click.Context, file: Path, *, name: str | None, workspace: Path) -> None:
    """Take in the league of a FILE that `arena export` wrote, once all of it was played again and holds.

    Its bots come along retired: they are in this league, and in others only when you want them. Exit code 1
    when the file does not hold.

    \b
    Example:
      arena import friday.league
      arena import friday.league --name friday-of-ann
    """
    with Store.open(workspace) as store:
        try:
            arrived = exchange.arrive(store, file, name=name, check=played_again)
        except checks.Differs as differs:
            click.echo("\n".join(difference(differs.difference)))
            ctx.exit(EXIT_DIFFERS)
    click.echo("\n".join(_told(arrived)))


def played_again(scratch: Store, league: League) -> None:
    """Play a league that has not arrived yet; raises Differs."""
    say(f"league {league.name}: everything is played again ...")
    with told(league) as tell, workers(len(scratch.finished(league.name))) as executor:
        checks.verify(scratch, checks.examined(scratch, league.name), told=tell, executor=executor)


def _told(arrived: exchange.Arrived) -> Iterator[str]:
    name = arrived.league.name
    yield f"league {name} holds and is here: {counted(arrived.tables, 'table')}"
    yield f"hash of all tables: {arrived.hash}"
    for what, names in (
        ("bots that were here", arrived.known),
        ("new bots, retired", arrived.new),
        ("without their files", arrived.without_files),
    ):
        if names:
            yield f"{what}: {', '.join(map(short, names))}"
    yield f"to see it type: {to_type('arena', 'leaderboard', name)}"
