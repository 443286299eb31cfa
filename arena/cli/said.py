"""What several commands say, and how: numbers and times as people write them."""

import sys

import click
from click.core import ParameterSource

from arena.cli import MOST_SAID, screen
from arena.cli.options import PLAIN
from arena.grid import Look
from protocol.text import escaped_lines, pasted

NO_WALLS = (
    "WITHOUT WALLS (sandbox plain): bots run as you do, with your files and your network. "
    "Only for bots you trust; what they play is marked."
)


def say(sentence: str) -> None:
    """Talk goes to stderr, so that tables can be piped; whoever wrote what it repeats, it is safe to show."""
    click.echo(wrapped(escaped_lines(sentence, MOST_SAID), screen.room(sys.stderr)), err=True)


def wrapped(text: str, columns: int | None) -> str:
    """Its lines, broken between words where they are too long; commands to type stay whole, to be copied."""
    look, lines = Look(width=columns), []
    for line in text.split("\n"):
        told, to_type, command = line.partition("type: ")
        broken = look.lines(told + to_type)
        fits = look.holds(broken.rpartition("\n")[-1] + command)
        lines.append(broken + command if fits else f"{broken.rstrip()}\n{command}")
    return "\n".join(lines)


def walls(sandbox: str, *, here: bool = True) -> None:
    """Say what keeps the bots in, on this machine or on those of others."""
    if sandbox == PLAIN:
        click.secho(NO_WALLS, fg="red", bold=True, err=True)
    elif not here:
        say(f"sandbox {sandbox}: tried by every worker before it plays")
    else:
        from arena.sandbox import BACKENDS  # noqa: PLC0415 - no list or table needs it, and each would wait

        say(f"sandbox {sandbox}: {', '.join(BACKENDS[sandbox].layers())}")


def to_type(*words: str) -> str:
    """The command of these words as it is to be pasted; it means the workspace that this one means."""
    context = click.get_current_context()
    if context.get_parameter_source("workspace") is ParameterSource.COMMANDLINE:
        words += ("--workspace", str(context.params["workspace"]))
    return pasted(*words)


def duration(seconds: float) -> str:
    """Two units at most: `3 h 05 min`, `12 min`, `40 s`."""
    minutes = round(seconds / 60)
    if seconds < 100:
        return f"{seconds:.0f} s"
    return f"{minutes // 60} h {minutes % 60:02} min" if minutes >= 100 else f"{minutes} min"
