"""Rows under headers as text, for a terminal, a page or another program; and names as they stand in them."""

import csv
import io
import json
from collections.abc import Mapping, Sequence
from typing import Any

from tabulate import tabulate, tabulate_formats

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


def listing(headers: Sequence[str], rows: Sequence[Sequence[str | int]], style: str = "simple") -> str:
    """Rows in any style; columns of whole numbers stand to the right."""
    assure_style(style)
    if style in DATA_STYLES:
        return data([dict(zip(headers, row, strict=True)) for row in rows], headers, style)
    columns = [
        (header, "right" if all(isinstance(row[place], int) for row in rows) else "left")
        for place, header in enumerate(headers)
    ]
    return aligned([[str(cell) for cell in row] for row in rows], columns, style)


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
