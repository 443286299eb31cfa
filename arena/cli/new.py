"""The command that makes a first bot."""

import shlex
import shutil
import sys
from pathlib import Path

import click

from arena import runtimes, starters
from arena.cli.said import say
from arena.sandbox import SandboxError


@click.command()
@click.argument("path", type=click.Path(path_type=Path))
@click.option(
    "--language",
    metavar="L",
    default="python",
    show_default=True,
    help=f"What to write it in: {', '.join(runtimes.RUNTIMES)}.",
)
@click.option("--game", "games", multiple=True, help="What it plays; repeatable.  [default: all games]")
def new(path: Path, *, language: str, games: tuple[str, ...]) -> None:
    """Make a bot that plays already, in a new folder: a program to change, and a test that runs offline.

    \b
    Example:
      arena new my_bot
      arena new my_bot --language rust --game idiot
    """
    named = starters.language_named(language)
    files = starters.make(path, language=named, games=games)
    click.echo(f"made {path}: {', '.join(files)}")
    try:
        runtimes.toolchain(named)
    except SandboxError as missing:
        say(f"{named} bots cannot run on this machine yet: {missing}")
    click.echo(f"to try it offline:  {trial(path, named)}")
    click.echo(f"to enter it:        {shlex.join(('arena', 'submit', str(path)))}")


def trial(path: Path, language: str) -> str:
    """The command that runs a starter's test with the tools that the arena would take."""
    line = shlex.join(("sh", str(path / "test.sh")))
    found = shutil.which("python3")
    ours = found is not None and Path(found).parent == Path(sys.executable).parent
    return line if language != "python" or ours else f"PYTHON={shlex.quote(sys.executable)} {line}"
