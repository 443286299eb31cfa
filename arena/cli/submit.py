"""Commands that enter bots, list them and take them out."""

import re
import shlex
from pathlib import Path

import click
from msgspec import structs

from arena import grid
from arena.cli import screen
from arena.cli.options import PLAIN, style_option, workspace_option
from arena.cli.said import say, walls, wrapped
from arena.conformance import HINTS
from arena.model import FaultKind
from arena.sandbox import BACKENDS
from arena.store import Bot, Store
from arena.submissions import News, Submitted, Trial
from arena.submissions import submit as enter
from protocol.text import escaped

EXIT_REFUSED = 1

HELLO = re.compile(r'"type"\s*:\s*"hello"')
"""What a bot prints for the arena to hear, when it takes its standard output for the way there."""

SPEAKS_LINES = (
    "  it printed its hello, but was to speak ZeroMQ, as its language does unless told otherwise; for lines\n"
    '  submit a folder whose bot.toml has the line: transport = "stdio" (docs/protocol.md)'
)


@click.command()
@click.argument("path", type=click.Path(path_type=Path))
@click.option("--name", help="What the bot is called.  [default: the name in bot.toml, or the program's]")
@click.option("--game", "games", multiple=True, help="Enter it for this game only; repeatable.")
@click.option(
    "--sandbox", type=click.Choice(list(BACKENDS)), default="bwrap", show_default=True, help="Its walls."
)
@workspace_option
@click.pass_context
def submit(  # noqa: PLR0913 - click hands over each option by name
    ctx: click.Context, path: Path, *, name: str | None, games: tuple[str, ...], sandbox: str, workspace: Path
) -> None:
    """Enter a bot: a folder with a bot.toml, a .zip or .tar.gz of one, or a single program.

    It plays one match of each game against the house bot, and is entered when it commits no fault.
    A changed program under the same name is the bot's next version; every version is kept.

    \b
    Example:
      arena submit my_bot.py
      arena submit my_bot/ --name Ann --game idiot
    """
    if sandbox == PLAIN:
        walls(sandbox)
    with Store.open(workspace) as store:
        submitted = enter(store, path, name=name, games=games, sandbox=sandbox, told=Aloud())
    click.echo(wrapped(report(submitted), screen.room()))
    ctx.exit(EXIT_REFUSED if submitted.news is News.REFUSED else 0)


@click.command()
@style_option
@workspace_option
def bots(style: str, workspace: Path) -> None:
    """List the bots of this workspace, each at its current version.

    \b
    Example:
      arena bots --style github
    """
    with Store.open(workspace, read_only=True) as store:
        found = store.bots()
    click.echo(listing(found, style) if found else "no bot yet; type: arena submit PATH")


@click.command()
@click.argument("name")
@click.option("--undo", is_flag=True, help="Let it enter leagues again.")
@workspace_option
def retire(name: str, *, undo: bool, workspace: Path) -> None:
    """Keep a bot out of the leagues to come; those that have it play on with it.

    \b
    Example:
      arena retire Ann
      arena retire Ann --undo
    """
    with Store.reopen(workspace) as store:
        bot = store.restore(name) if undo else store.retire(name)
    shown = grid.short(bot.name)
    click.echo(f"{shown} may enter leagues again" if undo else f"{shown} is retired; its results are kept")


class Aloud:
    """Says how the acceptance goes; a match of a bot that never answers takes half a minute."""

    def builds(self, recipe: tuple[str, ...]) -> None:
        """Say by which command."""
        say(f"building: {escaped(shlex.join(recipe), 200)}")

    def begun(self, game: str) -> None:
        """Say which one is played."""
        say(f"{game}: playing ...")

    def ended(self, trial: Trial) -> None:
        """Say how it ended."""
        say(f"{trial.game}: {'passed' if trial.fault is None else 'failed'}")


def report(submitted: Submitted) -> str:
    """What became of a submission, and why."""
    lines = []
    if submitted.left_out:
        lines.append(f"left out: {', '.join(escaped(path, 80) for path in submitted.left_out)}")
    failures: dict[Trial, list[str]] = {}
    for trial in submitted.trials:
        if trial.fault:
            failures.setdefault(structs.replace(trial, game=""), []).append(trial.game)
    lines += [line for trial, games in failures.items() for line in failure(trial, games)]
    if submitted.untried:
        lines.append(f"not tried in {', '.join(submitted.untried)}: {untried(submitted)}")
    if submitted.unbuilt:
        lines += [f"the build failed: {escaped(submitted.unbuilt.found, 500)}", *words(submitted.unbuilt.log)]
    return "\n".join([*lines, outcome(submitted)])


def untried(submitted: Submitted) -> str:
    """Why it was not tried in all of its games."""
    if submitted.news is News.KNOWN:
        return f"to try it there add for example --game {submitted.untried[0]}"
    unheard = submitted.trials[-1].fault is FaultKind.START
    return "it said no good hello" if unheard else "it has to pass in each"


def failure(trial: Trial, games: list[str]) -> list[str]:
    """What a bot's author has to know of the matches in which it failed in one and the same way."""
    assert trial.fault is not None
    spoke_lines = trial.fault is FaultKind.START and HELLO.search(trial.log)
    return [
        f"failed in {', '.join(games)}, {trial.fault}: {escaped(trial.detail, 500)}",
        *words(trial.log),
        SPEAKS_LINES if spoke_lines else f"  hint: {HINTS[trial.fault]}",
    ]


def words(log: str) -> list[str]:
    """The last that a bot or its build printed."""
    said = [f"  | {escaped(line, 200)}" for line in log.splitlines()]
    return ["  the last it printed:", *said] if said else ["  it printed nothing"]


def outcome(submitted: Submitted) -> str:
    """The last line: entered or not."""
    bot, version = submitted.bot, grid.digits(submitted.version)
    if bot is None:
        return f"refused: {grid.short(submitted.name)} {version} was not entered"
    name = grid.short(bot.name)
    where = f"version {bot.number} of {bot.versions}, {version}; games: {', '.join(bot.games)}"
    sentences = {
        News.ENTERED: f"entered: {name}, {where}",
        News.RENEWED: f"current again: {name}, {where}",
        News.KNOWN: f"nothing new: {name} was entered before, {where}",
    }
    return sentences[submitted.news]


def listing(found: list[Bot], style: str) -> str:
    """Table of bots."""
    rows = [
        (
            grid.short(bot.name),
            grid.digits(bot.version),
            str(bot.versions) if bot.number == bot.versions else f"{bot.number} of {bot.versions}",
            ", ".join(bot.games),
            bot.submitted.astimezone().strftime("%Y-%m-%d %H:%M"),
            ("retired" if bot.retired else "active") + (", NO WALLS" if bot.sandbox == PLAIN else ""),
        )
        for bot in found
    ]
    headers = ("bot", "version", "versions", "games", "submitted", "state")
    return grid.listing(headers, rows, style, width=screen.room(), spare=("versions", "submitted"))
