"""The columns of a leaderboard: what each has of a standing, and how a user asks for them."""

import re
from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from arena.grid import digits, short, whole
from arena.leaderboard.standings import Standing, unsure
from arena.model import UserError, no_such
from arena.ratings import Perfect

NOTHING = "–"  # noqa: RUF001 - a dash, not a minus
"""Shown where there is no number."""

SPEC = re.compile(r"(?P<key>[^.?:]+)(\.(?P<digits>[0-9]))?(?P<varied>\?)?")
"""A column as it is asked for: `elo`, `elo.1`, `faults?`."""

ORDERS = {"asc": True, "desc": False}
"""Directions of a sort -> whether the smallest comes first."""

MARKS = {
    "elo": {Perfect.WON: ">", Perfect.LOST: "<"},
    "bound": {Perfect.WON: "≥", Perfect.LOST: "≤"},
}
"""Put before these numbers of a bot with a perfect score."""

MOST_SHOWN = 0.999
"""Of a likelihood: no finite number of boards can show 100 %."""


class Column(msgspec.Struct, frozen=True, kw_only=True):
    """What one column has of a standing."""

    key: str
    header: str
    value: Callable[[Standing], Any]
    """Raw, for csv and json; None where there is none."""
    show: Callable[[Standing, int], str]
    """As a table has it, with so many digits behind the point."""
    weight: int
    """Where a terminal is too narrow the columns of the least weight go first."""
    digits: int | None = None
    """Usually shown behind the point; None for a column that is no number."""
    rising: bool = False
    """Whether the smallest comes first unless a user wants it otherwise."""
    align: str = "right"
    tone: Callable[[Standing], str] = lambda _: ""


class Chosen(msgspec.Struct, frozen=True):
    """A column as somebody asked for it."""

    column: Column
    digits: int
    varied: bool = False
    """Whether it is shown only where not all rows have the same in it."""

    def cells(self, standings: Sequence[Standing]) -> list[str]:
        """What stands in it, without colours."""
        return [self.column.show(standing, self.digits) for standing in standings]


def _number(key: str, header: str, value: Callable[[Standing], Any], weight: int, **more: Any) -> Column:
    unit = more.pop("unit", "f")
    return Column(
        key=key,
        header=header,
        value=value,
        show=lambda standing, digits: _shown(key, standing, value(standing), f".{digits}{unit}"),
        weight=weight,
        **{"digits": 0, **more},
    )


def _shown(key: str, standing: Standing, value: Any, form: str) -> str:
    if value is None:
        return NOTHING
    shown = min(value, MOST_SHOWN) if key == "los" else value
    perfect = standing.rating.perfect if standing.rating else None
    mark = MARKS.get(key, {}).get(perfect, "") if perfect else ""
    return mark + format(shown, form) + ("?" if key == "error" and unsure(standing) else "")


def _rated(field: str) -> Callable[[Standing], Any]:
    return lambda standing: None if standing.rating is None else getattr(standing.rating, field)


def _points(standing: Standing) -> float | None:
    return None if standing.rating is None else standing.rating.points / standing.rating.pairs


def _ranks(standing: Standing, _: int) -> str:
    return "{}-{}".format(*standing.rating.ranks) if standing.rating else NOTHING


def version(standing: Standing) -> str:
    """As much of its version as names it."""
    return digits(standing.entrant.version)


def _bad(field: str) -> Callable[[Standing], str]:
    return lambda standing: "bad" if getattr(standing, field) else ""


COLUMNS = {
    column.key: column
    for column in (
        _number("rank", "#", lambda s: s.rank, 7, rising=True),
        Column(
            key="bot",
            header="bot",
            value=lambda s: whole(s.entrant.name),
            show=lambda s, _: short(s.entrant.name),
            weight=10,
            rising=True,
            align="left",
        ),
        Column(
            key="version",
            header="version",
            value=version,
            show=lambda s, _: version(s),
            weight=1,
            rising=True,
            align="left",
            tone=lambda _: "soft",
        ),
        _number("elo", "Elo", _rated("elo"), 10),
        _number("error", "±", _rated("error"), 9, tone=lambda s: "unsure" if unsure(s) else ""),
        Column(key="range", header="ranks", value=_rated("ranks"), show=_ranks, weight=5, rising=True),
        _number("los", "LOS next", lambda s: s.los, 4, digits=1, unit="%"),
        _number("bound", "bound", _rated("bound"), 2),
        _number("boards", "boards", _rated("boards"), 1),
        _number("matches", "matches", lambda s: s.matches, 3),
        _number("place", "place", lambda s: s.place, 4, digits=2, rising=True),
        _number("points", "points", _points, 4, digits=1, unit="%"),
        _number("score", "score", lambda s: s.score, 2, digits=2),
        _number("faults", "faults", lambda s: s.faults, 6, tone=_bad("faults")),
        _number("forfeits", "forfeits", lambda s: s.forfeits, 5, tone=_bad("forfeits")),
        _number("group", "group", lambda s: s.group, 8, rising=True),
    )
}
"""Every column by its key. A column is added with one line here."""

DEFAULT_COLUMNS = ("rank", "bot", "version", "elo", "error", "matches", "place", "faults")


def chosen(specs: Sequence[str]) -> list[Chosen]:
    """Columns as they are asked for; raises UserError."""
    return [_chosen(spec) for spec in specs]


def _chosen(spec: str) -> Chosen:
    found = SPEC.fullmatch(spec)
    column = COLUMNS.get(found["key"]) if found else None
    if found is None or column is None:
        raise UserError(
            f"{no_such('column', spec, COLUMNS)}; type for example --columns {','.join(DEFAULT_COLUMNS)}?"
        )
    if found["digits"] and column.digits is None:
        raise UserError(f"column {spec!r}: {column.key} is no number and has no digits; type {column.key}")
    return Chosen(column, int(found["digits"] or column.digits or 0), bool(found["varied"]))


def ordered(standings: Sequence[Standing], sort: str) -> list[Standing]:
    """Sorted by a column, what is equal in it stays as it was; whoever has nothing there comes last.

    `sort` is a key, with `:asc` or `:desc` behind it where the usual direction is not meant.
    """
    key, _, direction = sort.partition(":")
    if key not in COLUMNS:
        raise UserError(f"{no_such('column', key, COLUMNS, of='to sort by')}; type for example --sort faults")
    if ":" in sort and direction not in ORDERS:
        raise UserError(f"{no_such('direction', direction, ORDERS)}; type --sort {key}:asc")
    column = COLUMNS[key]
    rows = [standing for standing in standings if column.value(standing) is not None]
    rest = [standing for standing in standings if column.value(standing) is None]
    falling = not ORDERS.get(direction, column.rising)
    return sorted(rows, key=column.value, reverse=falling) + rest
