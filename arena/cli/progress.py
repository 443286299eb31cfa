"""How a run is shown while it plays: a bar on a terminal, a line now and then elsewhere."""

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import click

from arena import grid
from arena.cli.said import duration, say
from arena.league.runner import Listener, Progress
from arena.model import League

LINE_EVERY_S = 30.0
"""Progress that no terminal shows, in a log, is one line now and then."""

BAR_MOST, BAR_LEAST = 24, 8
"""Columns of the bar itself; in less than the least there is none."""

NAME_MOST = 24
"""Columns of the league's name, which the screen above has whole."""

NARROW = 80
"""Columns of a terminal that does not tell its own."""


Drawn = Callable[[Progress, int], str]
"""A line of so many columns at most, for a terminal."""

Told = Callable[[Progress], str]
"""A sentence, for a log."""


@contextmanager
def shown(league: League) -> Iterator[Listener]:
    """Give the listener that fits where stderr goes."""
    with displayed(lambda progress, columns: line(league.name, progress, columns), sentence) as listener:
        yield listener


@contextmanager
def displayed(draw: Drawn, tell: Told) -> Iterator[Listener]:
    """Give the listener that draws on a terminal, or tells a log."""
    if not sys.stderr.isatty():
        yield Lines(tell)
        return
    try:
        yield Bar(draw)
    finally:
        click.echo(err=True)


class Bar:
    """A line that is drawn anew with each table."""

    def __init__(self, draw: Drawn) -> None:
        self._draw = draw

    def progress(self, progress: Progress) -> None:
        """Draw where the league is."""
        columns = os.get_terminal_size(sys.stderr.fileno()).columns or NARROW
        click.echo(f"\r\033[K{self._draw(progress, columns)}", nl=False, err=True)

    def say(self, sentence: str) -> None:
        """Talk in the place of the line, which is drawn again below with the next table."""
        click.echo("\r\033[K", nl=False, err=True)
        say(sentence)


def line(name: str, progress: Progress, columns: int) -> str:
    """All that a line of so many columns has room for: what matters least goes first."""
    count = f"{progress.done}/{_most(progress, '≤')}{progress.total}"
    left = "" if progress.left_s is None else f"{_most(progress, '≤ ')}{duration(progress.left_s)} left"
    label = grid.clipped(name, NAME_MOST)
    for texts in ((label, count, pace(progress)), (label, count, left), (label, count), (count, left)):
        parts = [text for text in texts if text]
        room = columns - 1 - len("  ".join(parts))  # a line that fills the last column may wrap
        if room >= 0:
            return "  ".join([*parts[:1], *_bar(progress, room - len("[]  ")), *parts[1:]])
    return count[: columns - 1]


def _bar(progress: Progress, room: int) -> list[str]:
    """The bar, as long as there is room for it."""
    width = min(room, BAR_MOST)
    if width < BAR_LEAST:
        return []
    full = width * progress.done // max(progress.total, 1)
    return [f"[{'#' * full}{'-' * (width - full)}]"]


class Lines:
    """A line now and then."""

    def __init__(self, tell: Told) -> None:
        self._tell = tell
        self._next = time.monotonic() + LINE_EVERY_S

    def progress(self, progress: Progress) -> None:
        """Tell it when it is time again."""
        if time.monotonic() >= self._next:
            self._next = time.monotonic() + LINE_EVERY_S
            say(self._tell(progress))

    def say(self, sentence: str) -> None:
        """Talk at once."""
        say(sentence)


def sentence(progress: Progress) -> str:
    """How far a league is, for a log."""
    return f"{progress.done} of {_most(progress, 'at most ')}{progress.total} tables, {pace(progress)}"


def pace(progress: Progress) -> str:
    """Rate and time left, as people say them."""
    if progress.left_s is None:
        return ""
    again = f", {progress.void} void" if progress.void else ""
    left = f"{_most(progress, '≤ ')}{duration(progress.left_s)} left"
    return f"{progress.tables_per_s:.1f} tables/s{again}, {left}"


def _most(progress: Progress, sign: str) -> str:
    """The sign of a bound, where the league may end before."""
    return sign if progress.at_most else ""
