"""Every two bots compared: how far apart they are, how sure that is, and what they took from each other."""

from bisect import bisect_left
from collections.abc import Callable, Sequence
from functools import partial
from itertools import combinations
from typing import Any

import msgspec

from arena.grid import DATA_STYLES, USUAL, Look, aligned, assure_style, clipped, data, short, whole
from arena.leaderboard.columns import MOST_SHOWN, NOTHING, version
from arena.leaderboard.scope import MODELS, Scope, title
from arena.leaderboard.standings import UNSURE_SE, Standing, rated, standings
from arena.model import Entrant
from arena.ratings import CONFIDENCE, Crossings, Fit, Group, Model, crossings

NAMES = ("bot", "version", "other", "other_version")
PAIR_KEYS = (*NAMES, "elo", "se", "error", "los")
CROSSED_KEYS = (*NAMES, "score", "error", "boards", "pairs")

NAME_WIDTHS = (24, 12)
"""Columns that a name may take beside the numbers: names are shortened before a table is divided."""

FLAG = "?"
"""Behind an error that says too little."""

Text = tuple[str, str]
"""What stands in a cell, and its tone."""

Cell = Callable[[Standing, Standing], Text]
"""Of a row and a column."""

Square = Sequence[Sequence[Text]]


def differences(scope: Scope, look: Look = USUAL) -> str:
    """How much stronger each bot is than each other, with the error of that difference: row less column.

    As csv or json one row a pair, the better rated bot first.
    """
    return _compared(
        scope,
        look,
        _difference,
        "Elo of the row less Elo of the column, ± half of its 95 % interval.",
        unsure="?  One of the two has a perfect score, or the difference a standard error above "
        f"{UNSURE_SE:.0f} Elo: too few boards to say.",
    )


def likelihoods(scope: Scope, look: Look = USUAL) -> str:
    """How likely it is that each bot is stronger than each other; as csv or json the same as differences."""
    return _compared(
        scope,
        look,
        _likelihood,
        "LOS: likelihood in % that the row is the stronger, from 5 boards of both on.",
    )


def _compared(
    scope: Scope,
    look: Look,
    cell: Callable[[Group, Standing, Standing], Text],
    *said: str,
    unsure: str = "",
) -> str:
    assure_style(look.style)
    found = rated(scope)
    rows = [row for row in standings(scope, found) if row.rating]
    groups = [[row for row in rows if row.group == number] for number in range(1, len(found.groups) + 1)]
    if look.style in DATA_STYLES:
        pairs = [pair for members in groups for pair in combinations(members, 2)]
        return data([_pair(found, *pair) for pair in pairs], PAIR_KEYS, look.style)
    squares = [
        square(members, partial(cell, group)) for group, members in zip(found.groups, groups, strict=True)
    ]
    tables = [table for each in zip(groups, squares, strict=True) for table in panels(*each, look)]
    several = f"{len(groups)} groups that never met: nothing compares their bots."
    notes = (
        "" if scope.model is Model.PAIRS else f"Elo: {MODELS[scope.model]}.",
        unsure if any(_holds(each, FLAG) for each in squares) else "",
        several if len(groups) > 1 else "",
        "" if groups else "No complete board compares two bots yet.",
    )
    return _said(scope, look, tables, (*said, *notes))


def _pair(found: Fit, one: Standing, two: Standing) -> dict[str, Any]:
    difference = found.difference(one.entrant, two.entrant)
    assert difference is not None
    return dict(zip(PAIR_KEYS, (*_named(one, two), *msgspec.structs.astuple(difference)), strict=True))


def _named(one: Standing, two: Standing) -> tuple[str, str, str, str]:
    return whole(one.entrant.name), version(one), whole(two.entrant.name), version(two)


def _difference(group: Group, one: Standing, two: Standing) -> tuple[str, str]:
    found = group.difference(one.entrant, two.entrant)
    perfect = any(each.rating and each.rating.perfect for each in (one, two))
    flag = FLAG if perfect or found.se > UNSURE_SE else ""
    return f"{found.elo:+z.0f} ±{found.error:.0f}{flag}", _tone(found.elo, found.error)


def _likelihood(group: Group, one: Standing, two: Standing) -> tuple[str, str]:
    los = group.difference(one.entrant, two.entrant).los
    if los is None:
        return NOTHING, ""
    shown = min(max(los, 1 - MOST_SHOWN), MOST_SHOWN)
    return f"{100 * shown:.1f}", _tone(los - 0.5, (CONFIDENCE - 0.5))


def _tone(value: float, error: float) -> str:
    """Good or bad where an interval leaves no doubt."""
    return "" if abs(value) <= error else "good" if value > 0 else "bad"


def crosstable(scope: Scope, look: Look = USUAL) -> str:
    """What each bot scored against each other, with its error; as csv or json one row a pair that met."""
    assure_style(look.style)
    rows = standings(scope, rated(scope))
    found = crossings(scope.results)
    if look.style in DATA_STYLES:
        pairs = [pair for pair in combinations(rows, 2) if _entrants(*pair) in found]
        return data([_crossed(found, *pair) for pair in pairs], CROSSED_KEYS, look.style)
    crossed = square(rows, partial(_crossing, found))
    said = (
        "Share in % of the points that the row took from the column, a tie is half;",
        "± half of its 95 % interval. What the other bots tell too is in `arena matrix`.",
        f"{NOTHING}  The two did not meet." if _holds(crossed, NOTHING) else "",
    )
    return _said(scope, look, panels(rows, crossed, look), said)


def _entrants(one: Standing, two: Standing) -> tuple[Entrant, Entrant]:
    return one.entrant, two.entrant


def _crossed(found: Crossings, one: Standing, two: Standing) -> dict[str, Any]:
    crossing = found[_entrants(one, two)]
    return dict(zip(CROSSED_KEYS, (*_named(one, two), *msgspec.structs.astuple(crossing)), strict=True))


def _crossing(found: Crossings, one: Standing, two: Standing) -> tuple[str, str]:
    crossing = found.get(_entrants(one, two))
    if crossing is None:
        return NOTHING, ""
    tone = _tone(crossing.score - 0.5, crossing.error)
    return f"{100 * crossing.score:.0f} ±{100 * crossing.error:.0f}", tone


# As tables


def _said(scope: Scope, look: Look, tables: Sequence[str], said: Sequence[str]) -> str:
    if look.bare():
        return "\n".join(tables)
    return "\n\n".join([look.lines(title(scope), *scope.said, *said), *tables])


def square(rows: Sequence[Standing], cell: Cell) -> Square:
    """Rows against themselves, nothing against itself."""
    return [[cell(row, column) if row is not column else ("", "") for column in rows] for row in rows]


def _holds(square: Square, text: str) -> bool:
    return any(text in cell for line in square for cell, _ in line)


def panels(rows: Sequence[Standing], square: Square, look: Look) -> list[str]:
    """Rows against themselves: one table, or where that is too wide several with some of the columns each."""
    cells = [[look.paint(*cell) for cell in line] for line in square]
    for names in NAME_WIDTHS:
        (whole,) = _panels(rows, cells, look, names=names, size=max(1, len(rows)))
        if look.holds(whole):
            return [whole]

    def fits(size: int) -> bool:
        return all(map(look.holds, _panels(rows, cells, look, names=NAME_WIDTHS[-1], size=size)))

    size = bisect_left(range(1, len(rows)), True, key=lambda size: not fits(size))
    return _panels(rows, cells, look, names=NAME_WIDTHS[-1], size=max(1, size))


def _panels(
    rows: Sequence[Standing], cells: Sequence[Sequence[str]], look: Look, *, names: int, size: int
) -> list[str]:
    named = [
        [str(number), clipped(short(row.entrant.name), names)] for number, row in enumerate(rows, start=1)
    ]
    starts = range(0, max(1, len(rows)), size)
    return [
        aligned(
            [[*name, *line[start : start + size]] for name, line in zip(named, cells, strict=True)],
            [("#", "right"), ("bot", "left")]
            + [(str(number), "right") for number in range(start + 1, min(start + size, len(rows)) + 1)],
            look.style,
        )
        for start in starts
    ]
