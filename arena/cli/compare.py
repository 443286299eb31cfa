"""The command that tells whether one bot is stronger than another."""

from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from arena import grid, leaderboard
from arena.cli import EXIT_INTERRUPTED, league, verdict
from arena.cli.looks import UNITS, looks
from arena.cli.options import Between, look_options, table_options, workspace_option
from arena.cli.said import say, to_type, walls
from arena.grid import Look
from arena.league import config, planning
from arena.league.comparing import BATCH, PATIENCE, SCHEDULE, Request, earlier, proposed
from arena.league.findings import Finding, found_so_far
from arena.league.planning import SANDBOX, Change, Plan, Proposal
from arena.league.schedules import SCHEDULES
from arena.model import MOST_ELO, RISKS, Bounds, Scale, UserError
from arena.sandbox import BACKENDS
from arena.store import Store

BOUNDS = Bounds()

NUMBER = click.IntRange(1, 999_999)
RISK = Between(*RISKS)

GOING_ON = ("new", "old", "name", "jobs", "style", "color", "workspace")
"""Parameters that ask for nothing else than what was begun."""


@click.command()
@click.argument("new", required=False)
@click.argument("old", required=False)
@click.option("--game", help="The game.  [default: the only one that both play]")
@click.option("--players", type=int, help="Seats at a table.  [default: as few as the game allows]")
@click.option("--field", metavar="A,B,...", default="", help="Who else sits there.  [default: house bots]")
@click.option(
    "--bounds",
    metavar="H0,H1",
    help=f"Differences to decide between.  [default: {BOUNDS.elo0:g},{BOUNDS.elo1:g}]",
)
@click.option("--alpha", type=RISK, default=BOUNDS.alpha, show_default=True, help="Risk of a wrong H1.")
@click.option("--beta", type=RISK, default=BOUNDS.beta, show_default=True, help="Risk of a wrong H0.")
@click.option("--logistic", is_flag=True, help="Differences in Elo as ratings have it, not in nElo.")
@click.option(
    "--boards", type=int, help=f"Boards that are allowed.  [default: {PATIENCE} times those expected]"
)
@click.option("--fixed", type=NUMBER, help="Play so many boards instead, whatever they show.")
@click.option("--batch", type=NUMBER, default=BATCH, show_default=True, help="Boards between two looks.")
@click.option("--seed", help="Any text; equal seeds deal equal cards.  [default: at random]")
@click.option("--name", help="What it is called; alone, goes on with it.  [default: such as compare-idiot]")
@table_options
@click.option(
    "--block",
    type=int,
    help=f"Boards for one start of the bots.  [default: {SCHEDULES[SCHEDULE].block}]",
)
@click.option("--sandbox", type=click.Choice(list(BACKENDS)), help=f"Their walls.  [default: {SANDBOX}]")
@look_options
@workspace_option
@click.pass_context
def compare(  # noqa: PLR0913 - click hands over each option by name
    ctx: click.Context,
    /,
    new: str | None,
    old: str | None,
    workspace: Path,
    *,
    look: Look,
    name: str | None,
    jobs: int | None,
    **options: Any,
) -> None:
    """Tell whether NEW is stronger than OLD: play both on the same deals, until that is known.

    A bot is named, or one of its versions as NAME@FIRST-DIGITS. Without OLD it is the version before; without
    both, earlier comparisons are listed. It stops by itself: at H1, NEW is stronger, or at H0, it is not by
    so much. The same command goes on where it was stopped, and shows the result of one that has ended.

    What the numbers mean is in docs/compare.md. Exit codes: 0 whatever the verdict, 130 after Ctrl-C.

    \b
    Example:
      arena compare greedy
      arena compare greedy@3f2a greedy@91bc --game idiot --bounds -40,0
      arena compare greedy random --game imp --players 3 --fixed 200
    """
    if new is None and name is not None:
        _refuse_changes(ctx)
    if new is None and name is None:
        with Store.open(workspace, read_only=True) as store:
            click.echo(listing(store, look))
        return
    with Store.reopen(workspace) as store:
        proposal = _proposed(store, new, old, name, options)
        interrupted = not _ended(store, proposal) and play(store, proposal, jobs)
        show(found_so_far(store, proposal.plan.league), look)
    ctx.exit(EXIT_INTERRUPTED if interrupted else 0)


def _refuse_changes(ctx: click.Context) -> None:
    """A name alone goes on with what was asked; refuse what would ask for something else."""
    typed = [
        param.opts[0]
        for param in ctx.command.params
        if param.name not in GOING_ON
        and ctx.get_parameter_source(param.name or "") is ParameterSource.COMMANDLINE
    ]
    if typed:
        raise UserError(
            f"--name alone goes on with a comparison as it is, and {', '.join(typed)} would change it; "
            "name the bots as well: arena compare NEW OLD --name NAME"
        )


def _proposed(
    store: Store, new: str | None, old: str | None, name: str | None, options: dict[str, Any]
) -> Proposal:
    """The comparison that is asked for, or the earlier one of that name."""
    if new is None:
        assert name is not None
        return Proposal(Plan(earlier(store, name)), Change.NONE)
    return proposed(store, requested(new, old, {**options, "name": name}))


def _ended(store: Store, proposal: Proposal) -> bool:
    return proposal.change is Change.NONE and found_so_far(store, proposal.plan.league).ended


def requested(new: str, old: str | None, options: dict[str, Any]) -> Request:
    """What the command line asks for."""
    scale = Scale.LOGISTIC if options.pop("logistic") else Scale.NORMALISED
    low, high = _ends(options.pop("bounds"))
    bounds = Bounds(low, high, options.pop("alpha"), options.pop("beta"), scale)
    field, fixed, batch = (options.pop(word) for word in ("field", "fixed", "batch"))
    if fixed and options["boards"]:
        raise UserError("--fixed is how many boards are played, --boards how many at most; leave one out")
    names = tuple(each.strip() for each in field.split(",") if each.strip())
    return Request(
        new, old, names, bounds, fixed, batch, config.wish(league.typed(options), where="command line")
    )


def _ends(text: str | None) -> tuple[float, float]:
    """Both bounds, as they are typed."""
    if text is None:
        return BOUNDS.elo0, BOUNDS.elo1
    try:
        low, high = map(float, text.split(","))
    except ValueError:
        low = high = 0.0
    if not -MOST_ELO <= low < high <= MOST_ELO:
        raise UserError(
            f"--bounds {grid.whole(text)!r}: two numbers from {-MOST_ELO:g} to {MOST_ELO:g} are needed, "
            f"the lower one first; type --bounds 0,40"
        )
    return low, high


def play(store: Store, proposal: Proposal, jobs: int | None) -> bool:
    """Play what is missing, showing how it goes; says whether Ctrl-C ended it."""
    plan = planning.settled(store, proposal)
    announce(found_so_far(store, plan.league))
    for note in plan.notes:
        say(f"note: {note}")
    ran = league.play(store, plan.league, jobs, display=lambda of: looks(lambda: found_so_far(store, of)))
    if ran.interrupted:
        line = to_type("arena", "compare", "--name", plan.league.name)
        say(f"stopped before a verdict; to go on type the same command, or: {line}")
    return ran.interrupted


def announce(found: Finding) -> None:
    """Say what will be played, and what nobody may doubt later."""
    new, old = verdict.named(found)
    of, asked = found.league, found.asked
    say(f"{of.name}: {new} against {old}, {leaderboard.seated(of)}")
    if asked.field:
        say(f"others at the table: {', '.join(grid.short(each.name) for each in asked.field)}")
    most, matches = of.extensions[-1].boards, found.sample.matches
    if asked.fixed:
        say(f"{grid.counted(most, 'board')}, {matches} matches each")
    else:
        unit, bounds = UNITS[asked.bounds.scale], asked.bounds
        say(
            f"H0: {unit} {bounds.elo0:g}, H1: {unit} {bounds.elo1:g}; about {found.planned} boards where one "
            f"of them is true, at most {most}, {matches} matches each"
        )
    for line in league.commitments(of):
        say(line)
    walls(of.sandbox)


def show(found: Finding, look: Look) -> None:
    """Print what it came to, and how to look at it again."""
    click.echo(verdict.page(found, look))
    of = found.league
    say(f"its matches: {to_type('arena', 'show', '--league', of.name)}")
    if found.ended:
        say(f"this again: {to_type('arena', 'compare', '--name', of.name)}")
        if found.verdict is None and not found.asked.fixed:
            say(f"to go on: the command that began it, with --boards {2 * of.extensions[-1].boards}")
        for line in league.secrets(of):
            say(line)


def listing(store: Store, look: Look) -> str:
    """The comparisons of a workspace, the newest last."""
    every = [found_so_far(store, of) for of in store.leagues() if of.comparison]
    if not every and not look.bare():
        return "no comparison yet; type: arena compare NEW OLD"
    return verdict.listing(every, look)
