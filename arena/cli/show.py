"""Commands that show results: a league's leaderboard, its matches, one match."""

from pathlib import Path

import click

from arena import leaderboard as board
from arena.cli import matches
from arena.cli.options import style_option, workspace_option
from arena.games import GAMES
from arena.grid import BARE_STYLES, counted
from arena.model import HOUSE, League, Result, UserError, no_such
from arena.ratings import without_forfeits
from arena.store import Store
from arena.transcript import BadTranscript


@click.command()
@click.argument("league", required=False)
@click.option(
    "--columns",
    metavar="A,B,...",
    help=f"Any of {', '.join(board.COLUMNS)}.  [default: {', '.join(board.DEFAULT_COLUMNS)}]",
)
@click.option("--anchor", metavar="NAME=ELO", help="Put this bot at that rating; errors stay the same.")
@click.option("--without-forfeits", is_flag=True, help="Leave out the boards on which a bot failed.")
@click.option("--differences", is_flag=True, help="Compare every two bots instead.")
@style_option
@workspace_option
def leaderboard(  # noqa: PLR0913 - click hands over each option by name
    league: str | None,
    *,
    style: str,
    columns: str | None,
    anchor: str | None,
    without_forfeits: bool,
    differences: bool,
    workspace: Path,
) -> None:
    """Rank the bots of LEAGUE, or of the newest league.

    What the numbers mean, and what may be concluded from them, is in docs/ratings.md.

    \b
    Example:
      arena leaderboard friday --columns rank,bot,elo,error,range --style github
    """
    with Store.open(workspace, read_only=True) as store:
        chosen = _league(store, league)
        results = store.results(chosen.name)
    if differences and (columns or anchor):
        raise UserError("--differences has columns of its own; leave --columns and --anchor out")
    if without_forfeits:
        results = _without_forfeits(results)
    if differences:
        click.echo(board.differences(chosen, results, style=style))
    else:
        click.echo(_page(chosen, results, columns=columns, style=style, anchor=anchor))


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
    chosen = _league(store, league)
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


def _page(
    league: League, results: list[Result], *, columns: str | None, style: str, anchor: str | None
) -> str:
    keys = tuple(key.strip() for key in columns.split(",")) if columns else ()
    entrants = (*league.extensions[-1].entrants, *([HOUSE] if league.fill_house else []))
    fixed = board.anchor_named(anchor, entrants) if anchor else None
    return board.page(league, results, columns=keys, style=style, anchor=fixed)


def _without_forfeits(results: list[Result]) -> list[Result]:
    kept = without_forfeits(results)
    click.echo(
        f"{counted(len(results) - len(kept), 'match')} left out: boards on which a bot failed", err=True
    )
    return kept


def _league(store: Store, name: str | None) -> League:
    """The league of that name; without one the newest, with a word about the others."""
    league, names = store.chosen_league(name), [each.name for each in store.leagues()]
    if name is None and len(names) > 1:
        known = ", ".join(names)
        click.echo(f"the newest of {len(names)} leagues: {known}; name another to see that one", err=True)
    return league
