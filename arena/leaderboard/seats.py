"""What the seats of a table scored, whoever sat there, and whether that is more than luck."""

import math
from collections.abc import Sequence
from typing import Any

import msgspec

from arena.games import GAMES
from arena.grid import DATA_STYLES, USUAL, Look, aligned, assure_style, counted, data
from arena.leaderboard.columns import NOTHING
from arena.leaderboard.scope import Scope, title
from arena.model import Result
from arena.ratings import TEST_MIN_BOARDS, Bias, Seats, seat_scores

UNLIKELY = 0.05
"""A chance below this is called a sign of a bias."""

KEYS = ("seats", "points", "error", "place", "score", "faults", "forfeits", "chi_square", "freedom", "p")
HEADERS = ("seat", "points", "±", "place", "score", "faults", "forfeits")


class _Record(msgspec.Struct, frozen=True):
    """What is counted of a place at the table."""

    place: float
    score: float | None
    faults: int
    forfeits: int


def seats(scope: Scope, look: Look = USUAL) -> str:
    """A line for each seat, or for the seats of one side; as csv or json with the test in every row."""
    assure_style(look.style)
    found = seat_scores(scope.results)
    rows = [] if found is None else _rows(scope, found)
    if look.style in DATA_STYLES:
        return data(rows, KEYS, look.style)
    cells = [_shown(row) for row in rows]
    table = aligned(cells, [("seat", "left"), *((header, "right") for header in HEADERS[1:])], look.style)
    if look.bare():
        return table
    head = look.lines(title(scope), *scope.said, *_meaning(found))
    return "\n\n".join([head, table, *([look.lines(*_verdict(found))] if found else [])])


def _rows(scope: Scope, found: Seats) -> list[dict[str, Any]]:
    league = scope.leagues[0]
    test = found.test
    return [
        {
            "seats": "+".join(map(str, side)),
            "points": found.scores[number],
            "error": found.errors[number] if found.errors else None,
            **msgspec.structs.asdict(_record(scope.results, number)),
            "chi_square": test.statistic if test else None,
            "freedom": test.freedom if test else None,
            "p": test.chance if test else None,
        }
        for number, side in enumerate(GAMES[league.game].sides(league.players))
    ]


def _record(results: Sequence[Result], side: int) -> _Record:
    scores = [row.scores[side] for row in results if row.scores is not None]
    return _Record(
        place=math.fsum(row.places[side] for row in results) / len(results),
        score=math.fsum(scores) / len(scores) if scores else None,
        faults=sum(len(row.faults[side]) for row in results),
        forfeits=sum(row.forfeits(side) for row in results),
    )


def _shown(row: dict[str, Any]) -> list[str]:
    return [
        row["seats"],
        f"{row['points']:.1%}",
        NOTHING if row["error"] is None else f"{100 * row['error']:.1f}",
        f"{row['place']:.2f}",
        NOTHING if row["score"] is None else f"{row['score']:.2f}",
        str(row["faults"]),
        str(row["forfeits"]),
    ]


def _meaning(found: Seats | None) -> list[str]:
    if found is None:
        return ["No complete board yet."]
    return [
        f"{counted(found.boards, 'complete board')}: every bot had every seat with the same cards.",
        "points: share of those at the table, 50 % is fair; ±: half of the 95 % interval.",
    ]


def _verdict(found: Seats) -> list[str]:
    if found.test is None:
        return [f"To test whether the seat matters takes {TEST_MIN_BOARDS} boards."]
    return [*_tested(found.test), "Ratings need no correction: every bot sat everywhere equally often."]


def _tested(test: Bias) -> tuple[str, str]:
    found = "The seat matters" if test.chance < UNLIKELY else "No sign that the seat matters"
    freedom = counted(test.freedom, "degree")
    return (
        f"{found}: chi-square {test.statistic:.2f}, {freedom} of freedom, p = {test.chance:.2g}.",
        f"Were all seats alike, they would differ as much in {test.chance:.1%} of leagues.",
    )
