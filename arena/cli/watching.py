"""A page that is shown anew as results come in, until its leagues are whole.

It only reads, and holds nothing open in between: whoever runs the league is never kept waiting.
"""

import os
import shutil
import sys
import time
from collections.abc import Callable, Sequence
from typing import Protocol

import click
import msgspec

from arena.cli.chosen import Asked, scope_of
from arena.cli.said import duration, say
from arena.grid import Look, counted
from arena.leaderboard import Scope
from arena.league.status import Phase, Status, status
from arena.store import Store

EVERY_S = 2.0
LEAST_S, MOST_S = 0.2, 3_600.0

ERASE_LINE, ERASE_BELOW = "\033[K", "\033[J"
CUT_LINES, WRAP_LINES = "\033[?7l", "\033[?7h"
"""A line that is wider than the terminal ends at its edge instead of beginning a second row."""


def seconds(_ctx: click.Context, _option: click.Parameter, text: str | None) -> float | None:
    """Read how often to look; tell who typed a name behind the option."""
    if text is None:
        return None
    try:
        number = float(text)
    except ValueError:
        raise click.BadParameter(
            f"{text!r} is no number of seconds; put --watch last, or type --watch={EVERY_S:g}"
        ) from None
    if not LEAST_S <= number <= MOST_S:
        raise click.BadParameter(f"{text} s; from {LEAST_S:g} to {MOST_S:g} are allowed")
    return number


watch_option = click.option(
    "--watch",
    metavar="[SECONDS]",
    callback=seconds,
    is_flag=False,
    flag_value=str(EVERY_S),
    help=f"Show it anew as results come in, until all is played; Ctrl-C ends it.  [default: {EVERY_S:g}]",
)
"""Add `--watch`; the command gets how often to look, or None."""


def watch(asked: Asked, page: Callable[[Scope], str], *, every_s: float, look: Look) -> None:
    """Show the page now and after each look that found something new."""
    names = tuple(league.name for league in scope_of(asked).leagues)
    asked = msgspec.structs.replace(asked, leagues=names, game=None)
    if not on_screen():
        follow(asked, page, every_s, Pages(look))
        return
    try:
        follow(asked, page, every_s, Screen(look))
    except KeyboardInterrupt:
        click.echo()  # the terminal has written ^C there
        raise


def follow(asked: Asked, page: Callable[[Scope], str], every_s: float, show: "Shown") -> None:
    """Look, show, wait, until all leagues are whole."""
    began, first = time.monotonic(), states(asked)
    found, seen, text = first, None, ""
    while True:
        news = [(each.activity.tables, each.league) for each in found]
        if news != seen:
            seen, text = news, page(scope_of(asked))
        if all(each.phase is Phase.FINISHED for each in found):
            show.last(text)
            return
        elapsed_s = time.monotonic() - began
        show.now(text, "; ".join(told(*pair, elapsed_s) for pair in zip(found, first, strict=True)))
        time.sleep(every_s)
        found = states(asked)


def states(asked: Asked) -> list[Status]:
    """How far the leagues are."""
    with Store.open(asked.workspace, read_only=True) as store:
        return [status(store, name) for name in asked.leagues]


def on_screen() -> bool:
    """Whether the page meets a terminal on which it can be drawn over."""
    return sys.stdout.isatty() and os.environ.get("TERM") != "dumb"


def told(now: Status, first: Status, elapsed_s: float) -> str:
    """How far a league is, and how long it will take at the rate since it was first looked at."""
    done, total = now.activity.tables, now.size.tables
    far = f"{now.league.name}: {done} of {counted(total, 'table')}"
    if now.phase is not Phase.RUNNING:
        return f"{far}, not running now"
    gained = done - first.activity.tables
    return f"{far}, {duration((total - done) * elapsed_s / gained)} left" if gained else far


class Shown(Protocol):
    """Where pages go."""

    def now(self, text: str, line: str) -> None:
        """Take a page, and how far its leagues are."""

    def last(self, text: str) -> None:
        """Take the page of whole leagues."""


class Screen:
    """Draws in place, below what stands on the terminal already.

    Neither the cursor nor the screen is changed for longer than one write: whatever ends us, nothing has to
    be put back.
    """

    def __init__(self, look: Look) -> None:
        self._look = look
        self._drawn = 0

    def now(self, text: str, line: str) -> None:
        """Draw over what was drawn before."""
        lines = fitting(
            [*text.splitlines(), "", f"{line}; Ctrl-C ends watching"], shutil.get_terminal_size().lines
        )
        self._draw(lines, CUT_LINES, WRAP_LINES)
        self._drawn = len(lines)

    def last(self, text: str) -> None:
        """Leave the page there, whole."""
        self._draw(text.splitlines())

    def _draw(self, lines: Sequence[str], before: str = "", after: str = "") -> None:
        """Clear each line just before it is written: a screen cleared as a whole would flicker."""
        up = f"\033[{self._drawn}F" if self._drawn else ""
        text = "".join(f"{ERASE_LINE}{line}\n" for line in lines)
        click.echo(f"{before}{up}{text}{ERASE_BELOW}{after}", nl=False, color=self._look.colour)


class Pages:
    """One page after the other, each when it differs from the one before."""

    def __init__(self, look: Look) -> None:
        self._look = look
        self._text: str | None = None

    def now(self, text: str, line: str) -> None:
        """Print it, with how far it is beside it."""
        if text != self._text:
            say(line)
            self.last(text)

    def last(self, text: str) -> None:
        """Print it unless it stands there."""
        if text != self._text:
            click.echo(text if self._text is None else f"\n{text}", color=self._look.colour)
        self._text = text


def fitting(lines: Sequence[str], rows: int) -> list[str]:
    """As many lines as a screen has rows for, the last two always: more would scroll, and be drawn twice."""
    over = len(lines) - (rows - 1)  # the cursor stands in the last row
    if over <= 0:
        return list(lines)
    kept = max(0, rows - 3)
    return [
        *lines[:kept],
        f"... {counted(len(lines) - 2 - kept, 'line')} more in a higher window",
        *lines[-1:],
    ]
