"""Commands that show what bots did wrong, and what they printed."""

import dataclasses
from pathlib import Path

import click
import msgspec

from arena.cli import failures
from arena.cli.match import Wish, again
from arena.cli.options import MatchNumber, style_option, workspace_option
from arena.cli.said import to_type
from arena.games import GAMES
from arena.grid import BARE_STYLES, counted, short
from arena.model import HOUSE, Entrant, UserError, no_such
from arena.store import Store, StoredMatch, folded

NEWEST = 3
"""Faults of a bot that are told at a time."""


@click.command()
@click.argument("bot", required=False)
@click.option("--league", metavar="NAME", help="Whose faults.  [default: the newest]")
@click.option("--match", type=MatchNumber(), metavar="N", help="Those of one match, with the answer in full.")
@click.option(
    "--newest", type=click.IntRange(min=1), metavar="K", help=f"How many of BOT to tell.  [default: {NEWEST}]"
)
@style_option
@workspace_option
def faults(  # noqa: PLR0913 - click hands over each option by name
    bot: str | None, *, league: str | None, match: int | None, newest: int | None, style: str, workspace: Path
) -> None:
    """List the faults of a league by bot and kind; with BOT tell its newest with all that is known of them.

    That is what the bot was asked, what it sent, the time it took, how it ended and what it printed.

    \b
    Example:
      arena faults --league friday
      arena faults my_bot
      arena faults my_bot --match 17
    """
    if match is not None and (league or newest):
        raise UserError("--match is one of the workspace's; leave --league and --newest out")
    if bot is None and newest:
        raise UserError("--newest is of one bot; type for example: arena faults my_bot --newest 10")
    with Store.open(workspace, read_only=True) as store:
        if match is not None:
            text = _of_match(store, store.match(match), bot)
        else:
            text = _of_league(store, league, bot, newest=newest, style=style)
    click.echo(text)


@click.command()
@click.argument("match", type=MatchNumber())
@click.argument("bot", required=False)
@workspace_option
def logs(match: int, *, bot: str | None, workspace: Path) -> None:
    """Show what the bots of MATCH printed, or what BOT did: of each the first and the last 32 KiB.

    \b
    Example:
      arena logs 17 my_bot
    """
    with Store.open(workspace, read_only=True) as store:
        found = store.match(match)
    click.echo(failures.logs(found, seats_of(found, bot)))


def _of_league(store: Store, name: str | None, bot: str | None, *, newest: int | None, style: str) -> str:
    league = store.chosen_league(name)
    rows = store.matches(league.name, faulted=True)
    found = failures.failures(rows, bot)
    if bot is not None and not found:
        _check_plays(bot, [each.name for each in league.extensions[-1].entrants], f"of league {league.name}")
    if (bot is None and found) or style in BARE_STYLES:
        return failures.listing(found, style)
    if not found:
        if bot is not None:
            return f"bot {short(bot)} failed in no match of league {league.name}"
        played = counted(store.matches_played(league.name), "match")
        return f"no bot failed in league {league.name}, in {played}"
    told = list(reversed(found))[: newest or NEWEST]
    parts = [_story(store, store.match(each.row.id), each.number, whole=False) for each in told]
    if len(found) > len(told):
        more = to_type("arena", "faults", bot or "", "--newest", str(len(found)))
        parts.append(f"{len(found) - len(told)} older: {more}")
    return "\n\n".join(parts)


def _of_match(store: Store, match: StoredMatch, bot: str | None) -> str:
    if bot is not None:
        seats_of(match, bot)
    found = failures.failures([match], bot)
    if not found:
        return f"{'no bot' if bot is None else f'bot {short(bot)}'} failed in match {match.id}"
    return "\n\n".join(_story(store, match, each.number, whole=True) for each in found)


def _story(store: Store, match: StoredMatch, number: int, *, whole: bool) -> str:
    """One fault, and where there is more of it."""
    bot = match.seating[match.outcome.faults[number].seat].name
    return "\n".join(
        [
            failures.story(match, number, whole=whole),
            f"All it printed: {to_type('arena', 'logs', str(match.id), bot)}",
            f"Every decision: {to_type('arena', 'show', str(match.id), '--views')}",
            f"To play it again: {played_again(store, match)}",
        ]
    )


def played_again(store: Store, match: StoredMatch) -> str:
    """Command that plays a stored match anew: the same versions in the same seats, their cards and clocks."""
    league = store.chosen_league(match.league)
    usual = dataclasses.asdict(GAMES[match.game].options())
    options = {key: value for key, value in match.options.items() if value != usual[key]}
    return again(
        Wish(
            game=match.game,
            bots=tuple(_meant(store, entrant) for entrant in match.seating),
            players=len(match.seating),
            boards=None,
            option=tuple(f"{key}={str(value).lower()}" for key, value in options.items()),
            seed=None,
            sandbox=league.sandbox,
            watch=False,
            pause=0.0,
            logs=False,
            auto_forced=match.auto_forced,
            **msgspec.structs.asdict(league.clock),
        ),
        match.board.seed.hex(),
    )


def _meant(store: Store, entrant: Entrant) -> str:
    """How a version is named to `arena match`: the bot's name means its latest one."""
    newest = store.latest(entrant.name)
    if entrant == HOUSE or (newest is not None and newest.version == entrant.version):
        return entrant.name
    return str(store.submissions / entrant.version)


def seats_of(match: StoredMatch, bot: str | None) -> list[int]:
    """Seats of a bot at a match, without its name all; raises UserError when it did not play."""
    names = [entrant.name for entrant in match.seating]
    if bot is not None:
        _check_plays(bot, names, f"in match {match.id}")
    return [seat for seat, name in enumerate(names) if bot is None or folded(name) == folded(bot)]


def _check_plays(bot: str, names: list[str], where: str) -> None:
    if folded(bot) not in map(folded, names):
        raise UserError(no_such("bot", bot, dict.fromkeys(names), of=where))
