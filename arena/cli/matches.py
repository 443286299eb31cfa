"""Stored matches as text for people: one match decision by decision, and lists of them. Prints nothing."""

import contextlib
import json
from collections.abc import Iterable, Iterator, Sequence

import msgspec

from arena import grid, transcript
from arena.cli import screen
from arena.cli.drawing import NOBODY
from arena.cli.words import told
from arena.games import GAMES
from arena.model import Decision, FaultRecord
from arena.overload import reason
from arena.store import MatchRow, StoredMatch
from arena.transcript import BadTranscript, Transcript
from protocol.text import escaped

TEXT_WIDTH = 500
"""Characters of an action, a note or a detail that are shown; the protocol allows no more of a note."""

Sides = Sequence[Sequence[int]]
"""The seats of each side."""


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
            ", ".join(map(_listed, row.outcome.faults)),
        )
        for row in rows
    ]
    return grid.listing(("match", "board", "bots by seat", "places", "scores", "faults"), table, style)


def _side_of(sides: Sides) -> list[int]:
    """By seat, the number of its side."""
    return [side for _, side in sorted((seat, side) for side, seats in enumerate(sides) for seat in seats)]


def _listed(fault: FaultRecord) -> str:
    return f"forfeit of seat {fault.seat}" if fault.forfeit else f"{fault.kind} by seat {fault.seat}"


def story(match: StoredMatch, *, views: bool, style: str) -> str:
    """One match whole: who sat where, every decision with what came of it, every fault, and the result.

    With `views` what each seat saw before it decided. Raises BadTranscript when the match cannot be read, or
    for its views not be played again.
    """
    known = transcript.setting(match.game, match.options, match.board.seed, match.seating)
    played = transcript.read(match.transcript, known)
    lines = [*_head(match, played), "", *_decisions(match, played, views=views), ""]
    return "\n".join([*lines, _result(match, played, style)])


def _head(match: StoredMatch, played: Transcript) -> Iterator[str]:
    yield f"Match {match.id} of league {match.league}: {played.game}, {played.players} players."
    yield f"Table {match.table}, board {match.board.number}, seed {played.seed.hex()}."
    yield "Options: " + (
        ", ".join(f"{key} = {value}" for key, value in sorted(played.options.items())) or "none"
    )
    yield f"Walls: {', '.join(match.layers) or 'NONE (sandbox plain)'}."
    for late in match.void:
        yield f"Its table was void once, and played again: {reason(late, match.seating)}."
    yield f"Finished {match.finished:%Y-%m-%d %H:%M:%S} UTC."
    yield f"Seat {played.dealer} deals first."
    if match.auto_forced:
        with contextlib.suppress(BadTranscript):  # told where the decisions are
            count, all_of_them = (
                len(transcript.forced(played)),
                grid.counted(len(played.decisions), "decision"),
            )
            yield f"Forced, and played without asking: {count} of {all_of_them}."


class _Scene(msgspec.Struct, frozen=True):
    """A decision, and what is told around it."""

    decision: Decision
    dealt: tuple[str, ...] = ()
    """Events of a deal before it."""
    view: str = ""
    """As the seat saw the match before it."""
    events: tuple[str, ...] = ()
    """What came of it."""


def _decisions(match: StoredMatch, played: Transcript, *, views: bool) -> Iterator[str]:
    names = names_of(played)
    try:
        scenes = list(_scenes(played, views=views))
    except BadTranscript as error:
        if views:
            raise
        yield f"What came of each decision cannot be told: {error}."
        scenes = [_Scene(decision) for decision in played.decisions]
    width = len(str(len(scenes)))
    actions = [escaped(scene.decision.action, TEXT_WIDTH) for scene in scenes]
    seats = [f"seat {seat} {name}" for seat, name in enumerate(names)]
    lines = screen.grid(
        [
            [f"{number:{width}}", seats[scene.decision.seat], action, _deeds(scene, names)]
            for number, (scene, action) in enumerate(zip(scenes, actions, strict=True), start=1)
        ]
    )
    for number, (scene, line) in enumerate(zip(scenes, lines, strict=True)):
        yield from _faults(match, names, number)
        yield from (f"{'':{width}}  {sentence}" for sentence in told(scene.dealt, names, NOBODY, str))
        if scene.view:
            yield f"{'':{width}}  {scene.view}"
        note = scene.decision.note
        yield line if note is None else f"{line}   ({escaped(note, TEXT_WIDTH)})"
    yield from _faults(match, names, len(scenes))


def names_of(played: Transcript) -> list[str]:
    """By seat; a bot that has two of them is told from itself."""
    short = [grid.short(entrant.name) for entrant in played.seats]
    return [f"{name} ({seat})" if short.count(name) > 1 else name for seat, name in enumerate(short)]


def _scenes(played: Transcript, *, views: bool) -> Iterator[_Scene]:
    """Every decision with its surroundings; raises BadTranscript when the game does not take it."""
    scene = None
    for step in transcript.steps(played):
        if scene is not None:
            yield msgspec.structs.replace(scene, events=step.acted)
        if step.decision is not None:
            seen = json.dumps(step.state.view(step.decision.seat), sort_keys=True) if views else ""
            scene = _Scene(step.decision, step.dealt, seen)


def _deeds(scene: _Scene, names: Sequence[str]) -> str:
    """What came of a decision, without what its line says anyway: who acted, and how."""
    seat = scene.decision.seat
    events = [event for event in scene.events if event != f"{seat} {scene.decision.action}"]
    return "; ".join(
        sentence.removeprefix(f"{names[seat]} ") for sentence in told(events, names, NOBODY, str)
    )


def _faults(match: StoredMatch, names: Sequence[str], number: int) -> Iterator[str]:
    """Those that were seen after so many decisions, with what was found."""
    details = match.measurement.fault_details or ("",) * len(match.outcome.faults)
    for fault, detail in zip(match.outcome.faults, details, strict=True):
        if fault.decision == number:
            who = f"seat {fault.seat} {names[fault.seat]}"
            kind = "" if fault.forfeit else f" {fault.kind}"
            yield f"!! {who}{kind}: {escaped(detail, TEXT_WIDTH) or 'no detail kept'}"


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


def _numbers(values: Iterable[float]) -> str:
    return " ".join(f"{value:g}" for value in values)
