"""The command `match`: bots against each other at once, entered or not; nothing of it is stored."""

import re
import secrets
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from itertools import combinations
from pathlib import Path
from typing import Any

import click
import msgspec

from arena.cli import drawing, matches, rules, screen
from arena.cli.league import pairs
from arena.cli.options import CLOCK, CLOCKS, PLAIN, Between, clock_options, workspace_option
from arena.cli.play import cards, names
from arena.cli.said import say, to_type, walls
from arena.cli.spectator import Spectator
from arena.games import GAMES
from arena.grid import counted, short, whole
from arena.league.planning import AUTO_FORCED, admitted_bot, game_options
from arena.league.schedules.line_ups import sides_needed
from arena.model import (
    HOUSE,
    Board,
    Clock,
    Entrant,
    MatchRecord,
    Result,
    TableJob,
    UserError,
)
from arena.ratings import crossings
from arena.sandbox import BACKENDS, require
from arena.store import MatchRow, Store
from arena.submissions.visiting import Visit, visiting
from arena.table import WardenLost, play_table, unwatched

EXACT = re.compile(r"[0-9a-f]{64}")
"""A seed that is a board's own, as `arena show` prints it."""

LOG_LINES = 20
"""Of what a bot printed last, shown with its fault."""


class Wish(msgspec.Struct, frozen=True):
    """What was typed on the command line."""

    game: str
    bots: tuple[str, ...]
    players: int | None
    boards: int | None
    option: tuple[str, ...]
    seed: str | None
    sandbox: str
    watch: bool
    pause: float
    logs: bool
    move_ms: int
    bank_ms: int
    start_ms: int
    auto_forced: bool = AUTO_FORCED


@click.command()
@click.argument("game")
@click.argument("bots", metavar="BOT...", nargs=-1, required=True)
@click.option("--players", type=int, help="Seats at the table.  [default: as many as bots, or the fewest]")
@click.option("--boards", type=click.IntRange(1, 1_000), help="Deals, each played in every seating.")
@click.option("--option", multiple=True, metavar="KEY=VALUE", help="An option of the game; repeatable.")
@click.option("--seed", help="Any text, or a board's own seed from `arena show`.  [default: at random]")
@click.option("--watch", is_flag=True, help="Show each decision as it happens.")
@click.option("--pause", type=Between(0, 60), default=0.0, help="Seconds to wait after each, with --watch.")
@click.option("--logs", is_flag=True, help="Show what the bots printed.")
@clock_options(*CLOCKS)
@click.option(
    "--auto-forced/--no-auto-forced",
    default=AUTO_FORCED,
    show_default=True,
    help="Whether the only legal action is played without asking.",
)
@click.option(
    "--sandbox",
    type=click.Choice(list(BACKENDS)),
    default="bwrap",
    show_default=True,
    help="The bots' walls.",
)
@workspace_option
def match(workspace: Path, **options: Any) -> None:
    """Play GAME between bots at once, by the same referee, boxes and protocol as a league.

    A BOT is the name of one that was entered, `house`, or the path of a program, folder or archive that need
    not be. Without --boards it is one match, the first bot in seat 0; with it every deal is played in every
    seating. It is practice: no league and no leaderboard hears of it.

    \b
    Example:
      arena match idiot ./my_bot.py random --watch
      arena match imperial ./my_bot imperial_thumb random --boards 10
    """
    wish = Wish(**options)
    game = rules.named(wish.game)
    with visiting(wish.sandbox) as visit:
        bots = [guest(each, game.name, visit, workspace) for each in wish.bots]
        bots = told_apart(bots)
        seating = seated(bots, game.name, players_of(wish, game.name))
        if set(bots) != {HOUSE}:
            require(wish.sandbox)
            if wish.sandbox == PLAIN:
                walls(PLAIN)
        seed = secrets.token_hex(4) if wish.seed is None else wish.seed
        jobs = tables(wish, seating, seed, visit)
        records = [played(job, number, wish, total=len(jobs)) for number, job in enumerate(jobs, 1)]
    conclusion(wish, jobs, records)
    say(f"This was practice, nothing is stored. For the same cards type: {again(wish, seed)}")


def guest(text: str, game: str, visit: Visit, workspace: Path) -> Entrant:
    """Whoever is meant: the house, a bot of the workspace, or a program that is not entered."""
    if text == HOUSE.name:
        return HOUSE
    known = bots_of(workspace)
    if text not in known and ("/" in text or Path(text).exists()):
        return visit.program(Path(text), game=game)
    if not known:
        raise UserError(
            f"no program {whole(text)!r} here, and no bot in the workspace {whole(str(workspace.absolute()))}"
            "; type the path of a program, or house, or name another folder with --workspace"
        )
    with Store.open(workspace, read_only=True) as store:
        return visit.version(admitted_bot(store, game, text), workspace)


def told_apart(bots: Sequence[Entrant]) -> list[Entrant]:
    """The same; those of one name with other contents have the first digits of their versions beside it."""
    names = Counter(bot.name for bot in set(bots))
    return [
        msgspec.structs.replace(bot, name=f"{bot.name}@{bot.version[:4]}") if names[bot.name] > 1 else bot
        for bot in bots
    ]


def bots_of(workspace: Path) -> list[str]:
    """Names of the bots that were entered; none where there is no workspace."""
    if not (workspace / "arena.db").exists():
        return []
    with Store.open(workspace, read_only=True) as store:
        return [bot.name for bot in store.bots()]


def players_of(wish: Wish, game: str) -> int:
    """How many seats there are."""
    counts = GAMES[game].players
    players = wish.players
    if players is None:
        players = next((count for count in counts if count >= len(wish.bots)), counts[-1])
    sides = sides_needed(game, players)
    if len(wish.bots) > players or sides < len(wish.bots) < players:
        raise UserError(
            f"{len(wish.bots)} bots for {players} seats; name at most {sides}, or one for each seat"
        )
    return players


def seated(bots: Sequence[Entrant], game: str, players: int) -> tuple[Entrant, ...]:
    """Who sits where: a bot for each seat, or for each side, the house where bots are missing."""
    if len(bots) == players:
        return tuple(bots)
    sides = GAMES[game].sides(players)
    filled = [*bots, *[HOUSE] * (len(sides) - len(bots))]
    return tuple(
        filled[side] for _, side in sorted((seat, n) for n, seats in enumerate(sides) for seat in seats)
    )


def tables(wish: Wish, seating: tuple[Entrant, ...], seed: str, visit: Visit) -> list[TableJob]:
    """What is to be played, table by table: fresh processes for every match."""
    game = wish.game.lower()
    options = game_options(game, dict(pairs(wish.option)))
    turns = [seating]
    if wish.boards is not None:
        turns = [seating[-turn:] + seating[:-turn] if turn else seating for turn in range(len(seating))]
    return [
        TableJob(
            key=f"practice-{number}-{turn}",
            game=game,
            options=options,
            seating=bots,
            boards=(Board(number, board_seed(seed, game, options, number)),),
            clock=Clock(wish.move_ms, wish.bank_ms, wish.start_ms),
            sandbox=wish.sandbox,
            submissions=str(visit.submissions.resolve()),
            auto_forced=wish.auto_forced,
        )
        for number in range(1, (wish.boards or 1) + 1)
        for turn, bots in enumerate(dict.fromkeys(turns))
    ]


def board_seed(seed: str, game: str, options: dict[str, Any], number: int) -> bytes:
    """Seed of a board: the one that was given, for the first, or made of the text."""
    if EXACT.fullmatch(seed) and number == 1:
        return bytes.fromhex(seed)
    return cards(seed, game, options, number)


def played(job: TableJob, number: int, wish: Wish, *, total: int) -> MatchRecord:
    """Play one match, shown as it goes where that is asked for."""
    table = drawing.Table(
        game=job.game, names=names(job.seating), sides=GAMES[job.game].sides(len(job.seating)), seat=0
    )
    look = drawing.Look(screen.width(), screen.in_colour())
    if wish.watch:
        click.echo("\n" + drawing.title(table, look))
        click.echo(f"  match {number} of {total}: " + ", ".join(map(str, seats(table))))
    try:
        (record,) = play_table(
            job, watch=Spectator(table, pause_s=wish.pause) if wish.watch else unwatched
        ).matches
    except WardenLost as lost:
        raise UserError(f"the arena failed, not a bot ({lost}); type the command again") from lost
    for line in said(record, number, table, logs=wish.logs):
        click.echo(line)
    return record


def seats(table: drawing.Table) -> Iterator[str]:
    """Who sits where."""
    for seat, name in enumerate(table.names):
        yield f"seat {seat} {name}"


def said(record: MatchRecord, number: int, table: drawing.Table, *, logs: bool) -> Iterator[str]:
    """What failed in a match with the last that the bot printed, or all that everybody did."""
    measured = record.measurement
    for fault, detail in zip(record.outcome.faults, measured.fault_details, strict=True):
        yield f"match {number}: {table.names[fault.seat]} has failed, {fault.kind}: {whole(detail)}"
        if not logs:
            yield from (f"    | {line}" for line in measured.logs[fault.seat].splitlines()[-LOG_LINES:])
    if logs:
        for name, log in zip(table.names, measured.logs, strict=True):
            yield f"match {number}: {name} printed {'' if log else 'nothing'}"
            yield from (f"    | {line}" for line in log.splitlines())


def conclusion(wish: Wish, jobs: Sequence[TableJob], records: Sequence[MatchRecord]) -> None:
    """List the matches; say what the bots took from each other where every seating was played."""
    rows = [
        MatchRow(
            id=number,
            league="",
            table=job.key,
            board=job.boards[0],
            seating=job.seating,
            outcome=record.outcome,
            measurement=record.measurement,
            layers=(),
            void=(),
            finished=datetime.now(UTC),
        )
        for number, (job, record) in enumerate(zip(jobs, records, strict=True), 1)
    ]
    sides = GAMES[jobs[0].game].sides(len(jobs[0].seating))
    click.echo("\n" + matches.listing(rows, sides, "simple"))
    if wish.boards is not None:
        for line in shares([result(row, sides) for row in rows], list(dict.fromkeys(jobs[0].seating))):
            click.echo(line)


def result(row: MatchRow, sides: Sequence[Sequence[int]]) -> Result:
    """A match as ratings see it."""
    faults = row.outcome.faults
    return Result(
        board=row.board.seed.hex(),
        sides=tuple(tuple(row.seating[seat] for seat in side) for side in sides),
        places=row.outcome.places,
        scores=row.outcome.scores,
        faults=tuple(tuple(each.kind for each in faults if each.seat in side) for side in sides),
    )


def shares(results: Sequence[Result], bots: Sequence[Entrant]) -> Iterator[str]:
    """What each bot took of the points against each other, a sentence a pair."""
    found = crossings(results)
    for one, two in combinations(bots, 2):
        if crossing := found.get((one, two)):
            yield (
                f"{short(one.name)} took {crossing.score:.0%} ± {crossing.error:.0%} of the points against "
                f"{short(two.name)}, on {counted(crossing.boards, 'board')}."
            )


def again(wish: Wish, seed: str) -> str:
    """Command that plays the same cards in the same seats, by the same clock."""
    words = ["match", wish.game, *wish.bots, "--seed", seed]
    given = {"players": wish.players, "boards": wish.boards}
    for clock in CLOCKS:
        if getattr(wish, clock) != getattr(CLOCK, clock):
            given[clock.replace("_", "-")] = getattr(wish, clock)
    words += [text for key, value in given.items() if value is not None for text in (f"--{key}", str(value))]
    words += [text for pair in wish.option for text in ("--option", pair)]
    words += ["--sandbox", PLAIN] if wish.sandbox == PLAIN else []
    words += [] if wish.auto_forced == AUTO_FORCED else ["--no-auto-forced"]
    return to_type("arena", *words)
