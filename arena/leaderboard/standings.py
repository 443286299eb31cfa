"""The leaderboard: standings from results, and how they are shown. Reads no store, prints nothing."""

import dataclasses
import math
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import combinations
from typing import Any

import msgspec

from arena.games import GAMES
from arena.grid import (
    BARE_STYLES,
    DATA_STYLES,
    VERSION_WIDTH,
    aligned,
    assure_style,
    counted,
    data,
    digits,
    short,
    whole,
)
from arena.model import Entrant, League, Partners, Result, UserError, no_such
from arena.ratings import MEAN_ELO, Fit, Group, Perfect, Rating, fit

UNSURE_SE = 200.0
"""A standard error above so many Elo is flagged: there are too few boards to say."""

TIED_DIGITS = 6
"""Ratings that agree to so many decimals of an Elo point differ by rounding alone."""

NOTHING = "–"  # noqa: RUF001 - a dash, not a minus
"""Shown where there is no number."""


class Standing(msgspec.Struct, frozen=True, kw_only=True):
    """One line of the leaderboard.

    Rank, group and rating are None for a bot that no complete board compared with another.
    """

    entrant: Entrant
    rank: int | None
    """In its group, from 1; equal ratings share it."""
    group: int | None
    """Number of the group of bots that are connected through their matches, from 1."""
    rating: Rating | None
    los: float | None
    """Likelihood that it is stronger than the next bot of its group."""
    matches: int
    place: float | None
    """Mean over its matches; 1 is best."""
    score: float | None
    """Mean game points over the matches that were played to their end."""
    faults: int
    """Of its side, partners' included."""
    forfeits: int
    """Matches that its side forfeited: those with a fault, and the rest of a table after too many."""


class Anchor(msgspec.Struct, frozen=True):
    """A bot whose rating is put at a number; its group moves with it."""

    entrant: Entrant
    elo: float


class Column(msgspec.Struct, frozen=True):
    """What one column has of a standing."""

    key: str
    header: str
    align: str
    value: Callable[[Standing], Any]
    """Raw, for csv and json; None where there is none."""
    show: Callable[[Standing], str]
    """As a table has it."""


def _rated(field: str) -> Callable[[Standing], Any]:
    return lambda standing: None if standing.rating is None else getattr(standing.rating, field)


def _shown(value: Any, form: str) -> str:
    return NOTHING if value is None else form.format(value)


def _number(key: str, header: str, value: Callable[[Standing], Any], form: str = "{}") -> Column:
    return Column(key, header, "right", value, lambda standing: _shown(value(standing), form))


def _marked(field: str, marks: Mapping[Perfect | None, str]) -> Callable[[Standing], str]:
    """A number of the rating, in front of it what a perfect score makes of it."""
    return lambda s: marks.get(_rated("perfect")(s), "") + _shown(_rated(field)(s), "{:.0f}")


def _error(standing: Standing) -> str:
    return _shown(_rated("error")(standing), "{:.0f}") + ("?" if _unsure(standing) else "")


def _unsure(standing: Standing) -> bool:
    rating = standing.rating
    return rating is not None and (rating.se > UNSURE_SE or rating.perfect is not None)


def _points(standing: Standing) -> float | None:
    return None if standing.rating is None else standing.rating.points / standing.rating.pairs


def _los(standing: Standing) -> str:
    """Never 100 %, which no finite number of boards can show."""
    return _shown(standing.los and min(standing.los, 0.999), "{:.1%}")


def _ranks(standing: Standing) -> str:
    return "{}-{}".format(*standing.rating.ranks) if standing.rating else NOTHING


def _name(standing: Standing) -> str:
    return short(standing.entrant.name)


def _version(standing: Standing) -> str:
    return digits(standing.entrant.version)


COLUMNS = {
    column.key: column
    for column in (
        _number("rank", "#", lambda s: s.rank),
        Column("bot", "bot", "left", lambda s: whole(s.entrant.name), _name),
        Column("version", "version", "left", _version, _version),
        Column("elo", "Elo", "right", _rated("elo"), _marked("elo", {Perfect.WON: ">", Perfect.LOST: "<"})),
        Column("error", "±", "right", _rated("error"), _error),
        Column("range", "ranks", "right", _rated("ranks"), _ranks),
        Column("los", "LOS next", "right", lambda s: s.los, _los),
        Column(
            "bound",
            "bound",
            "right",
            _rated("bound"),
            _marked("bound", {Perfect.WON: "≥", Perfect.LOST: "≤"}),
        ),
        _number("boards", "boards", _rated("boards")),
        _number("matches", "matches", lambda s: s.matches),
        _number("place", "place", lambda s: s.place, "{:.2f}"),
        _number("points", "points", _points, "{:.1%}"),
        _number("score", "score", lambda s: s.score, "{:.2f}"),
        _number("faults", "faults", lambda s: s.faults),
        _number("forfeits", "forfeits", lambda s: s.forfeits),
        _number("group", "group", lambda s: s.group),
    )
}
"""Every column by its key. A column is added with one line here."""

DEFAULT_COLUMNS = ("rank", "bot", "version", "elo", "error", "matches", "place", "faults")


# Standings


def standings(
    results: Collection[Result], entrants: Iterable[Entrant], *, anchor: Anchor | None = None
) -> list[Standing]:
    """Best first, group by group; then by name those without a rating.

    Whoever played stands there, and every one of `entrants` whether it played or not.
    """
    return _standings(_anchored(results, anchor), results, entrants)


def _anchored(results: Iterable[Result], anchor: Anchor | None) -> Fit:
    found = fit(results)
    if anchor is None:
        return found
    if found.group(anchor.entrant) is None:
        name = short(anchor.entrant.name)
        raise UserError(f"{name} has no rating yet: it cannot be the anchor; choose a bot that has one")
    return found.anchored(anchor.entrant, anchor.elo)


def _standings(found: Fit, results: Iterable[Result], entrants: Iterable[Entrant]) -> list[Standing]:
    records = _records(results)
    order = [
        Standing(
            entrant=rating.entrant, rank=rank, group=number, rating=rating, los=los, **records[rating.entrant]
        )
        for number, group in enumerate(found.groups, start=1)
        for rank, rating, los in _ranked(group)
    ]
    rest = sorted({*records, *entrants} - {standing.entrant for standing in order})
    nothing = _record([], [], 0, 0)
    return order + [
        Standing(
            entrant=entrant, rank=None, group=None, rating=None, los=None, **records.get(entrant, nothing)
        )
        for entrant in rest
    ]


def _ranked(group: Group) -> list[tuple[int, Rating, float | None]]:
    """Rank, rating, and likelihood of being stronger than the next; equal ratings by name."""
    keys = {rating.entrant: (-round(rating.elo, TIED_DIGITS), rating.entrant) for rating in group.ratings}
    order = sorted(group.ratings, key=lambda rating: keys[rating.entrant])
    tops: dict[float, int] = {}
    rows = []
    for number, rating in enumerate(order, start=1):
        rank = tops.setdefault(keys[rating.entrant][0], number)
        following = order[number].entrant if number < len(order) else None
        los = group.difference(rating.entrant, following).los if following else None
        rows.append((rank, rating, los))
    return rows


def _records(results: Iterable[Result]) -> dict[Entrant, dict[str, Any]]:
    """What is counted rather than rated, by bot."""
    places: dict[Entrant, list[float]] = {}
    scores: dict[Entrant, list[float]] = {}
    faults: Counter[Entrant] = Counter()
    forfeits: Counter[Entrant] = Counter()
    for row in results:
        for entrant in {entrant for side in row.sides for entrant in side}:
            own = [number for number, side in enumerate(row.sides) if entrant in side]
            places.setdefault(entrant, []).append(math.fsum(row.places[i] for i in own) / len(own))
            faults[entrant] += sum(len(row.faults[i]) for i in own)
            forfeits[entrant] += any(map(row.forfeits, own))
            if row.scores is not None:
                scores.setdefault(entrant, []).append(math.fsum(row.scores[i] for i in own) / len(own))
    return {e: _record(places[e], scores.get(e, []), faults[e], forfeits[e]) for e in places}


def _record(places: Sequence[float], scores: Sequence[float], faults: int, forfeits: int) -> dict[str, Any]:
    return {
        "matches": len(places),
        "place": _mean(places),
        "score": _mean(scores),
        "faults": faults,
        "forfeits": forfeits,
    }


def _mean(values: Sequence[float]) -> float | None:
    return math.fsum(values) / len(values) if values else None


# What is said around the table


def page(
    league: League,
    results: Collection[Result],
    *,
    columns: Sequence[str] = (),
    style: str = "simple",
    anchor: Anchor | None = None,
) -> str:
    """A league's leaderboard under a header that says what its numbers mean, with notes to its marks.

    Styles that another program reads have the table alone. Without `columns` there are the default ones, and
    the group's where there is more than one.
    """
    found = _anchored(results, anchor)
    rows = _standings(found, results, league.extensions[-1].entrants)
    usual = (*DEFAULT_COLUMNS, "group") if len(found.groups) > 1 else DEFAULT_COLUMNS
    table = render(rows, columns=columns or usual, style=style)
    if style in BARE_STYLES:
        return table
    return "\n\n".join(filter(None, [_header(league, results, anchor), table, _notes(rows, found)]))


def _title(league: League) -> str:
    walls = "; PLAYED WITHOUT WALLS (sandbox plain)" if league.sandbox == "plain" else ""
    return f"League {league.name}: {seated(league)}{walls}."


def seated(league: League) -> str:
    """Game and seats of a league with what is unusual about them, as headers say it."""
    unusual = options(league)
    rules = f"{league.game} ({unusual})" if unusual else league.game
    mixed = ", mixed partners" if league.partners is Partners.MIXED else ""
    return f"{rules}, {league.players} players{mixed}"


def options(league: League) -> str:
    """Options of a league that are not as usual, as they are typed; none is an empty text."""
    game = GAMES.get(league.game)
    usual = dataclasses.asdict(game.options()) if game else {}
    return ", ".join(
        f"{name}={str(value).lower() if isinstance(value, bool) else value}"
        for name, value in league.options.items()
        if value != usual.get(name)
    )


def _header(league: League, results: Collection[Result], anchor: Anchor | None) -> str:
    boards = len({row.board for row in results})
    matches = counted(len(results), "match")
    forfeits = sum(row.forfeited() for row in results)
    base = f"the mean of the bots is {MEAN_ELO:.0f}"
    if anchor:
        base = f"{short(anchor.entrant.name)} is put at {anchor.elo:g}"
    return "\n".join(
        [
            _title(league),
            f"{matches} on {counted(boards, 'complete board')}; {forfeits} with a forfeit (then last).",
            f"Elo: Bradley-Terry over all pairs at once, a tie is one half; {base}.",
            "±: half of the 95 % interval of the distance to the mean; --differences compares two bots.",
        ]
    )


def _notes(rows: Sequence[Standing], found: Fit) -> str:
    several = len(found.groups) > 1
    perfect = [_perfection(row) for row in rows if row.rating and row.rating.perfect]
    one_way = any(group.one_way for group in found.groups)
    unsure = any(map(_unsure, rows))
    unrated = any(row.rating is None for row in rows)
    notes = [
        *perfect,
        one_way and "Some bots never lost a point to others: only the prior says how far they are apart.",
        unsure
        and f"?  A perfect score, or a standard error above {UNSURE_SE:.0f} Elo: too few boards to say.",
        unrated and f"{NOTHING}  No complete board against another bot yet.",
        several and f"{len(found.groups)} groups that never met: ranks and Elo hold within a group only.",
    ]
    return "\n".join(note for note in notes if note)


def _perfection(standing: Standing) -> str:
    rating = standing.rating
    assert rating is not None
    assert rating.bound is not None
    mark, took, most = (">", "every", "at least") if rating.perfect is Perfect.WON else ("<", "no", "at most")
    return f"{mark}  {_name(standing)} took {took} point: {most} {rating.bound:.0f} with 95 % confidence."


def anchor_named(text: str, entrants: Collection[Entrant]) -> Anchor:
    """Read `NAME=ELO`; the name may also be a version as the leaderboard shows it."""
    name, _, number = text.rpartition("=")
    known = [entrant for entrant in entrants if name in (entrant.name, entrant.version[:VERSION_WIDTH])]
    try:
        elo = float(number)
    except ValueError:
        elo = math.nan
    if not math.isfinite(elo) or not name:
        raise UserError(f"anchor {whole(text)!r}: a bot and a number are needed; type --anchor NAME=1500")
    if len(known) == 1:
        return Anchor(known[0], elo)
    versions = ", ".join(entrant.version[:VERSION_WIDTH] for entrant in known)
    if known:
        raise UserError(
            f"{whole(name)!r} has several versions; type --anchor VERSION={elo:g} with one of {versions}"
        )
    raise UserError(no_such("bot", name, (entrant.name for entrant in sorted(entrants)), of="to anchor"))


# Rendering


def render(
    standings: Sequence[Standing], *, columns: Sequence[str] = DEFAULT_COLUMNS, style: str = "simple"
) -> str:
    """The standings as a table in any style of tabulate, or as csv or json with raw numbers."""
    assure_style(style)
    chosen = [_chosen(key) for key in columns]
    if style in DATA_STYLES:
        return data([{column.key: column.value(s) for column in chosen} for s in standings], columns, style)
    rows = [[column.show(standing) for column in chosen] for standing in standings]
    return aligned(rows, [(column.header, column.align) for column in chosen], style)


def _chosen(key: str) -> Column:
    if key not in COLUMNS:
        raise UserError(
            f"{no_such('column', key, COLUMNS)}; type for example --columns {','.join(DEFAULT_COLUMNS)}"
        )
    return COLUMNS[key]


# Two bots at a time

PAIR_KEYS = ("bot", "version", "other", "other_version", "elo", "se", "error", "los")


def differences(league: League, results: Collection[Result], *, style: str = "simple") -> str:
    """How much stronger each bot is than each other, with the error of that difference: row less column.

    As csv or json one row a pair, the better rated bot first.
    """
    assure_style(style)
    found = fit(results)
    rows = [row for row in _standings(found, results, ()) if row.rating]
    groups = [[row for row in rows if row.group == number] for number in range(1, len(found.groups) + 1)]
    if style in DATA_STYLES:
        pairs = [pair for members in groups for pair in combinations(members, 2)]
        return data([_pair(found, *pair) for pair in pairs], PAIR_KEYS, style)
    tables = [
        _difference_table(group, members, style) for group, members in zip(found.groups, groups, strict=True)
    ]
    if style in BARE_STYLES:
        return "\n".join(tables)
    said = (
        "Elo of the row less Elo of the column, ± half of its 95 % interval.",
        f"?  Of a bot with a perfect score, or with a standard error above {UNSURE_SE:.0f} Elo.",
    )
    return "\n\n".join(["\n".join([_title(league), *said]), *tables])


def _pair(found: Fit, one: Standing, two: Standing) -> dict[str, Any]:
    difference = found.difference(one.entrant, two.entrant)
    assert difference is not None
    names = (whole(one.entrant.name), _version(one), whole(two.entrant.name), _version(two))
    return dict(zip(PAIR_KEYS, (*names, *msgspec.structs.astuple(difference)), strict=True))


def _difference_table(group: Group, rows: Sequence[Standing], style: str) -> str:
    cells = [
        [str(number), _name(row), *(_difference(group, row, other) for other in rows)]
        for number, row in enumerate(rows, start=1)
    ]
    headers = [("#", "right"), ("bot", "left"), *((str(n), "right") for n in range(1, len(rows) + 1))]
    return aligned(cells, headers, style)


def _difference(group: Group, one: Standing, two: Standing) -> str:
    if one.entrant == two.entrant:
        return ""
    difference = group.difference(one.entrant, two.entrant)
    perfect = any(_rated("perfect")(standing) for standing in (one, two))
    flag = "?" if perfect or difference.se > UNSURE_SE else ""
    return f"{difference.elo:+.0f} ±{difference.error:.0f}{flag}"
