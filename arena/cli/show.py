"""Command that shows matches: those of a league as a list, or one of them."""

from pathlib import Path

import click

from arena.cli import matches
from arena.cli.chosen import newest_league
from arena.cli.options import style_option, workspace_option
from arena.games import GAMES
from arena.model import UserError, no_such
from arena.store import Store
from arena.transcript import BadTranscript


@click.command()
@click.argument("match", type=int, required=False)
@click.option("--league", metavar="NAME", help="Whose matches to list.  [default: the newest]")
@click.option("--views", is_flag=True, help="Show what each seat saw before it decided.")
@style_option
@workspace_option
def show(match: int | None, *, league: str | None, views: bool, style: str, workspace: Path) -> None:
    """Print the match of that number, decision by decision; without a number list a league's matches.

    \b
    Example:
      arena show --league friday
      arena show 17 --views
    """
    if match is None and views:
        raise UserError("--views is of one match; type for example: arena show 17 --views")
    if match is not None and league:
        raise UserError("--league is of a list; leave it out, or the number of the match")
    with Store.open(workspace, read_only=True) as store:
        if match is None:
            text = _list(store, league, style)
        else:
            text = _story(store, match, views=views, style=style)
    click.echo(text)


def _list(store: Store, league: str | None, style: str) -> str:
    chosen = store.chosen_league(league) if league else newest_league(store)
    if chosen.game not in GAMES:
        raise UserError(f"league {chosen.name} cannot be read here: {no_such('game', chosen.game, GAMES)}")
    return matches.listing(store.matches(chosen.name), GAMES[chosen.game].sides(chosen.players), style)


def _story(store: Store, number: int, *, views: bool, style: str) -> str:
    try:
        return matches.story(store.match(number), views=views, style=style)
    except BadTranscript as error:
        raise UserError(f"match {number} cannot be shown: {error}") from None
