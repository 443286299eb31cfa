"""What became of a bot from version to version: a line and an error bar each."""

import math
from collections.abc import Sequence
from typing import Any

import msgspec

from arena.grid import DATA_STYLES, USUAL, Look, aligned, assure_style, cells, counted, data, digits, short
from arena.leaderboard.columns import NOTHING
from arena.leaderboard.scope import MODELS, Scope, title
from arena.leaderboard.standings import rated
from arena.model import Entrant
from arena.ratings import MEAN_ELO, Difference, Fit, Rating
from arena.store import Bot

KEYS = ("number", "version", "submitted", "elo", "error", "group", "change", "change_error", "los", "boards")
HEADERS = (
    *(("#", "right"), ("version", "left"), ("submitted", "left"), ("Elo", "right"), ("±", "right")),
    *(("change", "left"), ("boards", "right")),
)

STEP_ELO = 50
"""The plot begins and ends at a multiple of this."""

PLOT_WIDTHS = (20, 48)
"""Columns it takes at least and at most."""

SPARED = ("boards", "submitted", "version")
"""Columns that make room for the plot, the first of them first."""

GAP = 4
"""Columns beside a cell that a style may need."""


class _Line(msgspec.Struct, frozen=True):
    """One version and what is known of it."""

    bot: Bot
    group: int | None
    rating: Rating | None
    change: Difference | None
    """To the version before that has a rating; None where nothing connects the two."""


def history(versions: Sequence[Bot], scope: Scope, look: Look = USUAL) -> str:
    """A line for each version, the oldest first; as csv or json with raw numbers."""
    assure_style(look.style)
    found = rated(scope)
    lines = _lines(versions, found)
    if look.style in DATA_STYLES:
        return data([_row(line) for line in lines], KEYS, look.style)
    table, narrow = _plotted(lines, look)
    if look.bare():
        return table
    head = look.lines(*_header(versions[0], scope, lines))
    return "\n\n".join([head, table, *([look.lines(narrow)] if narrow else [])])


def _lines(versions: Sequence[Bot], found: Fit) -> list[_Line]:
    groups = {
        rating.entrant: (number, rating)
        for number, group in enumerate(found.groups, start=1)
        for rating in group.ratings
    }
    lines: list[_Line] = []
    before: Entrant | None = None
    for bot in versions:
        entrant = Entrant(bot.name, bot.version)
        group, rating = groups.get(entrant, (None, None))
        change = found.difference(entrant, before) if rating and before else None
        before = entrant if rating else before
        lines.append(_Line(bot, group, rating, change))
    return lines


def _row(line: _Line) -> dict[str, Any]:
    rating, change = line.rating, line.change
    values = (
        line.bot.number,
        digits(line.bot.version),
        line.bot.submitted.isoformat(timespec="seconds"),
        *((rating.elo, rating.error) if rating else (None, None)),
        line.group,
        *((change.elo, change.error, change.los) if change else (None, None, None)),
        rating.boards if rating else 0,
    )
    return dict(zip(KEYS, values, strict=True))


def _header(bot: Bot, scope: Scope, lines: Sequence[_Line]) -> list[str]:
    groups = {line.group for line in lines if line.group}
    return [
        f"{short(bot.name)}, {counted(len(lines), 'version')}. {title(scope)}",
        *scope.said,
        f"Elo: {MODELS[scope.model]}; the mean of all is {MEAN_ELO:.0f}.",
        "±: half of the 95 % interval of the distance to the mean, in the plot [--o--].",
        "change: from the version before, with an interval of its own.",
        "Some versions are connected by no chain of matches: nothing compares them." * (len(groups) > 1),
    ]


def _plotted(lines: Sequence[_Line], look: Look) -> tuple[str, str]:
    """The table with a plot, and a sentence about the columns that had to go for it."""
    rows = [_shown(line, look) for line in lines]
    points = [(line.rating.elo, line.rating.error) if line.rating else None for line in lines]
    least, most = PLOT_WIDTHS if any(points) else (0, 0)
    for count in range(len(SPARED) + 1):
        gone = SPARED[:count]
        headers = [header for header in HEADERS if header[0] not in gone]
        kept = [[row[name] for name, _ in headers] for row in rows]
        table = aligned(kept, headers, look.style)
        room = most if look.width is None else look.width - max(map(cells, table.split("\n"))) - GAP
        if room >= least:
            break
    said = f"Too narrow for {', '.join(gone)}." if gone else ""
    if not least or room < least:
        return table, said
    axis, bars = plot(points, min(room, most))
    kept = [[*row, bar] for row, bar in zip(kept, bars, strict=True)]
    return aligned(kept, [*headers, (axis, "left")], look.style), said


def _shown(line: _Line, look: Look) -> dict[str, str]:
    rating, change = line.rating, line.change
    tone = "" if change is None or abs(change.elo) <= change.error else "good" if change.elo > 0 else "bad"
    return {
        "#": str(line.bot.number),
        "version": look.paint(digits(line.bot.version), "soft"),
        "submitted": line.bot.submitted.astimezone().strftime("%Y-%m-%d"),
        "Elo": f"{rating.elo:.0f}" if rating else NOTHING,
        "±": f"{rating.error:.0f}" if rating else NOTHING,
        "change": look.paint(f"{change.elo:+z.0f} ±{change.error:.0f}", tone) if change else NOTHING,
        "boards": str(rating.boards if rating else 0),
    }


def plot(points: Sequence[tuple[float, float] | None], width: int) -> tuple[str, list[str]]:
    """An axis from the lowest to the highest error bar, and a bar under it for each (number, error)."""
    known = [point for point in points if point]
    low = STEP_ELO * math.floor(min(elo - error for elo, error in known) / STEP_ELO)
    high = STEP_ELO * math.ceil(max(elo + error for elo, error in known) / STEP_ELO)
    high = max(high, low + STEP_ELO)
    scale = (width - 1) / (high - low)
    bars = []
    for point in points:
        bar = [" "] * width
        if point:
            start, middle, end = (round((point[0] + side * point[1] - low) * scale) for side in (-1, 0, 1))
            bar[start : end + 1] = "-" * (end + 1 - start)
            bar[start], bar[end], bar[middle] = "[", "]", "o"
        bars.append("".join(bar).rstrip())
    return f"{low}{high:>{width - len(str(low))}}", bars
