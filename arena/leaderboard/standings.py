"""Who stands where: ratings and records as one list, best first."""

import math
from collections import Counter
from collections.abc import Collection, Sequence
from fractions import Fraction
from typing import Any

import msgspec

from arena.brief import boards_of, own_mean, scores_of, sides_of
from arena.grid import VERSION_WIDTH, short, whole
from arena.leaderboard.scope import Scope
from arena.model import Entrant, Result, UserError, no_such
from arena.ratings import Fit, Group, Rating, fit

UNSURE_SE = 200.0
"""A standard error above so many Elo is flagged: there are too few boards to say."""

TIED_DIGITS = 6
"""Ratings that agree to so many decimals of an Elo point differ by rounding alone."""


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


def unsure(standing: Standing) -> bool:
    """Whether its rating says too little to conclude anything from."""
    rating = standing.rating
    return rating is not None and (rating.se > UNSURE_SE or rating.perfect is not None)


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


def rated(scope: Scope, anchor: Anchor | None = None) -> Fit:
    """The ratings of those that are shown; raises UserError for an anchor that has none."""
    found = fit(scope.results, model=scope.model)
    if scope.hidden:
        found = found.among(found.entrants() - scope.hidden)
    if anchor is None:
        return found
    if found.group(anchor.entrant) is None:
        name = short(anchor.entrant.name)
        raise UserError(f"{name} has no rating yet: it cannot be the anchor; choose a bot that has one")
    return found.anchored(anchor.entrant, anchor.elo)


def standings(scope: Scope, found: Fit) -> list[Standing]:
    """Best first, group by group; then by name those without a rating."""
    records = _records(scope.results)
    order = [
        Standing(
            entrant=rating.entrant, rank=rank, group=number, rating=rating, los=los, **records[rating.entrant]
        )
        for number, group in enumerate(found.groups, start=1)
        for rank, rating, los in _ranked(group)
    ]
    rest = {*records, *scope.entrants()} - scope.hidden - {standing.entrant for standing in order}
    return order + [
        Standing(
            entrant=entrant, rank=None, group=None, rating=None, los=None, **records.get(entrant, NOTHING)
        )
        for entrant in sorted(rest)
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


def _records(results: Sequence[Result]) -> dict[Entrant, dict[str, Any]]:
    """What is counted rather than rated, by bot."""
    places: dict[Entrant, Counter[float]] = {}
    faults: Counter[Entrant] = Counter()
    forfeits: Counter[Entrant] = Counter()
    for row, times in ((row, times) for rows, times in boards_of(results) for row in rows):
        clean = not row.forfeited()
        for entrant, own in sides_of(row.sides):
            places.setdefault(entrant, Counter())[own_mean(row.places, own)] += times
            if not clean:
                faults[entrant] += times * sum(len(row.faults[i]) for i in own)
                forfeits[entrant] += times * any(map(row.forfeits, own))
    scores = scores_of(results)
    return {
        entrant: {
            "matches": values.total(),
            "place": float(sum(Fraction(value) * times for value, times in values.items())) / values.total(),
            "score": float(scores[entrant].total) / scores[entrant].matches if entrant in scores else None,
            "faults": faults[entrant],
            "forfeits": forfeits[entrant],
        }
        for entrant, values in places.items()
    }


NOTHING: dict[str, Any] = {"matches": 0, "place": None, "score": None, "faults": 0, "forfeits": 0}
"""The record of a bot that did not play."""
