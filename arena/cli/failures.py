"""Faults as text for people: a list, and one of them with all that is known of it. Prints nothing."""

from collections.abc import Iterable, Iterator, Sequence

import msgspec

from arena import deals, grid, transcript
from arena.cli import drawing
from arena.cli.words import told
from arena.games import GAMES
from arena.model import Circumstances, FaultKind, FaultRecord, Load, Question, ended
from arena.store import Kept, MatchRow, StoredMatch, folded
from arena.transcript import BadTranscript, Transcript
from protocol.text import escaped, escaped_lines

DETAIL_WIDTH = 500
"""Characters of what was found; a detail has about as many."""
LISTED_WIDTH = 60
"""The same in a list."""
SENT_WIDTH = 1_000
"""Characters of what a bot sent, where several faults are shown."""
LOG_LINES = 10
"""Last lines of a log that a fault shows."""
LOG_WIDTH = 200_000
"""Characters of a log; what was kept of it is less, its escapes may be longer."""
TRIMMED = "is not kept any more: it was trimmed (arena trim)"
COLUMNS = 110
"""Of the table as a bot saw it."""


class Failure(msgspec.Struct, frozen=True):
    """One fault of a stored match, the rest of a table that it cost apart."""

    row: MatchRow
    number: int
    """Which of the outcome's it is."""

    @property
    def fault(self) -> FaultRecord:
        """What the outcome has of it."""
        return self.row.outcome.faults[self.number]

    @property
    def bot(self) -> str:
        """Name of whose it is."""
        return self.row.seating[self.fault.seat].name

    @property
    def detail(self) -> str:
        """What was found and what was allowed."""
        details = self.row.measurement.fault_details
        return details[self.number] if details else ""


def failures(rows: Iterable[MatchRow], bot: str | None = None) -> list[Failure]:
    """All faults of matches, in their order, or those of one bot by its name in whatever case."""
    found = (Failure(row, number) for row in rows for number in range(len(row.outcome.faults)))
    committed = [each for each in found if not each.fault.forfeit]
    return [each for each in committed if bot is None or folded(each.bot) == folded(bot)]


def listing(found: Sequence[Failure], style: str) -> str:
    """A line a fault, by bot and kind, the newest first."""
    data = style in grid.DATA_STYLES
    rows = [
        (
            grid.whole(each.bot) if data else grid.short(each.bot),
            each.fault.kind.value,
            each.row.id,
            each.row.board.number,
            each.fault.seat,
            each.fault.decision,
            escaped(each.detail, DETAIL_WIDTH if data else LISTED_WIDTH),
        )
        for each in sorted(found, key=lambda one: (folded(one.bot), one.fault.kind, -one.row.id))
    ]
    return grid.listing(("bot", "fault", "match", "board", "seat", "decisions", "found"), rows, style)


def logs(match: StoredMatch, seats: Iterable[int]) -> str:
    """What bots printed in a match, each under a line that says whose it is."""
    if Kept.LOGS in match.trimmed:
        return f"What was printed in match {match.id} {TRIMMED}."
    texts = match.measurement.logs or ("",) * len(match.seating)
    return "\n\n".join(
        f"Seat {seat} {grid.short(match.seating[seat].name)} printed:\n"
        + (escaped_lines(texts[seat], LOG_WIDTH).rstrip("\n") or "nothing")
        for seat in seats
    )


def story(match: StoredMatch, number: int, *, whole: bool) -> str:
    """One fault with all that is known of it; what the bot sent not cut short when `whole`."""
    one = Failure(match, number)
    head = (
        f"{one.fault.kind} by {grid.short(one.bot)} in seat {one.fault.seat} of match {match.id}, league "
        f"{match.league}, board {match.board.number}."
    )
    lines = [
        head,
        f"Detail: {escaped(one.detail, DETAIL_WIDTH) or 'no detail kept'}",
        *_measured(match, number),
        *_sent(match, number, whole=whole),
        *_asked(match, one.fault),
        *_last_lines(match, one.fault.seat),
    ]
    return "\n".join(lines)


def _measured(match: StoredMatch, number: int) -> Iterator[str]:
    if not match.measurement.circumstances:
        return
    measured = match.measurement.circumstances[number]
    if measured.wall_ms is not None:
        yield f"Time: {', '.join(_times(measured))}."
    if measured.exit is not None:
        yield f"It ended: {ended(measured.exit)}."
    if measured.load is not None:
        yield f"The host then: {busy(measured.load)}."


def _times(measured: Circumstances) -> Iterator[str]:
    of = "" if measured.limit_ms is None else f" of {measured.limit_ms:.0f} ms"
    yield f"{measured.wall_ms:.1f} ms{of}"
    yield "CPU time unknown" if measured.cpu_ms is None else f"{measured.cpu_ms:.1f} ms of CPU time"
    if measured.waited_ms is not None:
        yield f"{measured.waited_ms:.1f} ms ready for a core without one"


def busy(load: Load) -> str:
    """Give how busy a host was."""
    pressure = "" if load.pressure is None else f", pressure {load.pressure:g} %"
    cores = grid.counted(load.cores, "core")
    return f"load {load.average:g}, {load.ready} ready to run on {cores}{pressure}"


def _sent(match: StoredMatch, number: int, *, whole: bool) -> Iterator[str]:
    sent = match.measurement.sent[number]
    if sent:
        size = grid.counted(len(sent), "byte")
        yield f"It sent {size}: {escaped(sent, 10 * len(sent) if whole else SENT_WIDTH)}"
    elif Kept.LOGS in match.trimmed:
        yield f"What it sent {TRIMMED}."
    else:
        yield "It sent nothing that was not taken before."


def _asked(match: StoredMatch, fault: FaultRecord) -> Iterator[str]:
    """The table as the bot saw it when it was asked, in the words of `arena play`."""
    if fault.kind is FaultKind.START:
        yield "It was not asked anything yet: it failed at its start."
        return
    known = transcript.setting(match.game, match.options, match.board.seed, match.seating)
    try:
        question = asked(transcript.read(match.transcript, known), fault, auto_forced=match.auto_forced)
    except BadTranscript as error:
        yield f"What it was asked cannot be told: {error}."
        return
    names = tuple(grid.short(entrant.name) for entrant in match.seating)
    sides = GAMES[match.game].sides(len(names))
    table = drawing.Table(game=match.game, names=names, sides=sides, seat=fault.seat)
    news = told(question.events, names, fault.seat, str)
    own_seed = deals.bot_seed(match.board.seed, fault.seat)
    yield f"It was asked this, in its turn {question.turn} (the seed that it was given is {own_seed}):"
    yield ""
    frame = drawing.frame(question, news, table, drawing.Look(COLUMNS, colour=False))
    yield from (f"    {line}".rstrip() for line in frame)
    yield ""


def asked(played: Transcript, fault: FaultRecord, *, auto_forced: bool) -> Question:
    """The question over which a fault was seen; raises BadTranscript when the match does not lead there."""
    unasked = transcript.forced(played) if auto_forced else frozenset[int]()
    events: list[str] = []
    turn = 1
    for number, step in enumerate(transcript.steps(played)):
        events += (*step.acted, *step.dealt)
        if number == fault.decision and step.state.to_act() == fault.seat:
            state = step.state
            return Question(
                seat=fault.seat,
                turn=turn,
                view=state.view(fault.seat),
                events=tuple(events),
                legal=tuple(state.legal()),
                limit_ms=0.0,
                bank_ms=0.0,
            )
        if step.decision is not None and step.decision.seat == fault.seat and number not in unasked:
            turn += 1
            events.clear()
    raise BadTranscript(f"seat {fault.seat} is not to act after {fault.decision} decisions")


def _last_lines(match: StoredMatch, seat: int) -> Iterator[str]:
    log = match.measurement.logs[seat] if match.measurement.logs else ""
    lines = escaped_lines(log, LOG_WIDTH).splitlines()
    if Kept.LOGS in match.trimmed:
        yield f"What it printed {TRIMMED}."
        return
    if not lines:
        yield "It printed nothing."
        return
    shown = lines[-LOG_LINES:]
    yield "The last lines that it printed:" if len(shown) < len(lines) else "It printed:"
    yield from (f"    {line}" for line in shown)
