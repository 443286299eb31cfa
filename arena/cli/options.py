"""Options that several commands share."""

import functools
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from arena.cli import screen
from arena.grid import Look
from arena.model import NAME_SHOWN, Clock
from protocol.text import escaped

PLAIN = "plain"
"""The sandbox without walls."""

CLOCK = Clock()

CLOCKS = {
    "move_ms": (1, "Time for each decision."),
    "bank_ms": (0, "Time for a match above that."),
    "start_ms": (100, "Time to start a bot."),
}
"""Field of a clock -> the least that it may be, and what it is."""

Command = TypeVar("Command", bound=Callable[..., Any])


def _in_utf_8(_ctx: click.Context, _option: click.Parameter, path: Path) -> Path:
    """The path; the environment may hold one that no sentence could name."""
    try:
        str(path).encode()
    except UnicodeEncodeError:
        raise click.BadParameter(f"{ascii(str(path))[:200]} is not UTF-8") from None
    return path


class MatchNumber(click.types.IntParamType):
    """The number of a match; who types something else is told where the numbers stand."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Give the number."""
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter:
            self.fail(
                f"'{escaped(str(value), NAME_SHOWN)}' is no number of a match; "
                "to see those of a league: arena show --league NAME",
                param,
                ctx,
            )


class Between(click.FloatRange):
    """A number within bounds, which "nan" is not."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Give the number."""
        number = super().convert(value, param, ctx)
        if math.isnan(number):
            self.fail(f"{number} is not in the range {self._describe_range()}.", param, ctx)
        return number


def workspace_option(command: Command) -> Command:
    """Add `--workspace`; the command gets it as a Path named `workspace`, whether it exists or not."""
    return click.option(
        "--workspace",
        envvar="ARENA_WORKSPACE",
        default="results",
        show_default=True,
        show_envvar=True,
        type=click.Path(file_okay=False, path_type=Path),
        callback=_in_utf_8,
        help="Folder of the database, the submissions and the transcripts.",
    )(command)


def table_options(command: Command) -> Command:
    """Add what a league and a comparison ask of tables; the command gets None or () for what is not typed."""
    for field, (_, what) in reversed(CLOCKS.items()):  # each goes before those that were added earlier
        help_ = f"{what}  [default: {getattr(CLOCK, field)}]"
        command = click.option(_typed(field), type=int, help=help_)(command)
    for option in (
        click.option(
            "--option", multiple=True, metavar="KEY=VALUE", help="An option of the game; repeatable."
        ),
        click.option("--jobs", type=int, help="Tables played at a time.  [default: one for each core]"),
    ):
        command = option(command)
    return command


def clock_options(*fields: str) -> Callable[[Command], Command]:
    """Add options for these fields of a clock; the command gets their usual values where none is typed."""

    def with_them(command: Command) -> Command:
        for field in reversed(fields):
            least, what = CLOCKS[field]
            usual = getattr(CLOCK, field)
            command = click.option(
                _typed(field), type=click.IntRange(least), default=usual, show_default=True, help=what
            )(command)
        return command

    return with_them


def _typed(field: str) -> str:
    return f"--{field.replace('_', '-')}"


def style_option(command: Command) -> Command:
    """Add `--style`; the command gets it as `style`, for `arena.grid`."""
    return click.option(
        "--style",
        default="simple",
        show_default=True,
        help="Of the table: csv, json, or any of tabulate's, such as github or rounded_outline.",
    )(command)


def look_options(command: Command) -> Command:
    """Add `--style` and `--color`; the command gets a `Look` that knows the terminal too, as `look`."""

    @style_option
    @click.option(
        "--color",
        type=click.Choice(["auto", "always", "never"]),
        default="auto",
        show_default=True,
        help="Auto is on a terminal, unless NO_COLOR is set.",
    )
    @functools.wraps(command)
    def looking(*args: Any, style: str, color: str, **words: Any) -> Any:
        colour = screen.in_colour() if color == "auto" else color == "always"
        return command(*args, look=Look(style, screen.room(), colour), **words)

    return looking  # type: ignore[return-value]  # click wraps what it is given
