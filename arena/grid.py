"""Rows under headers as text, for a terminal, a page or another program; and names as they stand in them."""

import csv
import io
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from tabulate import tabulate, tabulate_formats
from wcwidth import wcswidth

from arena.model import UserError, no_such
from protocol.text import escaped

NAME_WIDTH = 40
"""Characters of a name in a table; its version tells it from others that begin alike."""

VERSION_WIDTH = 12
"""Hex digits of a version that are shown: enough to name it."""

DATA_STYLES = ("csv", "json")
"""Styles for programs: the rows alone, with raw numbers and whole names."""

STYLES = (*tabulate_formats, *DATA_STYLES)

BARE_STYLES = frozenset(
    {*DATA_STYLES, *(s for s in tabulate_formats if s.startswith("latex")), "html", "unsafehtml", "tsv"}
)
"""Styles that another program reads: nothing but the table is written."""

HARMLESS = {"unsafehtml": "html", "latex_raw": "latex"}
"""Styles that pass on markup in the name of a bot -> the same style with it escaped."""

BARRED = frozenset({"asciidoc", "github", "jira", "pipe", "textile", "youtrack"})
"""Styles in which a bar in a name would end its cell."""

TONES = {"good": "32", "bad": "31", "unsure": "33", "soft": "2"}
"""What a colour means -> how a terminal is told."""

PAINT = re.compile(r"\x1b\[[0-9;]*m")


class Look(msgspec.Struct, frozen=True):
    """How something is to be shown."""

    style: str = "simple"
    width: int | None = None
    """Columns of the terminal; None where nothing breaks lines."""
    colour: bool = False

    def bare(self) -> bool:
        """Whether another program reads it, so that the table is all that is written."""
        return self.style in BARE_STYLES

    def paint(self, text: str, tone: str) -> str:
        """The text in that tone, where there are colours; an empty tone is none."""
        shown = self.colour and tone and not self.bare()
        return f"\x1b[{TONES[tone]}m{text}\x1b[0m" if shown else text

    def holds(self, text: str) -> bool:
        """Whether no line of it is too long."""
        return self.width is None or all(cells(line) <= self.width for line in text.split("\n"))

    def lines(self, *sentences: str) -> str:
        """Sentences, one a line, broken between words where they are too long; empty ones are left out."""
        return "\n".join(line for text in sentences if text for line in _broken(text, self.width))


USUAL = Look()
"""As a file or a pipe gets it."""


def listing(
    headers: Sequence[str],
    rows: Sequence[Sequence[str | int]],
    style: str = "simple",
    *,
    width: int | None = None,
    spare: Sequence[str] = (),
) -> str:
    """Rows in any style; columns of whole numbers stand to the right.

    Where a terminal has not so many columns, those that are `spare` are left out, the first of them first.
    """
    assure_style(style)
    if style in DATA_STYLES:
        return data([dict(zip(headers, row, strict=True)) for row in rows], headers, style)
    columns = [
        (header, "right" if all(isinstance(row[place], int) for row in rows) else "left")
        for place, header in enumerate(headers)
    ]
    text = aligned([[str(cell) for cell in row] for row in rows], columns, style)
    if not spare or Look(style, width).holds(text):
        return text
    left_out = headers.index(spare[0])
    fewer = [[*row[:left_out], *row[left_out + 1 :]] for row in rows]
    kept = [*headers[:left_out], *headers[left_out + 1 :]]
    return listing(kept, fewer, style, width=width, spare=spare[1:])


def aligned(rows: Sequence[Sequence[str]], columns: Sequence[tuple[str, str]], style: str) -> str:
    """Texts under (header, side) in a style of tabulate.

    They are taken as they are: tabulate is kept from reading numbers or trimming blanks.
    """
    if style in BARRED:
        rows = [[cell.replace("|", r"\|") for cell in row] for row in rows]
    return tabulate(
        rows,
        headers=[header for header, _ in columns],
        tablefmt=HARMLESS.get(style, style),
        colalign=[side for _, side in columns] if rows else None,
        disable_numparse=True,
        preserve_whitespace=True,
    )


def data(rows: Sequence[Mapping[str, Any]], keys: Sequence[str], style: str) -> str:
    """Raw values as csv or json."""
    if style == "json":
        return json.dumps(rows, ensure_ascii=False, indent=1, allow_nan=False)
    text = io.StringIO()
    writer = csv.DictWriter(text, dict.fromkeys(keys), lineterminator="\n")
    writer.writeheader()
    writer.writerows({key: _joined(value) for key, value in row.items()} for row in rows)
    return text.getvalue().removesuffix("\n")


def assure_style(style: str) -> None:
    """Raise UserError for a style that is not there."""
    if style not in STYLES:
        raise UserError(f"{no_such('style', style, STYLES)}; type --style github")


def cells(text: str) -> int:
    """Columns that a text takes on a terminal, colours apart."""
    bare = PAINT.sub("", text)
    return len(bare) if bare.isascii() else max(0, wcswidth(bare))


def clipped(text: str, most: int) -> str:
    """Text of at most so many columns; `text` is without colours."""
    if cells(text) <= most:
        return text
    while cells(text) >= most:
        text = text[:-1]
    return text + "~"


def _broken(text: str, width: int | None) -> list[str]:
    lines: list[str] = []
    for word in text.split(" "):
        if lines and (width is None or cells(f"{lines[-1]} {word}") <= width):
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return lines


def counted(number: int, word: str) -> str:
    """Count of things, as people write it."""
    plural = f"{word}es" if word.endswith("ch") else f"{word}s"
    return f"{number} {word if number == 1 else plural}"


def short(name: str) -> str:
    """A bot's name, safe to show."""
    return escaped(name, NAME_WIDTH)


def digits(version: str) -> str:
    """As much of a version as names it, safe to show."""
    return whole(version[:VERSION_WIDTH])


def whole(text: str) -> str:
    """All of a text, safe to show."""
    return escaped(text, 10 * len(text))  # an escape has at most ten characters: nothing is cut


def _joined(value: Any) -> Any:
    return "-".join(map(str, value)) if isinstance(value, tuple) else value
