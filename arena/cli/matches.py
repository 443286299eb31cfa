"""Stored matches as text for people: one match decision by decision, and lists of them. Prints nothing."""

import json
from collections.abc import Iterable, Iterator, Sequence

from arena import grid, transcript
from arena.games import GAMES
from arena.store import MatchRow, StoredMatch
from arena.transcript import Transcript
from protocol.text import escaped, escaped_lines

TEXT_WIDTH = 500
"""Characters of an action, a note or a detail that are shown; the protocol allows no more of a note."""

Sides = Sequence[Sequence[int]]
"""The seats of each side."""

LOG_WIDTH = 200_000
"""Characters of a bot's own output; what was kept of it is less, its escapes may be longer."""


def listing(rows: Iterable[MatchRow], sides: Sides, style: str) -> str:
    """A line a match: who sat where, and what it came to; partners have one place and one score."""
    side_of = _side_of(sides)
    table = [
        (
            row.id,
            row.board.number,
            ", ".join(grid.short(entrant.name) for entrant in row.seating),
            _numbers(row.outcome.places[side] for side in side_of),
            _numbers(row.outcome.scores[side] for side in side_of) if row.outcome.scores else "forfeit",
            ", ".join(f"{fault.kind} by seat {fault.seat}" for fault in row.outcome.faults),
        )
        for row in rows
    ]
    return grid.listing(("match", "board", "bots by seat", "places", "scores", "faults"), table, style)


def _side_of(sides: Sides) -> list[int]:
    """By seat, the number of its side."""
    return [side for _, side in sorted((seat, side) for side, seats in enumerate(sides) for seat in seats)]


def story(match: StoredMatch, *, views: bool, logs: bool, style: str) -> str:
    """One match whole: who sat where, every decision with its note and every fault, and the result.

    With `views` what each seat saw before it decided, with `logs` what the bots printed. Raises BadTranscript
    when the match cannot be read, or for its views not be played again.
    """
    played = transcript.read(match.transcript)
    lines = [*_head(match, played), "", *_decisions(match, played, views=views), ""]
    lines += [_result(match, played, style)]
    if logs:
        lines += _logs(match)
    return "\n".join(lines)


def _head(match: StoredMatch, played: Transcript) -> Iterator[str]:
    yield f"Match {match.id} of league {match.league}: {played.game}, {played.players} players."
    yield f"Table {match.table}, board {match.board.number}, seed {played.seed.hex()}."
    yield "Options: " + (
        ", ".join(f"{key} = {value}" for key, value in sorted(played.options.items())) or "none"
    )
    yield f"Walls: {', '.join(match.layers) or 'NONE (sandbox plain)'}."
    yield f"Finished {match.finished:%Y-%m-%d %H:%M:%S} UTC."
    yield f"Seat {played.dealer} deals first."


def _decisions(match: StoredMatch, played: Transcript, *, views: bool) -> Iterator[str]:
    seen = _views(played) if views else [""] * len(played.decisions)
    width = len(str(len(played.decisions)))
    for number, (decision, view) in enumerate(zip(played.decisions, seen, strict=True)):
        yield from _faults(match, number)
        if view:
            yield f"{'':{width}}  {view}"
        note = "" if decision.note is None else f"   ({escaped(decision.note, TEXT_WIDTH)})"
        yield f"{number + 1:{width}}  seat {decision.seat}: {escaped(decision.action, TEXT_WIDTH)}{note}"
    yield from _faults(match, len(played.decisions))


def _faults(match: StoredMatch, number: int) -> Iterator[str]:
    """Those that were seen after so many decisions, with what was found."""
    details = match.measurement.fault_details or ("",) * len(match.outcome.faults)
    for fault, detail in zip(match.outcome.faults, details, strict=True):
        if fault.decision == number:
            yield f"!! seat {fault.seat} {fault.kind}: {escaped(detail, TEXT_WIDTH) or 'no detail kept'}"


def _views(played: Transcript) -> Sequence[str]:
    return [
        json.dumps(state.view(decision.seat), sort_keys=True) for state, decision in transcript.replay(played)
    ]


def _result(match: StoredMatch, played: Transcript, style: str) -> str:
    side_of = _side_of(GAMES[played.game].sides(played.players))
    rows = []
    for seat, entrant in enumerate(played.seats):
        side = side_of[seat]
        scores = match.outcome.scores
        rows.append(
            (
                seat,
                grid.short(entrant.name),
                grid.digits(entrant.version),
                f"{match.outcome.places[side]:g}",
                "forfeit" if scores is None else f"{scores[side]:g}",
                round(match.measurement.seats_wall_ms[seat]),
                round(match.measurement.slowest_ms[seat]),
            )
        )
    headers = ("seat", "bot", "version", "place", "score", "thought ms", "longest ms")
    return grid.listing(headers, rows, style)


def _logs(match: StoredMatch) -> Iterator[str]:
    for seat, log in enumerate(match.measurement.logs):
        yield f"\nSeat {seat} printed:"
        yield escaped_lines(log, LOG_WIDTH) or "nothing"


def _numbers(values: Iterable[float]) -> str:
    return " ".join(f"{value:g}" for value in values)
