"""At what a league ends: the words of `--until`, and when they have come true."""

import math
import re
from collections.abc import Sequence
from typing import Any

import msgspec

from arena.model import UserError
from arena.ratings import Group, Rating
from protocol.text import escaped

DOUBT = 0.05
"""Chance that a claim of being separated is ever wrong, all looks and all bots together."""

SPREAD_ELO = 100.0
"""Typical difference of two bots, for which the bound is the sharpest; it holds whatever they are."""

LEAST_BOARDS = 10
"""Boards of either bot before anything is claimed: errors from fewer are too rough."""

EXAMPLES = "'top 3 separated', 'error < 25', '2000 matches' or '5 rounds', and several joined by 'or'"


class Until(msgspec.Struct, frozen=True, omit_defaults=True):
    """Whichever of these comes first; None was not asked for."""

    separated: int | None = None
    """Each of so many leaders is proven to be stronger than all below it."""
    error: float | None = None
    """Half of the 95 % interval of every bot is below so many Elo."""
    matches: int | None = None
    """So many are played, those of earlier extensions included."""
    rounds: int | None = None


PATTERNS = {
    "separated": (r"top (\d{1,4}) separated", int, "top {} separated"),
    "error": (r"error ?< ?(\d{1,4}(?:\.\d{1,3})?)", float, "error < {:g}"),
    "matches": (r"(\d{1,9}) match(?:es)?", int, "{} matches"),
    "rounds": (r"(\d{1,4}) rounds?", int, "{} rounds"),
}
"""Field of `Until` -> how it is typed, what its number is, how it is written down."""


def until(text: str | None) -> Until:
    """Read what was typed; raises UserError that says what may be typed."""
    found: dict[str, Any] = {}
    for part in re.split(r"\s+or\s+", text.strip()) if text else ():
        words = " ".join(part.lower().split())
        for field, (pattern, number, _) in PATTERNS.items():
            match = re.fullmatch(pattern, words)
            if match and field not in found and number(match[1]) > 0:
                found[field] = number(match[1])
                break
        else:
            raise UserError(f"--until {escaped(part, 80)!r} is not understood; it may be {EXAMPLES}")
    return Until(**found)


def worded(asked: Until) -> str | None:
    """One text for all ways to type the same; None where nothing is asked for."""
    parts = [
        form.format(getattr(asked, field))
        for field, (_, _, form) in PATTERNS.items()
        if getattr(asked, field) is not None
    ]
    return " or ".join(parts) or None


def reached(asked: Until, group: Group) -> str | None:
    """What of it the ratings have come to, as a user is told; None while there is nothing."""
    if asked.separated and not open_pairs(group, asked.separated):
        return worded(Until(separated=asked.separated))
    if asked.error and not unsure(group, asked.error):
        return worded(Until(error=asked.error))
    return None


def unsure(group: Group, error: float) -> list[int]:
    """Bots of the group whose ± is not below that error."""
    return [bot for bot, rating in enumerate(group.ratings) if not rating.error < error]


def ranked(ratings: Sequence[Rating]) -> list[int]:
    """Bots of a group, the strongest first; equal ones by name."""
    return sorted(range(len(ratings)), key=lambda bot: (-round(ratings[bot].elo, 6), ratings[bot].entrant))


def open_pairs(group: Group, top: int) -> list[tuple[int, int]]:
    """Every leader with each bot below it from which it is not yet separated."""
    order = ranked(group.ratings)
    claims = min(top, len(order) - 1) * (len(order) - 1)
    return [
        (leader, other)
        for place, leader in enumerate(order[:top], start=1)
        for other in order[place:]
        if not _separated(group, leader, other, claims)
    ]


def _separated(group: Group, one: int, other: int, claims: int) -> bool:
    ratings = group.ratings[one], group.ratings[other]
    if min(rating.boards for rating in ratings) < LEAST_BOARDS:
        return False
    difference = group.difference(ratings[0].entrant, ratings[1].entrant)
    return difference.se > 0 and difference.elo / difference.se > proof(difference.se, claims)


def proof(error: float, claims: int) -> float:
    """Standard errors by which one bot must lead another, so that looking after every batch is no cheating.

    The mixture of likelihood ratios over a normal spread of differences exceeds 1/a ever with chance a when
    there is none (Robbins). A wrong top needs one of `claims` comparisons to be wrong, so each has its share
    of the doubt; half of the two-sided bound's goes to the other direction and is given back.
    """
    known = (SPREAD_ELO / error) ** 2
    share = 2 * DOUBT / claims
    return math.sqrt((1 + known) / known * (2 * math.log(1 / share) + math.log1p(known)))
