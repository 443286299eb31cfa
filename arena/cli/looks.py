"""How a comparison is shown while it plays: one line, drawn anew."""

import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from arena.cli.progress import displayed
from arena.cli.said import duration
from arena.grid import counted
from arena.league.findings import Finding
from arena.league.runner import Listener, Progress
from arena.model import Bounds, Scale
from arena.ratings.sequential import Interval, difference, lines

UNITS = {Scale.NORMALISED: "nElo", Scale.LOGISTIC: "Elo"}

GAUGE = 15
"""Columns between the two lines of a test."""

FRESH_S = 0.25
"""What was found is asked for again after so long at the soonest."""

ENDLESS = "∞"


@contextmanager
def looks(find: Callable[[], Finding]) -> Iterator[Listener]:
    """Give the listener that shows what was found so far."""
    kept = _Kept(find)
    with displayed(
        lambda progress, columns: line(kept(), progress, columns),
        lambda progress: ", ".join(_parts(find(), progress)),
    ) as listener:
        yield listener


class _Kept:
    """Asks again now and then only: finding out reads all results."""

    def __init__(self, find: Callable[[], Finding]) -> None:
        self._find = find
        self._found = find()
        self._at = time.monotonic()

    def __call__(self) -> Finding:
        if time.monotonic() - self._at >= FRESH_S:
            self._found = self._find()
            self._at = time.monotonic()
        return self._found


def line(found: Finding, progress: Progress, columns: int) -> str:
    """All that a line of so many columns has room for; what matters least goes first."""
    parts = _parts(found, progress)
    gauge = [] if found.asked.fixed else [_gauge(found.ratio, found.asked.bounds)]
    for texts in (gauge + parts, parts, *(parts[:most] for most in range(len(parts) - 1, 0, -1))):
        text = "  ".join(texts)
        if len(text) < columns:  # a line that fills the last column may wrap
            return text
    return parts[0][: columns - 1]


def _parts(found: Finding, progress: Progress) -> list[str]:
    """Where it stands, from what matters most to what matters least."""
    seen = found.sample
    boards = counted(seen.blocks, "board")
    if not seen.blocks:
        return [f"{boards}, {counted(found.missing, 'table')} until the first look"]
    test = [] if found.asked.fixed else [f"LLR {found.ratio:+.2f} of {_ends(found.asked.bounds)}"]
    return [*test, boards, f"{seen.score:.1%}", _difference(found), *_left(found, progress)]


def _ends(bounds: Bounds) -> str:
    low, high = lines(bounds)
    return f"±{high:.2f}" if math.isclose(-low, high) else f"{low:.2f}/+{high:.2f}"


def _difference(found: Finding) -> str:
    scale = found.asked.bounds.scale
    elo = difference(found.sample, scale)
    return f"{UNITS[scale]} {signed(elo)} {between(found.live)}".rstrip()


def _left(found: Finding, progress: Progress) -> Iterator[str]:
    boards = found.boards_left
    if boards is None:
        return
    about = "" if found.asked.fixed else "~"
    text = f"{about}{counted(boards, 'board')} left"
    if not progress.tables_per_s:
        yield text
        return
    tables = progress.total / found.league.extensions[-1].boards
    yield f"{text}, {duration(boards * tables / progress.tables_per_s)}"


def _gauge(ratio: float, bounds: Bounds) -> str:
    """Where the ratio is between the lines, H0 on the left."""
    low, high = lines(bounds)
    place = round((GAUGE - 1) * (min(high, max(low, ratio)) - low) / (high - low))
    zero = round((GAUGE - 1) * -low / (high - low))
    cells = ["-"] * GAUGE
    cells[zero], cells[place] = "|", "#"
    return f"H0[{''.join(cells)}]H1"


def signed(elo: float) -> str:
    """A difference as people write it."""
    if math.isinf(elo):
        return f"{'+' if elo > 0 else '-'}{ENDLESS}"
    return f"{elo:+z.0f}"


def between(ends: Interval | None) -> str:
    """An interval as people write it; nothing for none."""
    return f"({signed(ends[0])} to {signed(ends[1])})" if ends else ""
