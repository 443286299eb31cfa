"""How a run is shown while it plays: a bar on a terminal, a line now and then elsewhere."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click

from arena.cli.said import duration, say
from arena.league.runner import Listener, Progress
from arena.league.schedule import size_of
from arena.model import League

LINE_EVERY_S = 30.0
"""Progress that no terminal shows, in a log, is one line now and then."""

BAR_WIDTH = 24


@contextmanager
def shown(league: League) -> Iterator[Listener]:
    """Give the listener that fits where stderr goes."""
    if not sys.stderr.isatty():
        yield Lines()
        return
    bar: Any = click.progressbar(
        length=size_of(league).tables,
        label=league.name,
        file=sys.stderr,
        width=BAR_WIDTH,
        show_eta=False,
        show_pos=True,
        item_show_func=lambda progress: pace(progress) if progress else "",
    )
    with bar:
        yield Bar(bar)


class Bar:
    """A bar that moves with each table."""

    def __init__(self, bar: Any) -> None:
        self._bar = bar

    def progress(self, progress: Progress) -> None:
        """Move to where the league is."""
        self._bar.update(progress.done - self._bar.pos, progress)

    def say(self, sentence: str) -> None:
        """Talk in the place of the bar, which is drawn again below with the next table."""
        click.echo(f"\r\033[K{sentence}", err=True)


class Lines:
    """A line now and then."""

    def __init__(self) -> None:
        self._next = time.monotonic() + LINE_EVERY_S

    def progress(self, progress: Progress) -> None:
        """Tell it when it is time again."""
        if time.monotonic() >= self._next:
            self._next = time.monotonic() + LINE_EVERY_S
            say(f"{progress.done} of {progress.total} tables, {pace(progress)}")

    def say(self, sentence: str) -> None:
        """Talk at once."""
        say(sentence)


def pace(progress: Progress) -> str:
    """Rate and time left, as people say them."""
    if progress.left_s is None:
        return ""
    return f"{progress.tables_per_s:.1f} tables/s, {duration(progress.left_s)} left"
