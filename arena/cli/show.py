"""Command that shows matches: those of a league as a list, or one of them."""

from pathlib import Path

import click

from arena.cli import matches
from arena.cli.chosen import newest_league
from arena.cli.options import MatchNumber, style_option, workspace_option
from arena.cli.said import say, to_type
from arena.games import GAMES
from arena.model import UserError, no_such
from arena.store import Store
from arena.transcript import BadTranscript

NEWEST = 1_000
"""Matches that are listed: more scroll away, and a league may have a million."""


@click.command()
@click.argument("match", type=MatchNumber(), required=False)
@click.option("--league", metavar="NAME", help="Whose matches to list.  [default: the newest]")
@click.option(
    "--newest",
    type=click.IntRange(min=1),
    metavar="K",
    help=f"How many matches to list.  [default: {NEWEST:,}]",
)
@click.option("--views", is_flag=True, help="Show what each seat saw before it decided.")
@style_option
@workspace_option
def show(  # noqa: PLR0913 - click hands over each option by name
    match: int | None,
    *,
    league: str | None,
    newest: int | None,
    views: bool,
    style: str,
    workspace: Path,
) -> None:
    """Print the match of that number, decision by decision; without a number list a league's matches.

    \b
    Example:
      arena show --league friday
      arena show 17 --views
    """
    if match is None and views:
        raise UserError("--views is of one match; type for example: arena show 17 --views")
    if match is not None and (league or newest):
        raise UserError("--league and --newest are of a list; leave them out, or the number of the match")
    with Store.open(workspace, read_only=True) as store:
        if match is None:
            text = _list(store, league, newest or NEWEST, style)
        else:
            text = _story(store, match, views=views, style=style)
    click.echo(text)


def _list(store: Store, league: str | None, newest: int, style: str) -> str:
    chosen = store.chosen_league(league) if league else newest_league(store)
    if chosen.game not in GAMES:
        raise UserError(f"league {chosen.name} cannot be read here: {no_such('game', chosen.game, GAMES)}")
    listed, played = store.matches(chosen.name, newest=newest), store.matches_played(chosen.name)
    if len(listed) < played:
        say(f"the newest {len(listed):,} of {played:,} matches; to see more add --newest {played}")
    if not played and chosen.comparison is None:
        say(f"no match yet; to play them type: {to_type('arena', 'run', chosen.name)}")
    return matches.listing(listed, GAMES[chosen.game].sides(chosen.players), style)


def _story(store: Store, number: int, *, views: bool, style: str) -> str:
    try:
        return matches.story(store.match(number), views=views, style=style)
    except BadTranscript as error:
        raise UserError(f"match {number} cannot be shown: {error}") from None
