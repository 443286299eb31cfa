"""Command that shows matches: those of a league as a list, or one of them."""

from pathlib import Path

import click

from arena.cli import matches
from arena.cli.chosen import newest_league
from arena.cli.options import style_option, workspace_option
from arena.games import GAMES
from arena.grid import BARE_STYLES, counted
from arena.model import UserError, no_such
from arena.store import Store
from arena.transcript import BadTranscript


@click.command()
@click.argument("match", type=int, required=False)
@click.option("--league", metavar="NAME", help="Whose matches to list.  [default: the newest]")
@click.option("--faults", is_flag=True, help="List those matches only in which a bot failed.")
@click.option("--views", is_flag=True, help="Show what each seat saw before it decided.")
@click.option("--logs", is_flag=True, help="Show what the bots printed.")
@style_option
@workspace_option
def show(  # noqa: PLR0913 - click hands over each option by name
    match: int | None,
    *,
    league: str | None,
    faults: bool,
    views: bool,
    logs: bool,
    style: str,
    workspace: Path,
) -> None:
    """Print the match of that number, decision by decision; without a number list a league's matches.

    \b
    Example:
      arena show --faults
      arena show 17 --views
    """
    if match is None and (views or logs):
        raise UserError("--views and --logs are of one match; type for example: arena show 17 --views")
    if match is not None and (league or faults):
        raise UserError("--league and --faults are of a list; leave them out, or the number of the match")
    with Store.open(workspace, read_only=True) as store:
        if match is None:
            text = _list(store, league, faults=faults, style=style)
        else:
            text = _story(store, match, views=views, logs=logs, style=style)
    click.echo(text)


def _list(store: Store, league: str | None, *, faults: bool, style: str) -> str:
    chosen = store.chosen_league(league) if league else newest_league(store)
    if chosen.game not in GAMES:
        raise UserError(f"league {chosen.name} cannot be read here: {no_such('game', chosen.game, GAMES)}")
    rows = store.matches(chosen.name)
    listed = [row for row in rows if matches.failed(row)] if faults else rows
    if faults and not listed and style not in BARE_STYLES:
        return f"no bot failed in league {chosen.name}, in {counted(len(rows), 'match')}"
    return matches.listing(listed, GAMES[chosen.game].sides(chosen.players), style)


def _story(store: Store, number: int, *, views: bool, logs: bool, style: str) -> str:
    try:
        return matches.story(store.match(number), views=views, logs=logs, style=style)
    except BadTranscript as error:
        raise UserError(f"match {number} cannot be shown: {error}") from None
