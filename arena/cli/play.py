"""The command `play`: a human at one seat of a table, for practice; nothing of it is stored."""

import contextlib
import dataclasses
import secrets
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import click
import msgspec

from arena import deals, grid
from arena.cli import EXIT_INTERRUPTED, drawing, rules
from arena.cli.human import Human, Left
from arena.cli.league import pairs
from arena.cli.options import PLAIN, workspace_option
from arena.cli.said import say, walls
from arena.grid import listing, short, whole
from arena.league.planning import admitted_bot, game_options
from arena.league.schedules.line_ups import sides_needed
from arena.model import HOUSE, Board, Clock, Entrant, TableJob, TableResult, UserError
from arena.sandbox import BACKENDS, require
from arena.store import Store
from arena.submissions import check_built
from arena.table import WardenLost, play_table
from protocol.text import pasted

YOU = Entrant("you", "human")
PRACTICE = "This was practice, nothing is stored."


@click.command()
@click.argument("game")
@click.option("--players", type=int, help="Seats at the table.  [default: as few as the game allows]")
@click.option("--seat", type=int, default=0, show_default=True, help="Yours; seat 0 is left of the dealer.")
@click.option(
    "--against", metavar="A,B,...", help="Bots for the other seats, in their order.  [default: house]"
)
@click.option("--option", multiple=True, metavar="KEY=VALUE", help="An option of the game; repeatable.")
@click.option("--seed", help="Any text; equal seeds deal equal cards.  [default: at random]")
@click.option(
    "--sandbox",
    type=click.Choice(list(BACKENDS)),
    default="bwrap",
    show_default=True,
    help="The bots' walls.",
)
@workspace_option
@click.pass_context
def play(ctx: click.Context, /, workspace: Path, **options: Any) -> None:
    """Play GAME yourself, against bots of this workspace or the house bot, in this terminal.

    They are asked as at any other table, in their boxes and by their clocks; you have all the time you like.
    It is practice: no league and no leaderboard hears of it.

    \b
    Example:
      arena play idiot
      arena play imperial --players 3 --against imperial_thumb,random
    """
    wish = Wish(**options)
    with leaving(ctx):
        practice = prepared(wish, workspace)
        result = played(practice)
        ended(practice, result)
        say(f"{PRACTICE} For the same cards type: {again(wish, practice)}")


class Wish(msgspec.Struct, frozen=True):
    """What was typed on the command line."""

    game: str
    players: int | None
    seat: int
    against: str | None
    option: tuple[str, ...]
    seed: str | None
    sandbox: str


class Practice(msgspec.Struct, frozen=True):
    """A table that is ready to be played."""

    job: TableJob
    table: drawing.Table
    seed: str


def prepared(wish: Wish, workspace: Path) -> Practice:
    """Seat everybody and deal; raises UserError for what cannot be played."""
    game = rules.named(wish.game)
    players = wish.players or game.players[0]
    sides_needed(game.name, players)
    options = game_options(game.name, dict(pairs(wish.option)))
    seats = seating(wish, players, workspace)
    seed = secrets.token_hex(4) if wish.seed is None else wish.seed
    job = TableJob(
        key="practice",
        game=game.name,
        options=options,
        seating=seats,
        boards=(Board(1, cards(seed, game.name, options)),),
        clock=Clock(),
        sandbox=wish.sandbox,
        submissions=str((workspace / "submissions").resolve()),
    )
    usual = dataclasses.asdict(game.options())
    table = drawing.Table(
        game=game.name,
        names=names(seats),
        sides=game.sides(players),
        seat=wish.seat,
        agreed=", ".join(f"{key}={value}".lower() for key, value in options.items() if value != usual[key]),
    )
    return Practice(job, table, seed)


def cards(seed: str, game: str, options: dict[str, Any], number: int = 1) -> bytes:
    """Seed of a board: the same cards whoever is played against."""
    secret = deals.league_secret(seed, 0)
    return deals.board_seed(secret, game=game, options=options, versions=(), number=number)


def seating(wish: Wish, players: int, workspace: Path) -> tuple[Entrant, ...]:
    """Who sits where: the bots in the order in which they were named, then the house."""
    asked = [name.strip() for name in (wish.against or "").split(",") if name.strip()]
    if wish.seat not in range(players):
        raise UserError(f"there is no seat {wish.seat}; --seat may be 0 to {players - 1}")
    if len(asked) >= players:
        raise UserError(
            f"--against names {len(asked)}, and at a table of {players} there are {players - 1} seats "
            f"beside yours; leave some out, or type a larger --players"
        )
    others = [*entrants(asked, wish.game.lower(), workspace), *[HOUSE] * (players - 1 - len(asked))]
    return (*others[: wish.seat], YOU, *others[wish.seat :])


def entrants(asked: Sequence[str], game: str, workspace: Path) -> list[Entrant]:
    """Bots of these names at their latest versions."""
    if all(name == HOUSE.name for name in asked):
        return [HOUSE] * len(asked)
    with Store.open(workspace, read_only=True) as store:
        bots = [None if name == HOUSE.name else admitted_bot(store, game, name) for name in asked]
    return [HOUSE if bot is None else Entrant(bot.name, bot.version) for bot in bots]


def names(seats: Sequence[Entrant]) -> tuple[str, ...]:
    """What each seat is called: its bot's name, with the seat's number where there are several of it."""
    shown = [grid.clipped(short(each.name), drawing.NAME) for each in seats]
    counts = Counter(shown)
    return tuple(
        name if counts[name] == 1 or seats[seat] == YOU else f"{name} {seat}"
        for seat, name in enumerate(shown)
    )


def played(practice: Practice) -> TableResult:
    """Play the match to its end."""
    job = practice.job
    if any(each not in (HOUSE, YOU) for each in job.seating):
        require(job.sandbox)
        if job.sandbox == PLAIN:
            walls(PLAIN)
        bots = (each for each in job.seating if each not in (HOUSE, YOU))
        check_built(Path(job.submissions), bots, sandbox=job.sandbox)
    try:
        return play_table(job, guests={practice.table.seat: Human(practice.table)})
    except WardenLost as lost:
        raise UserError(f"the arena failed, not a bot ({lost}); type the command again") from lost


@contextlib.contextmanager
def leaving(ctx: click.Context) -> Iterator[None]:
    """Within, whoever leaves has left in good order: the table is taken down."""
    try:
        yield
    except Left:
        say(f"You have left the table. {PRACTICE}")
    except KeyboardInterrupt:
        say(f"\nYou have left the table. {PRACTICE}")
        ctx.exit(EXIT_INTERRUPTED)


def ended(practice: Practice, result: TableResult) -> None:
    """Say who came where, and who failed."""
    (match,) = result.matches
    outcome, table = match.outcome, practice.table
    for fault, detail in zip(outcome.faults, match.measurement.fault_details, strict=True):
        click.echo(f"{table.names[fault.seat]} has failed, {fault.kind}: {whole(detail)}")
    rows = [
        (
            f"{place:g}",
            " and ".join(table.names[seat] for seat in side),
            "forfeit" if outcome.scores is None else f"{round(outcome.scores[number], 2):g}",
        )
        for number, (side, place) in enumerate(zip(table.sides, outcome.places, strict=True))
    ]
    click.echo(listing(("place", "who", "score"), sorted(rows, key=lambda row: float(row[0]))) + "\n")


def again(wish: Wish, practice: Practice) -> str:
    """Command that deals the same cards to the same seats."""
    given = {
        "--players": wish.players,
        "--seat": wish.seat or None,
        "--against": wish.against,
        "--seed": practice.seed,
        "--sandbox": PLAIN if wish.sandbox == PLAIN else None,
    }
    line = ["arena", "play", practice.job.game]
    line += [text for key, value in given.items() if value is not None for text in (key, str(value))]
    line += [text for pair in wish.option for text in ("--option", pair)]
    return pasted(*line)
