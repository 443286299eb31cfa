"""Commands that play leagues and tell how far they are."""

import importlib
import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from types import ModuleType
from typing import Any

import click

from arena import __version__, grid, leaderboard
from arena.cli import EXIT_INTERRUPTED, screen
from arena.cli.options import CLOCKS, PLAIN, style_option, table_options, workspace_option
from arena.cli.preview import dry_run as foreseen_as
from arena.cli.progress import shown
from arena.cli.said import duration, say, to_type, walls
from arena.deals import commitment
from arena.league import config, planning, runner
from arena.league.course import Astray, standing
from arena.league.runner import Listener, Ran
from arena.league.schedule import schedule_of, size_of
from arena.league.schedules import SCHEDULES
from arena.league.schedules.line_ups import every_line_up, line_up_count
from arena.league.status import Phase, Status, matches_by_entrant, statuses
from arena.league.status import status as status_of
from arena.league.until import EXAMPLES
from arena.model import League, Partners, UserError
from arena.overload import void_said
from arena.sandbox import BACKENDS
from arena.store import Store

EXIT_STOPPED = 1

USUAL = SCHEDULES[planning.SCHEDULE]

Display = Callable[[League], AbstractContextManager[Listener]]
"""How a run is shown while it goes on."""


@click.command()
@click.argument("target", metavar="[NAME | FILE.toml]", required=False)
@click.option("--game", help="The game; a new league needs it.")
@click.option("--players", type=int, help="Seats at a table.  [default: as few as the game allows]")
@click.option("--bots", metavar="A,B,...", help="Who plays.  [default: all bots admitted to the game]")
@click.option(
    "--boards",
    type=int,
    help=f"Boards of each line-up.  [default: {USUAL.boards}, or as the schedule has it]",
)
@click.option("--seed", help="Any text; equal seeds deal equal cards.  [default: at random]")
@click.option("--name", help="What the league is called.  [default: such as idiot-2p]")
@table_options
@click.option(
    "--block",
    type=int,
    help=f"Boards for one start of the bots.  [default: {USUAL.block}, or as the schedule has it]",
)
@click.option(
    "--schedule", type=click.Choice(list(SCHEDULES)), help=f"Who meets.  [default: {planning.SCHEDULE}]"
)
@click.option("--lineups", type=int, metavar="N", help="So many line-ups, chosen evenly.  [default: all]")
@click.option(
    "--gauntlet", multiple=True, metavar="BOT", help="Meets all others, which do not meet; repeatable."
)
@click.option("--until", metavar="END", help=f"Where results decide what is played next: {EXAMPLES}.")
@click.option(
    "--partners",
    type=click.Choice([each.value for each in Partners]),
    help="Who plays a side of two: the same bot twice, or two bots.  [default: same]",
)
@click.option("--fill", type=click.Choice(["house"]), help="Who takes the seats that bots leave free.")
@click.option(
    "--sandbox", type=click.Choice(list(BACKENDS)), help=f"Their walls.  [default: {planning.SANDBOX}]"
)
@click.option("--cluster", metavar="ADDRESS", help="A Dask cluster that plays, such as tcp://10.0.0.5:8786.")
@click.option(
    "--auto-forced/--no-auto-forced",
    default=None,
    help="Whether the only legal action is played without asking.  [default: auto-forced]",
)
@click.option("--dry-run", is_flag=True, help="Show what would be played, and how long it takes.")
@style_option
@workspace_option
@click.pass_context
def run(
    ctx: click.Context, /, target: str | None, workspace: Path, *, dry_run: bool, style: str, **options: Any
) -> None:
    """Play a league: begin one, go on with NAME, or let it grow by --bots and --boards.

    A FILE.toml has the same words as these options; options on the command line win.

    Ctrl-C lets the running tables finish, a second one discards them; the same command, or the league's name
    alone, goes on from there.

    \b
    Example:
      arena run --game idiot --players 3 --boards 16 --name friday
      arena run friday --boards 64
      arena run --game idiot --until "top 3 separated" --dry-run
      arena run friday --cluster tcp://10.0.0.5:8786
    """
    wish = wished(target, options)
    if dry_run:
        click.echo(foreseen(workspace, wish, style))
        return
    if wish.cluster:
        clusters()
    with Store.reopen(workspace) as store:
        plan = planning.plan(store, wish)
        announce(plan, here=wish.cluster is None)
        ran = play(store, plan.league, wish.jobs, cluster=wish.cluster)
        report(store, plan.league, ran, style, cluster=wish.cluster)
    ctx.exit(EXIT_INTERRUPTED if ran.interrupted else 0)


@click.command()
@style_option
@workspace_option
def leagues(workspace: Path, style: str) -> None:
    """List the leagues of this workspace, the newest last.

    \b
    Example:
      arena leagues
    """
    with Store.open(workspace, read_only=True) as store:
        click.echo(listing(statuses(store), style))


@click.command()
@click.argument("name", required=False)
@style_option
@workspace_option
def status(name: str | None, workspace: Path, style: str) -> None:
    """Tell how far a league is, while it runs too; without NAME the one that runs, or the newest.

    \b
    Example:
      arena status friday
    """
    with Store.open(workspace, read_only=True) as store:
        click.echo(summary(store, status_of(store, name), style))


def wished(target: str | None, options: dict[str, Any]) -> config.Wish:
    """What a file, a name and the options ask for together."""
    given = typed(options)
    if "gauntlet" in given:
        given["gauntlet"] = list(given["gauntlet"])
    if "bots" in given:
        given["bots"] = [name.strip() for name in given["bots"].split(",") if name.strip()]
    file = config.Wish()
    if target is not None and target.endswith(".toml"):
        file = config.read(Path(target))
    elif target is not None and given.setdefault("name", target) != target:
        raise UserError(f"the league is named twice, {target!r} and {given['name']!r}; leave --name out")
    return config.over(config.wish(given, where="command line"), file)


def typed(options: dict[str, Any]) -> dict[str, Any]:
    """The options that were typed, as `config.wish` takes them."""
    given = {word: value for word, value in options.items() if value not in (None, ())}
    clock = {word: given.pop(word) for word in CLOCKS if word in given}
    return given | {"clock": clock, "option": pairs(given.get("option", ()))}


def pairs(texts: tuple[str, ...]) -> dict[str, str]:
    """Options of a game as they are typed; one without a value is left to whoever knows what it may be."""
    return {name: value for name, _, value in (text.partition("=") for text in texts)}


def announce(plan: planning.Plan, *, here: bool = True) -> None:
    """Say what will be played, and what nobody may doubt later."""
    head(plan.league)
    for line in commitments(plan.league):
        say(line)
    walls(plan.league.sandbox, here=here)
    for note in plan.notes:
        say(f"note: {note}")


def head(league: League) -> None:
    """Say what a league is."""
    last = league.extensions[-1]
    size = size_of(league)
    bots = ", ".join(grid.short(entrant.name) for entrant in last.entrants)
    house = " and the house bot" if league.fill_house else ""
    say(f"league {league.name}: {leaderboard.seated(league)}, {grid.counted(last.boards, 'board')}")
    say(f"bots: {bots}{house}")
    counts = ((size.line_ups, "line-up"), (size.tables, "table"), (size.matches, "match"))
    most = "at most " if size.at_most else ""
    for line in (*scheduled(league), *asking(league)):
        say(line)
    say(most + ", ".join(grid.counted(number, word) for number, word in counts))


def scheduled(league: League) -> Iterator[str]:
    """How its tables are chosen, where that is unusual."""
    until = league.extensions[-1].until
    words = [league.schedule, *(f"of {grid.short(name)}" for name in league.gauntlet)]
    words += [_some_line_ups(league)] if league.lineups else []
    words += [f"until {until}"] if until else []
    if words != [planning.SCHEDULE]:
        yield f"schedule: {', '.join(words)}"


def _some_line_ups(league: League) -> str:
    """How many line-ups were chosen; all of them where there are no more than were asked for."""
    number = len(league.extensions) - 1
    chosen, every = line_up_count(league, number), every_line_up(league, number)
    if chosen < every:
        return f"{grid.counted(chosen, 'line-up')}, chosen evenly"
    return f"all of the {grid.counted(every, 'line-up')} there can be ({league.lineups} asked for)"


def asking(league: League) -> Iterator[str]:
    """What bots are asked for, where that is unusual."""
    if not league.auto_forced:
        yield "forced decisions are asked for like all others (no auto-forced)"


def foreseen(workspace: Path, wish: config.Wish, style: str) -> str:
    """What would be played; writes nothing."""
    with Store.open(workspace, read_only=True) as store:
        proposal = planning.proposed(store, wish)
        head(proposal.plan.league)
        for note in proposal.plan.notes:
            say(f"note: {note}")
        stands = proposal.change is not planning.Change.NEW
        return foreseen_as(store, proposal.plan.league, stands=stands, jobs=wish.jobs or cores(), style=style)


def cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def commitments(league: League) -> Iterator[str]:
    """What shows later that no card was arranged, one line an extension."""
    for number, extension in enumerate(league.extensions, start=1):
        part = f" of part {number}" if len(league.extensions) > 1 else ""
        yield f"commitment{part}: {commitment(extension.secret)}"


def secrets(league: League) -> Iterator[str]:
    """From these and `docs/deals.md` anyone deals the same cards again."""
    for number, extension in enumerate(league.extensions, start=1):
        part = f" of part {number}" if len(league.extensions) > 1 else ""
        yield f"secret{part}: {extension.secret.hex()}"


def play(
    store: Store,
    league: League,
    jobs: int | None,
    *,
    cluster: str | None = None,
    display: Display = shown,
) -> Ran:
    """Play what is missing, showing how it goes; a failure of ours ends the command with its reason."""
    most = config.RANGES["jobs"][1] if cluster else cores()
    jobs = jobs or most
    if jobs > most:
        say(f"note: {jobs} tables at a time on {most} cores: bots wait for each other while their clocks run")
    crew = clusters().crew(cluster, store, league) if cluster else runner.local
    try:
        with display(league) as listener:
            return runner.run(store, league.name, jobs=jobs, listener=listener, crew=crew)
    except runner.LeagueStopped as stopped:
        say(f"Error: {stopped}")
        say(f"when that is put right, to go on type: {going_on(league, cluster)}")
        raise SystemExit(EXIT_STOPPED) from None


def clusters() -> ModuleType:
    """What plays on clusters, which nobody else needs to have installed."""
    try:
        return importlib.import_module("arena.league.cluster")
    except ModuleNotFoundError as missing:
        raise UserError(
            f"--cluster needs Dask, and there is no module {missing.name}; "
            f"type: pip install 'card-arena[cluster]=={__version__}'"
        ) from None


def going_on(league: League, cluster: str | None) -> str:
    """The command that goes on with a league where it was played."""
    return to_type("arena", "run", league.name, *(("--cluster", cluster) if cluster else ()))


def report(store: Store, league: League, ran: Ran, style: str, *, cluster: str | None = None) -> None:
    """Show the leaderboard, and when all is played the secrets."""
    progress = ran.progress
    if ran.interrupted:
        line = going_on(league, cluster)
        most = "at most " if progress.at_most else ""
        say(f"{progress.done} of {most}{progress.total} tables are played; to go on type: {line}")
    else:
        say(f"all {progress.done} tables are played, {progress.played} of them now: {ran.end}")
        for line in secrets(league):
            say(line)
    scope = leaderboard.Scope((league,), store.briefed(league.name), void_said(store.void(league.name)))
    click.echo(leaderboard.page(scope, look=grid.Look(style)))
    if style not in grid.BARE_STYLES:
        for line in story(store, league, style):
            click.echo(line)


def story(store: Store, league: League, style: str) -> Iterator[str]:
    """What the schedule tells of itself, a bracket for example, in lines."""
    tell = schedule_of(league).story
    if tell:
        try:
            told = tell(league, standing(store, league).played)
        except Astray as astray:
            yield from ("", str(astray))
            return
        rows = [[grid.whole(cell) for cell in row] for row in told.rows]
        yield from ("", f"{told.title}:", "", grid.listing(told.headers, rows, style))


def listing(found: list[Status], style: str) -> str:
    """Table of the leagues."""
    if not found:
        return "no league yet; type: arena run --game idiot"
    rows = [
        (
            each.league.name,
            each.league.game,
            leaderboard.options(each.league),
            each.league.players,
            len(each.league.extensions[-1].entrants),
            each.league.extensions[-1].boards,
            f"{each.activity.tables}/{'≤' if each.size.at_most else ''}{each.size.tables}",
            each.phase.value,
            "none" if each.league.sandbox == PLAIN else each.league.sandbox,
            each.activity.first.astimezone().strftime("%Y-%m-%d %H:%M") if each.activity.first else "not yet",
        )
        for each in found
    ]
    headers = (
        "league",
        "game",
        "options",
        "players",
        "bots",
        "boards",
        "tables",
        "state",
        "walls",
        "started",
    )
    spare = ("started", "boards", "bots", "players", "options")
    return grid.listing(headers, rows, style, width=screen.room(), spare=spare)


def summary(store: Store, each: Status, style: str) -> str:
    """All about one league that can be told while it runs; the table alone where a program reads it."""
    league, activity = each.league, each.activity
    rows = [
        (grid.short(entrant.name), grid.digits(entrant.version), matches)
        for entrant, matches in matches_by_entrant(store, league)
    ]
    table = grid.listing(("bot", "version", "matches"), rows, style)
    if style in grid.BARE_STYLES:
        return table
    tables, matches = grid.counted(each.size.tables, "table"), grid.counted(each.size.matches, "match")
    most = "at most " if each.size.at_most else ""
    walled = "" if league.sandbox != PLAIN else "; PLAYED WITHOUT WALLS (sandbox plain)"
    lines = [
        f"league {league.name}: {leaderboard.seated(league)}{walled}",
        f"{each.phase.value}: {activity.tables} of {most}{tables}, {most}{matches} in all",
        *commitments(league),
    ]
    lines += [*asking(league), *void_said(activity.void)]
    if each.phase is Phase.RUNNING:
        left = f", {most}{duration(each.left_s)} left" if each.left_s is not None else ""
        lines.append(
            f"process {each.runner}: {grid.counted(activity.last_minute, 'table')} in the last minute{left}"
        )
    if each.phase is Phase.UNFINISHED:
        lines.append(f"to go on type: {to_type('arena', 'run', league.name)}")
    if each.phase is Phase.FINISHED:
        lines += [f"ended: {each.end}", *secrets(league)]
    return "\n".join([*lines, "", table, *story(store, league, style)])
