"""Commands about strength: the leaderboard, and what else the results of a league tell."""

import click

from arena import leaderboard as board
from arena.cli.chosen import Asked, matches_options, model_option, past_of, scope_of, versions_option
from arena.cli.options import look_options
from arena.cli.said import say
from arena.cli.watching import watch as shown_anew
from arena.cli.watching import watch_option
from arena.grid import Look
from arena.leaderboard import COLUMNS, DEFAULT_COLUMNS, Scope


@click.command()
@matches_options
@model_option
@versions_option
@click.option(
    "--columns",
    metavar="A,B.2,C?",
    help=f"Any of {', '.join(COLUMNS)}; .2 is how many digits, ? hides a column that is all alike.  "
    f"[default: {', '.join(DEFAULT_COLUMNS)}]",
)
@click.option("--sort", metavar="KEY[:asc|:desc]", help="By which column.  [default: rank]")
@click.option("--anchor", metavar="NAME=ELO", help="Put this bot at that rating; errors stay the same.")
@watch_option
@look_options
def leaderboard(  # noqa: PLR0913 - click hands over each option by name
    *,
    asked: Asked,
    columns: str | None,
    sort: str | None,
    anchor: str | None,
    watch: float | None,
    look: Look,
) -> None:
    """Rank the bots of LEAGUE, or of the newest league; several leagues of one game are rated together.

    What the numbers mean, and what may be concluded from them, is in docs/ratings.md.

    \b
    Example:
      arena leaderboard friday --columns rank,bot,elo.1,error,faults? --sort place
      arena leaderboard friday --watch
    """
    keys = tuple(key.strip() for key in columns.split(",")) if columns else ()

    def page(scope: Scope) -> str:
        fixed = board.anchor_named(anchor, scope.known()) if anchor else None
        return board.page(scope, columns=keys, sort=sort, anchor=fixed, look=look)

    if watch:
        shown_anew(asked, page, every_s=watch, look=look)
    else:
        scope = scope_of(asked)
        _print(scope, page(scope), look)


@click.command()
@matches_options
@model_option
@versions_option
@click.option("--los", is_flag=True, help="How likely the row is the stronger, instead of by how much.")
@look_options
def matrix(*, asked: Asked, los: bool, look: Look) -> None:
    """Compare every two bots of LEAGUE: by how many Elo the row is stronger, with the error of that.

    \b
    Example:
      arena matrix friday
      arena matrix friday --los --style github
    """
    scope = scope_of(asked)
    _print(scope, board.likelihoods(scope, look) if los else board.differences(scope, look), look)


@click.command()
@matches_options
@versions_option
@look_options
def crosstable(*, asked: Asked, look: Look) -> None:
    """Show what each bot of LEAGUE scored against each other, in the matches in which they met.

    \b
    Example:
      arena crosstable friday
    """
    scope = scope_of(asked)
    _print(scope, board.crosstable(scope, look), look)


@click.command()
@matches_options
@look_options
def seats(*, asked: Asked, look: Look) -> None:
    """Show what each seat scored in LEAGUE, and test whether the seat matters.

    \b
    Example:
      arena seats friday
    """
    scope = scope_of(asked)
    _print(scope, board.seats(scope, look), look)


@click.command()
@click.argument("bot")
@matches_options
@model_option
@look_options
def history(*, bot: str, asked: Asked, look: Look) -> None:
    """Show how strong each version of BOT is, with a plot of the error bars.

    Without names of leagues it is rated in all leagues of one set of rules: those that the most of its
    versions met.

    \b
    Example:
      arena history my_bot
      arena history my_bot --game idiot --style csv
    """
    versions, scope = past_of(bot, asked)
    _print(scope, board.history(versions, scope, look), look)


def _print(scope: Scope, text: str, look: Look) -> None:
    """Print the page; what was left out is told beside it where the page has the table alone."""
    if look.bare():
        for sentence in scope.said:
            say(sentence)
    click.echo(text, color=look.colour)
