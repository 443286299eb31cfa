"""What a comparison came to, in words and as rows."""

import math
from collections.abc import Iterator, Sequence
from typing import Any

from arena import grid, leaderboard
from arena.cli.looks import UNITS, between, signed
from arena.leaderboard.columns import NOTHING
from arena.league.findings import Finding
from arena.model import Bounds, Entrant, Scale
from arena.ratings.sequential import (
    TELLING,
    Verdict,
    difference,
    lines,
    logistic_elo,
    reach,
    superiority,
)

UNDECIDED = "undecided"
FIXED = "fixed"
UNFINISHED = "unfinished"

MOSTLY_ALIKE = 0.8
"""Share of boards on which the two scored alike that is worth a sentence."""


def page(found: Finding, look: grid.Look) -> str:
    """All about one comparison; for programs one row of raw values."""
    if look.style in grid.DATA_STYLES:
        row = values(found)
        return grid.data([row], list(row), look.style)
    table = grid.listing(("", "comparison"), list(_rows(found)), look.style)
    if look.bare():
        return table
    title = f"Comparison {found.league.name}: {leaderboard.seated(found.league)}"
    walls = "; PLAYED WITHOUT WALLS (sandbox plain)" if found.league.sandbox == "plain" else ""
    return "\n".join(
        [
            look.lines(f"{title}{walls}."),
            look.lines(look.paint(words(found), _tone(found))),
            "",
            table,
            "",
            look.lines(*_meaning(found)),
        ]
    )


def listing(every: Sequence[Finding], look: grid.Look) -> str:
    """Comparisons, one a line."""
    if look.style in grid.DATA_STYLES:
        rows = [values(found) for found in every]
        return grid.data(rows, list(rows[0]) if rows else [], look.style)
    headers = ("comparison", "game", "new", "old", "verdict", "boards", "score", "difference")
    spare = ("score", "boards", "game", "difference")
    return grid.listing(headers, [_line(found) for found in every], look.style, width=look.width, spare=spare)


def outcome(found: Finding) -> str:
    """How it ended, in a word that stays."""
    if not found.ended:
        return UNFINISHED
    return FIXED if found.asked.fixed else str(found.verdict or UNDECIDED)


def values(found: Finding) -> dict[str, Any]:
    """Raw values under keys that stay; None where there is none."""
    asked, seen = found.asked, found.sample
    test = not asked.fixed
    estimate = found.estimate()
    low, high = lines(asked.bounds)
    live = found.live or (None, None)
    return {
        "comparison": found.league.name,
        "game": found.league.game,
        "players": found.league.players,
        "new": grid.whole(asked.new.name),
        "new_version": asked.new.version,
        "old": grid.whole(asked.old.name),
        "old_version": asked.old.version,
        "field": tuple(grid.whole(each.name) for each in asked.field),
        "scale": str(asked.bounds.scale),
        "verdict": outcome(found),
        "elo0": asked.bounds.elo0 if test else None,
        "elo1": asked.bounds.elo1 if test else None,
        "alpha": asked.bounds.alpha if test else None,
        "beta": asked.bounds.beta if test else None,
        "llr": found.ratio if test else None,
        "llr_low": low if test else None,
        "llr_high": high if test else None,
        "difference": _finite(estimate.elo if estimate else None),
        "low": _finite(estimate.low if estimate else None),
        "high": _finite(estimate.high if estimate else None),
        "live_low": _finite(live[0]),
        "live_high": _finite(live[1]),
        "score": seen.score if seen.blocks else None,
        "boards": seen.blocks,
        "boards_most": found.league.extensions[-1].boards,
        "boards_left": found.boards_left,
        "matches": found.matches,
        "won": found.won,
        "lost": found.lost,
        "alike": seen.blocks - found.won - found.lost,
        "faults_new": found.faults[0],
        "faults_old": found.faults[1],
        "faults_others": found.faults[2],
    }


def words(found: Finding) -> str:
    """The verdict as a sentence."""
    new, old = named(found)
    boards = grid.counted(found.sample.blocks, "board")
    if not found.ended:
        return f"{new} against {old}: nothing is decided yet, after {boards}."
    if found.asked.fixed:
        return f"{_fixed(found, new, old)}, after the {boards} that were asked for."
    return f"{_decided(found, new, old)}, after {boards}."


def _decided(found: Finding, new: str, old: str) -> str:
    """What a sequential test says: which differences it rejects."""
    bounds, unit = found.asked.bounds, UNITS[found.asked.bounds.scale]
    match found.verdict:
        case Verdict.H1 if bounds.elo0 < 0:
            return f"{new} is not weaker than {old} by {unit} {-bounds.elo0:g} or more (H1 is accepted)"
        case Verdict.H1:
            more = f" by more than {unit} {bounds.elo0:g}" if bounds.elo0 else ""
            return f"{new} is stronger than {old}{more} (H1 is accepted)"
        case Verdict.H0 if bounds.elo1 > 0:
            return f"{new} is not stronger than {old} by {unit} {bounds.elo1:g} or more (H0 is accepted)"
        case Verdict.H0:
            more = f" by more than {unit} {-bounds.elo1:g}" if bounds.elo1 else ""
            return f"{new} is weaker than {old}{more} (H0 is accepted)"
        case Verdict.ALIKE:
            most = reach(found.sample, bounds)
            return (
                f"{new} and {old} scored alike on {found.alike:.1%} of the boards: a bound is unattainable, "
                f"they are at most {unit} {most:.0f} apart"
            )
        case None:
            return f"Undecided between {new} and {old}: more boards are not allowed"


def _fixed(found: Finding, new: str, old: str) -> str:
    """What an interval says."""
    estimate = found.estimate()
    assert estimate is not None
    told = found.sample.telling >= TELLING
    if told and estimate.low > 0:
        return f"{new} is stronger than {old}"
    if told and estimate.high < 0:
        return f"{new} is weaker than {old}"
    return f"Not known which of {new} and {old} is stronger"


def named(found: Finding) -> tuple[str, str]:
    """Names of the two, with their versions where they are two of one bot."""
    new, old = found.asked.new, found.asked.old
    if new.name == old.name:
        return f"{_name(new)}@{grid.digits(new.version)}", f"{_name(old)}@{grid.digits(old.version)}"
    return _name(new), _name(old)


def _rows(found: Finding) -> Iterator[tuple[str, str]]:
    asked, seen = found.asked, found.sample
    yield "new", _called(asked.new)
    yield "old", _called(asked.old)
    if asked.field:
        yield "others", ", ".join(map(_called, asked.field))
    yield "difference", _difference(found)
    if seen.blocks:
        yield "score", f"{seen.score:.1%}, by which it is Elo {signed(logistic_elo(seen.score))}"
    alike = f"alike on {seen.blocks - seen.telling} ({found.alike:.1%})"
    yield "boards", f"{seen.blocks}: new ahead on {found.won}, behind on {found.lost}, {alike}"
    yield "matches", f"{found.matches}, {seen.matches} on a board"
    new, old, others = found.faults
    yield "faults", f"new {new}, old {old}" + (f", others {others}" if asked.field else "")
    if not asked.fixed:
        low, high = lines(asked.bounds)
        unit = UNITS[asked.bounds.scale]
        yield "test", f"H0: {unit} {asked.bounds.elo0:g}, H1: {unit} {asked.bounds.elo1:g}"
        yield "LLR", f"{found.ratio:+.2f}, ends at {low:+.2f} and {high:+.2f}"


def _difference(found: Finding) -> str:
    scale = found.asked.bounds.scale
    estimate = found.estimate()
    if estimate is None:
        seen = found.sample
        text = f"{UNITS[scale]} {signed(difference(seen, scale))} so far" if seen.blocks else "nothing yet"
        return f"{text}, live 95 % {between(found.live)}" if found.live else text
    ends = between((estimate.low, estimate.high))
    if found.sample.score in (0.0, 1.0):
        took, least = ("every", f"at least {signed(estimate.low)}")
        if found.sample.score == 0.0:
            took, least = "no", f"at most {signed(estimate.high)}"
        return f"{UNITS[scale]} {least} with 97.5 % confidence: it took {took} point"
    corrected = ", allowing for when it stopped" if found.verdict in (Verdict.H1, Verdict.H0) else ""
    return f"{UNITS[scale]} {signed(estimate.elo)}, 95 % {ends}{corrected}"


def _meaning(found: Finding) -> Iterator[str]:
    """What may be concluded, and what not."""
    if not found.asked.fixed:
        yield _risks(found.asked.bounds)
    elif found.ended:
        yield from _likely(found)
    if not found.ended and found.live:
        yield "The live interval holds however often it is looked at, in 95 % of comparisons."
    if found.alike >= MOSTLY_ALIKE and found.verdict is not Verdict.ALIKE:
        yield f"The two scored alike on {found.alike:.1%} of the boards: only the others tell them apart."
    if found.asked.bounds.scale is Scale.NORMALISED:
        yield "nElo counts standard deviations of a match: 347 is one. It is no place on the Elo scale."


def _likely(found: Finding) -> Iterator[str]:
    """What a number of boards that was fixed before makes likely."""
    if found.sample.telling < TELLING:
        yield (
            f"On fewer than {TELLING} boards one of the two was ahead: luck can look like certainty, and "
            f"the interval is a rough one."
        )
    else:
        likely = min(0.999, max(0.001, superiority(found.sample)))
        yield (
            f"The number of boards was fixed before, so the interval holds in 95 % of comparisons; "
            f"{named(found)[0]} is the stronger one with a likelihood of {likely:.1%}."
        )


def _risks(bounds: Bounds) -> str:
    unit = UNITS[bounds.scale]
    return (
        f"Alpha {bounds.alpha:.2g}: were the difference {unit} {bounds.elo0:g} or less, about that share of "
        f"comparisons would accept H1. Beta {bounds.beta:.2g}: were it {bounds.elo1:g} or more, H0. In "
        f"between, either may be accepted."
    )


def _line(found: Finding) -> tuple[str | int, ...]:
    asked = found.asked
    seen = found.sample
    return (
        found.league.name,
        found.league.game,
        _called(asked.new),
        _called(asked.old),
        outcome(found),
        seen.blocks,
        f"{seen.score:.1%}" if seen.blocks else NOTHING,
        _in_short(found),
    )


def _in_short(found: Finding) -> str:
    """The difference with its interval, the live one before the end."""
    scale, estimate = found.asked.bounds.scale, found.estimate()
    if not found.sample.blocks:
        return NOTHING
    elo = estimate.elo if estimate else difference(found.sample, scale)
    ends = (estimate.low, estimate.high) if estimate else found.live
    return f"{UNITS[scale]} {signed(elo)} {between(ends)}".rstrip()


def _tone(found: Finding) -> str:
    if found.verdict is Verdict.H1:
        return "good"
    return "bad" if found.verdict is Verdict.H0 else "unsure"


def _called(entrant: Entrant) -> str:
    return f"{_name(entrant)} {grid.digits(entrant.version)}"


def _name(entrant: Entrant) -> str:
    return grid.short(entrant.name)


def _finite(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None
