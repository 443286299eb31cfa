"""The leaderboard as it is printed: a table that fits, under a header that says what its numbers mean."""

from collections.abc import Iterable, Sequence

from arena.brief import boards_of
from arena.grid import DATA_STYLES, USUAL, Look, aligned, assure_style, clipped, counted, data, short
from arena.leaderboard.columns import DEFAULT_COLUMNS, NOTHING, Chosen, chosen, ordered
from arena.leaderboard.scope import MODELS, Scope, title
from arena.leaderboard.standings import UNSURE_SE, Anchor, Standing, rated, standings, unsure
from arena.league.schedules import SCHEDULES
from arena.ratings import MEAN_ELO, Fit, Perfect

NAME_WIDTHS = (40, 24, 16)
"""Columns that a name may take: names are shortened before a column is left out."""


def page(
    scope: Scope,
    *,
    columns: Sequence[str] = (),
    sort: str | None = None,
    anchor: Anchor | None = None,
    look: Look = USUAL,
) -> str:
    """A leaderboard under a header that says what its numbers mean, with notes to its marks.

    Styles that another program reads have the table alone. Without `columns` there are the default ones, and
    the group's where there is more than one.
    """
    assure_style(look.style)
    found = rated(scope, anchor)
    rows = standings(scope, found)
    shown = chosen(columns or (*DEFAULT_COLUMNS, *(["group"] if len(found.groups) > 1 else [])))
    rows = ordered(rows, sort) if sort else rows
    if look.bare():
        return render(rows, shown, look)
    table, narrow = fitted(rows, shown, look)
    head = look.lines(title(scope), *_header(scope, anchor))
    return "\n\n".join(
        filter(None, [head, table, look.lines(*_notes(rows, found), *_schedules(scope), narrow)])
    )


def fitted(rows: Sequence[Standing], shown: Sequence[Chosen], look: Look) -> tuple[str, str]:
    """The table as wide as there is room for, and a sentence about the columns that had none."""
    wanted = _varied(rows, shown) or list(shown)
    kept = list(wanted)
    for names in NAME_WIDTHS:
        table = render(rows, kept, look, names=names)
        if look.holds(table):
            return table, ""
    while len(kept) > 1 and not look.holds(table):
        kept.remove(min(reversed(kept), key=lambda each: each.column.weight))
        table = render(rows, kept, look, names=NAME_WIDTHS[-1])
    gone = ", ".join(each.column.key for each in wanted if each not in kept)
    return table, f"Too narrow for {gone}: widen the terminal, or choose by --columns."


def _varied(rows: Sequence[Standing], shown: Iterable[Chosen]) -> list[Chosen]:
    """Without the columns that were to be shown only if they are not all alike."""
    return [each for each in shown if not each.varied or len(rows) < 2 or len(set(each.cells(rows))) > 1]


def render(
    rows: Sequence[Standing], shown: Sequence[Chosen], look: Look = USUAL, *, names: int = NAME_WIDTHS[0]
) -> str:
    """The standings in any style of tabulate, or as csv or json with raw numbers under stable keys."""
    assure_style(look.style)
    if look.style in DATA_STYLES:
        keys = [each.column.key for each in shown]
        return data([{e.column.key: e.column.value(s) for e in shown} for s in rows], keys, look.style)
    cells = [[look.paint(_cell(each, row, names), each.column.tone(row)) for each in shown] for row in rows]
    return aligned(cells, [(each.column.header, each.column.align) for each in shown], look.style)


def _cell(each: Chosen, row: Standing, names: int) -> str:
    text = each.column.show(row, each.digits)
    return clipped(text, names) if each.column.key == "bot" else text


def _header(scope: Scope, anchor: Anchor | None) -> list[str]:
    known = list(boards_of(scope.results))
    boards = sum(times for _, times in known)
    matches = counted(len(scope.results), "match")
    forfeits = sum(times * row.forfeited() for rows, times in known for row in rows)
    base = f"the bots' mean is {MEAN_ELO:.0f}"
    if anchor:
        base = f"{short(anchor.entrant.name)} is put at {anchor.elo:g}"
    return [
        f"{matches} on {counted(boards, 'complete board')}; {forfeits} with a forfeit (then last).",
        *scope.said,
        f"Elo: {MODELS[scope.model]}; {base}.",
        "±: half of the 95 % interval to the mean; `arena matrix` compares two bots.",
    ]


def _notes(rows: Sequence[Standing], found: Fit) -> list[str]:
    several = len(found.groups) > 1
    notes = [
        *(_perfection(row) for row in rows if row.rating and row.rating.perfect),
        any(group.one_way for group in found.groups)
        and "Some bots never lost a point to others: only the prior says how far they are apart.",
        any(map(unsure, rows))
        and f"?  A perfect score, or a standard error above {UNSURE_SE:.0f} Elo: too few boards to say.",
        any(row.rating is None for row in rows) and f"{NOTHING}  No complete board against another bot yet.",
        several and f"{len(found.groups)} groups that never met: ranks and Elo hold within a group only.",
    ]
    return [note for note in notes if note]


def _schedules(scope: Scope) -> list[str]:
    """What a reader should know of how the matches were chosen, each once."""
    known = (SCHEDULES.get(league.schedule) for league in scope.leagues)
    return list(dict.fromkeys(each.note for each in known if each and each.note))


def _perfection(standing: Standing) -> str:
    rating = standing.rating
    assert rating is not None
    assert rating.bound is not None
    mark, took, most = (">", "every", "at least") if rating.perfect is Perfect.WON else ("<", "no", "at most")
    name = short(standing.entrant.name)
    return f"{mark}  {name} took {took} point: {most} {rating.bound:.0f} with 95 % confidence."
