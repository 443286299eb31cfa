"""Stored matches as text for people: one match decision by decision, and lists of them. Prints nothing."""

import json
from collections.abc import Iterable, Iterator, Sequence

from tabulate import tabulate

from arena import transcript
from arena.games import GAMES
from arena.leaderboard import NAME_WIDTH, VERSION_WIDTH
from arena.model import Entrant
from arena.store import MatchRow, StoredMatch
from arena.transcript import Transcript
from protocol.text import escaped, escaped_lines

TEXT_WIDTH = 500
"""Characters of an action, a note or a detail that are shown; the protocol allows no more of a note."""

LOG_WIDTH = 200_000
"""Characters of a bot's own output; what was kept of it is less, its escapes may be longer."""


def listing(rows: Iterable[MatchRow]) -> str:
    """A line a match: who sat where, and what it came to."""
    table = [
        [
            str(row.id),
            str(row.board.number),
            ", ".join(_name(entrant) for entrant in row.seating),
            _numbers(row.outcome.places),
            _numbers(row.outcome.scores or ()) or "forfeit",
            ", ".join(f"{fault.kind} by seat {fault.seat}" for fault in row.outcome.faults),
        ]
        for row in rows
    ]
    return tabulate(
        table,
        headers=["match", "board", "bots by seat", "places", "scores", "faults"],
        colalign=["right", "right", "left", "left", "left", "left"] if table else None,
        disable_numparse=True,
        preserve_whitespace=True,
    )


def story(match: StoredMatch, *, views: bool = False, logs: bool = False) -> str:
    """One match whole: who sat where, every decision with its note and every fault, and the result.

    With `views` what each seat saw before it decided, with `logs` what the bots printed. Raises BadTranscript
    when the match cannot be read, or for its views not be played again.
    """
    played = transcript.read(match.transcript)
    lines = [*_head(match, played), "", *_decisions(match, played, views=views), "", *_result(match, played)]
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


def _result(match: StoredMatch, played: Transcript) -> Iterator[str]:
    sides = GAMES[played.game].sides(played.players)
    side_of = {seat: side for side, seats in enumerate(sides) for seat in seats}
    rows = []
    for seat, entrant in enumerate(played.seats):
        side = side_of[seat]
        scores = match.outcome.scores
        rows.append(
            [
                str(seat),
                _name(entrant),
                escaped(entrant.version[:VERSION_WIDTH], 10 * VERSION_WIDTH),
                f"{match.outcome.places[side]:g}",
                "forfeit" if scores is None else f"{scores[side]:g}",
                f"{match.measurement.seats_wall_ms[seat]:.0f}",
                f"{match.measurement.slowest_ms[seat]:.0f}",
            ]
        )
    yield tabulate(
        rows,
        headers=["seat", "bot", "version", "place", "score", "thought ms", "longest ms"],
        colalign=["right", "left", "left", "right", "right", "right", "right"],
        disable_numparse=True,
        preserve_whitespace=True,
    )


def _logs(match: StoredMatch) -> Iterator[str]:
    for seat, log in enumerate(match.measurement.logs):
        yield f"\nSeat {seat} printed:"
        yield escaped_lines(log, LOG_WIDTH) or "nothing"


def _name(entrant: Entrant) -> str:
    return escaped(entrant.name, NAME_WIDTH)


def _numbers(values: Iterable[float]) -> str:
    return " ".join(f"{value:g}" for value in values)
