"""Text on a terminal: how wide it is, and how it is broken into lines."""

import os
import re
import shutil
import sys
import termios
import tty
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import zip_longest
from typing import TextIO

import click

from arena.grid import cells

NARROWEST = 40
WIDEST = 120
"""Columns: longer lines are hard to read, and cards that belong together drift apart."""


def width() -> int:
    """Columns to write in."""
    return max(NARROWEST, min(WIDEST, shutil.get_terminal_size().columns))


def room(stream: TextIO | None = None) -> int | None:
    """Columns that a table may take, on stdout or elsewhere; None where nothing breaks its lines."""
    return shutil.get_terminal_size().columns if (stream or sys.stdout).isatty() else None


def in_colour() -> bool:
    """Whether what is printed meets a terminal that may be shown colours, and knows the suits."""
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return sys.stdout.isatty() and not plain and (sys.stdout.encoding or "").lower().startswith("utf")


KEY = re.compile(r"\x1b\[[0-9;]*[A-Za-z~]|\x1bO.|.", re.DOTALL)
"""One key as a terminal sends it."""

KEYS_AT_ONCE = 1_024
"""Bytes of the keyboard that are read in one go."""


@contextmanager
def keyboard() -> Iterator[Callable[[], list[str]]]:
    """Within, a call waits for keys and gives those that were pressed; none at the end of the input.

    They are heard at once, without Enter and without being shown, and none is lost in between. Where no
    terminal is, keys come line by line; Enter is one on a line of its own.
    """
    if not sys.stdin.isatty():
        yield _line_of_keys
        return
    handle = sys.stdin.fileno()
    earlier = termios.tcgetattr(handle)
    try:
        tty.setcbreak(handle, termios.TCSANOW)
        yield lambda: KEY.findall(os.read(handle, KEYS_AT_ONCE).decode(errors="replace"))
    finally:
        termios.tcsetattr(handle, termios.TCSADRAIN, earlier)


def _line_of_keys() -> list[str]:
    line = sys.stdin.readline()
    return KEY.findall(line.rstrip("\n") or line)


def clear() -> None:
    """Begin a new screen, where there is one."""
    if os.environ.get("TERM") != "dumb":
        click.clear()


def browse(lines: Sequence[str]) -> None:
    """Show lines, through a pager on a terminal."""
    text = "\n".join(lines) + "\n"
    if in_colour():
        click.echo_via_pager(text)
    else:
        click.echo(text)


def padded(text: str, wanted: int, *, right: bool = False) -> str:
    """Text with blanks up to so many columns."""
    blanks = " " * (wanted - cells(text))
    return blanks + text if right else text + blanks


def flow(pieces: Iterable[str], most: int, *, first: str = "", rest: str = "", gap: int = 1) -> list[str]:
    """Pieces side by side on lines of at most `most` columns, which begin with `first`, then with `rest`.

    No piece is broken.
    """
    lines, line, taken = [], first, cells(first)
    fresh = True
    for piece in pieces:
        size = cells(piece)
        if not fresh and taken + gap + size > most:
            lines.append(line)
            line, taken, fresh = rest, cells(rest), True
        line, taken = (
            (line + piece, taken + size) if fresh else (line + " " * gap + piece, taken + gap + size)
        )
        fresh = False
    return [*lines, line]


def grid(rows: list[list[str]], *, right: frozenset[int] = frozenset(), gap: int = 2) -> list[str]:
    """Rows of cells below each other; columns in `right` stand to the right."""
    sizes = [max(map(cells, column)) for column in zip_longest(*rows, fillvalue="")]
    return [
        (" " * gap)
        .join(
            padded(cell, size, right=place in right)
            for place, (cell, size) in enumerate(zip(row, sizes, strict=False))
        )
        .rstrip()
        for row in rows
    ]
