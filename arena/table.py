"""One table: fresh bot processes in one seating, playing a block of boards.

Life of a table:

    call all seats --> all ready, or a fault each --> match, match, ... match --> goodbye --> nothing is left
                            ^                            |
                            +--- fresh process for whom --+
                                 a fault took out

Where all bots can hold several matches, these are on at the same time, up to the first fault: then the table
is played anew, one match after the other.

What a bot does wrong ends in a match's outcome. What we get wrong is an exception, and the table is to be
played again: no match of it counts.
"""

import contextlib
import dataclasses
import math
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

import msgspec

from arena import deals, referee, runtimes, transcript
from arena.games import GAMES
from arena.games.base import Game, parse_options
from arena.model import (
    HOUSE,
    Answer,
    Board,
    Clock,
    Decision,
    MatchRecord,
    Measurement,
    Question,
    SeatFault,
    TableJob,
    TableResult,
)
from arena.overload import starvations
from arena.sandbox import BACKENDS, Box, Limits
from arena.sandbox.cores import one_core
from arena.seats import folders
from arena.seats.base import Seat
from arena.seats.link import WardenLost
from arena.seats.local import Local
from arena.seats.remote import Remote
from protocol import messages

__all__ = ["WardenLost", "play_fairly", "play_table", "unwatched"]

MOST_AT_ONCE = 16
"""Matches of one table that are on at the same time."""
MAX_FAULTS = 3
"""Faulted matches after which a bot forfeits the rest of its table."""
DECISIONS = 1_000
"""Decisions a match for which the CPU limit has room; no game of ours asks one seat so often."""
MOST_CPU_S = 365 * 24 * 3_600
"""However long the clocks: what the kernel counts in nanoseconds stays far below 64 bits."""


Watch = Callable[[Board, referee.Happening], None]


def unwatched(board: Board, happening: referee.Happening) -> None:
    """Nobody watches."""
    del board, happening


def as_it_is(number: int, seat: Seat) -> Seat:
    """Nothing stands between the referee and a seat."""
    del number
    return seat


def play_fairly(job: TableJob) -> TableResult:
    """Play a table; once more, if it is void because the machine made a bot late. What then comes counts."""
    result = play_table(job)
    void = starvations(result)
    return msgspec.structs.replace(play_table(job), void=void) if void else result


def play_table(
    job: TableJob,
    *,
    guests: Mapping[int, Seat] = MappingProxyType({}),
    around: Callable[[int, Seat], Seat] = as_it_is,
    watch: Watch = unwatched,
    at_once: int = MOST_AT_ONCE,
) -> TableResult:
    """Play every board of the job. Raises SandboxError, WardenLost and whatever else is our failure.

    `guests` are seats that the caller brings, by number; the job's seating says no more than their names.
    `around` may put something of the caller's between the referee and a seat. `watch` hears of everything as
    it happens, and the bots wait for it while no clock runs; it sees one match after the other, as `around`
    does. Else up to `at_once` matches are played at the same time, as far as all bots can hold them.
    """
    if watch is unwatched and around is as_it_is and not guests and min(at_once, len(job.boards)) > 1:
        try:
            return _sitting(job, lambda table: table.together(at_once))
        except _Faulted as faulted:
            before = faulted
        return _remembered(_sitting(job, lambda table: table.one_by_one(before.played)), before)
    return _sitting(job, _Table.one_by_one, guests=guests, around=around, watch=watch)


def _sitting(
    job: TableJob,
    play: "Callable[[_Table], list[MatchRecord]]",
    *,
    guests: Mapping[int, Seat] = MappingProxyType({}),
    around: Callable[[int, Seat], Seat] = as_it_is,
    watch: Watch = unwatched,
) -> TableResult:
    """Play a table from the first call of its bots to the last of them gone."""
    backend = BACKENDS[job.sandbox]
    layers = backend.layers()
    with contextlib.ExitStack() as stack:
        if backend.freezes() and stack.enter_context(one_core()):
            layers += ("one core",)
        folder = stack.enter_context(folders.of_table())
        stack.callback(backend.tidy)
        stack.callback(folders.sweep)
        seats = [
            around(number, guests.get(number) or _seat(job, number, folder))
            for number in range(len(job.seating))
        ]
        stack.callback(_close, seats)
        table = _Table(job, seats, watch)
        matches = play(table)
        last_logs = table.goodbye()
    matches[-1:] = [_with_logs(match, last_logs) for match in matches[-1:]]
    return TableResult(job.key, tuple(matches), layers, table.at_once)


def _close(seats: list[Seat]) -> None:
    for seat in seats:
        seat.release()
    for seat in seats:
        seat.close()


def _seat(job: TableJob, number: int, sockets: Path) -> Seat:
    entrant = job.seating[number]
    if entrant == HOUSE:
        return Local()
    submissions = Path(job.submissions)
    manifest = runtimes.read_manifest(submissions / entrant.version)
    folder = runtimes.played(manifest, submissions, entrant.version)
    limits = Limits(cpu_s=cpu_seconds(job.clock, len(job.boards)))

    def box(path: str) -> Box:
        return runtimes.box(
            manifest,
            folder,
            walled=job.sandbox != "plain",
            limits=limits,
            socket=path if manifest.transport is runtimes.Transport.ZMQ else None,
            seat=number,
        )

    return Remote(sockets, number, box, backend=job.sandbox, clock=job.clock)


def cpu_seconds(clock: Clock, boards: int) -> int:
    """CPU time that a process may need at a table when it uses up all clocks."""
    match_ms = clock.bank_ms + DECISIONS * clock.move_ms
    return min(math.ceil((clock.start_ms + boards * match_ms) / 1_000), MOST_CPU_S)


Course = Sequence[tuple[Decision, float]]
"""Decisions of a match up to a fault, and how long each took in milliseconds."""
Played = Mapping[int, Course]
"""By number of the match: how far it had come when a bot committed a fault in any."""


class _Faulted(Exception):  # noqa: N818 - an event, not an error
    """A bot committed a fault while several matches were on: which of them it spoils is not known."""

    def __init__(self, played: Played, seat: int, log: str) -> None:
        super().__init__(played, seat, log)
        self.played = played
        self.seat = seat
        self.log = log
        """What it did and what it had printed."""


class _Thinking:
    """What one seat spent in one match."""

    def __init__(self) -> None:
        self.wall_ms = self.slowest_ms = 0.0
        self.cpu_ms: float | None = 0.0

    def add(self, answer: Answer) -> None:
        self.wall_ms += answer.wall_ms
        self.slowest_ms = max(self.slowest_ms, answer.wall_ms)
        if self.cpu_ms is not None:
            self.cpu_ms = None if answer.cpu_ms is None else self.cpu_ms + answer.cpu_ms


class _Underway:
    """One match that is on."""

    match: referee.Referee

    def __init__(self, board: Board, players: int, watch: Watch, before: Course) -> None:
        self.board = board
        self.course: list[tuple[Decision, float]] = []
        self.fault: tuple[int, SeatFault] | None = None
        """The first one, and whose it is."""
        self.thinking = [_Thinking() for _ in range(players)]
        self.decisions_ms: list[float | None] = []
        """By decision: how long its bot thought; None where no bot was asked."""
        self.began_s = time.monotonic()
        self.question: Question | None = None
        """The one that is open."""
        self._watch = watch
        self._before = before

    def stands(self, question: Question, answer: Answer) -> Answer:
        """An answer, or the one that was played in its place when the match was on before.

        It is charged with the longer of both times, so that neither is had for nothing.
        """
        if self.fault is not None or len(self.course) >= len(self._before):
            return answer
        before, before_ms = self._before[len(self.course)]
        wall_ms = min(max(answer.wall_ms, before_ms), question.limit_ms)
        return msgspec.structs.replace(answer, action=before.action, note=before.note, wall_ms=wall_ms)

    def hear(self, happening: referee.Happening) -> None:
        """Note what the referee tells, and pass it on to whoever watches."""
        if happening.decision is not None:
            answer = happening.answer
            self.decisions_ms.append(None if answer is None else answer.wall_ms)
            if self.fault is None:
                self.course.append((happening.decision, 0.0 if answer is None else answer.wall_ms))
        if happening.fault is not None and happening.seat is not None and self.fault is None:
            self.fault = happening.seat, happening.fault
        self._watch(self.board, happening)


class _Table:
    """The seats of one table, and what happened to them so far."""

    def __init__(self, job: TableJob, seats: list[Seat], watch: Watch) -> None:
        self._job, self._seats, self._watch = job, seats, watch
        self._players = len(seats)
        self._rests = BACKENDS[job.sandbox].freezes()
        self._game: Game = GAMES[job.game]
        self._options: Any = parse_options(self._game.options, job.options)
        self._sides = self._game.sides(self._players)
        self._cards = self._game.deck(self._options, self._players)
        self._played: dict[int, Course] = {}
        """Of the matches that were begun together with others."""
        self.at_once = 1
        """Matches that are on at the same time."""
        self._seated: set[int] = set()
        """Seats whose process is there and has said hello."""
        self._faults: list[list[SeatFault]] = [[] for _ in seats]
        """By seat, one for each match in which it committed one."""

    def one_by_one(
        self, played: Played = MappingProxyType({}), missing: Mapping[int, SeatFault] | None = None
    ) -> list[MatchRecord]:
        """Play the boards one after the other; what was `played` of them before stands.

        `missing` are those of the first match that did not come, when they were called before.
        """
        records: list[MatchRecord] = []
        for number, board in enumerate(self._job.boards, 1):
            absent = self._gather() if missing is None or records else missing
            records.append(self.match(number, board, absent, played.get(number, ())))
        return records

    def together(self, at_once: int) -> list[MatchRecord]:
        """Play several boards at the same time where all bots can hold them; raises _Faulted at a fault.

        The matches are independent of each other, so they come to the same as one after the other. They do
        not when a bot fails, which takes all of them down: such a table is to be played again, in order, and
        nobody may take back what it did so far.
        """
        missing = self._gather()
        if missing:
            return self.one_by_one(missing=missing)
        at_once = min(at_once, len(self._job.boards), *(seat.simultaneous() for seat in self._seats))
        if at_once == 1:
            return self.one_by_one(missing=missing)
        self.at_once = at_once
        waiting = list(enumerate(self._job.boards, 1))[::-1]
        on: dict[int, _Underway] = {}
        records: dict[int, MatchRecord] = {}
        while waiting or on:
            while waiting and len(on) < at_once:
                number, board = waiting.pop()
                on[number] = self._begin(number, board, {})
                self._played[number] = on[number].course
                self._advance(number, on, records, None)
            self._ask_most(on, records)
        return [records[number] for number in sorted(records)]

    def _ask_most(self, on: "dict[int, _Underway]", records: dict[int, MatchRecord]) -> None:
        """Put its questions to the seat that has most of them."""
        asked = Counter(underway.question.seat for underway in on.values() if underway.question)
        if not asked:  # all that were begun ended with their deal
            return
        seat = min(asked, key=lambda each: (-asked[each], each))
        open_ = [(n, each.question) for n, each in on.items() if each.question and each.question.seat == seat]
        replies = self._seats[seat].ask_together(open_)
        if isinstance(replies, SeatFault):
            raise self._taken_back(seat, replies, len(on))
        for (number, _), answer in zip(open_, replies, strict=True):
            on[number].thinking[seat].add(answer)
            self._advance(number, on, records, answer)

    def _advance(
        self,
        number: int,
        on: "dict[int, _Underway]",
        records: dict[int, MatchRecord],
        answer: Answer | None,
    ) -> None:
        """Bring a match to its next question, or to its end."""
        underway = on[number]
        try:
            underway.question = next(underway.match) if answer is None else underway.match.send(answer)
            ended = None
        except StopIteration as over:
            ended = over
        if underway.fault is not None:
            raise self._taken_back(*underway.fault, len(on))
        if ended is not None:
            del on[number]
            records[number] = self._record(number, underway, ended.value)

    def _taken_back(self, seat: int, fault: SeatFault, on: int) -> _Faulted:
        """What ends the playing of several matches at once; the bot that did it goes first."""
        self._seats[seat].dismiss(fault)
        told = f"arena: {fault.kind} with {on} matches on, all played anew: {fault.detail}\n"
        return _Faulted(self._played, seat, told + self._seats[seat].report())

    def match(
        self, number: int, board: Board, missing: Mapping[int, SeatFault], before: Course
    ) -> MatchRecord:
        """Play one match to its record."""
        underway = self._begin(number, board, missing, before)
        played = self._play(number, underway)
        return self._record(number, underway, played)

    def _record(self, number: int, underway: "_Underway", played: referee.Played) -> MatchRecord:
        wall_ms = (time.monotonic() - underway.began_s) * 1e3
        logs = self._end(number, played)
        board, thinking = underway.board, underway.thinking
        return MatchRecord(
            board=board.number,
            outcome=played.outcome,
            measurement=Measurement(
                wall_ms=wall_ms,
                seats_wall_ms=tuple(spent.wall_ms for spent in thinking),
                seats_cpu_ms=tuple(spent.cpu_ms for spent in thinking),
                slowest_ms=tuple(spent.slowest_ms for spent in thinking),
                fault_details=tuple(fault.detail for fault in played.found),
                circumstances=tuple(fault.circumstances for fault in played.found),
                sent=tuple(fault.sent for fault in played.found),
                decisions_ms=tuple(underway.decisions_ms),
                logs=logs,
            ),
            transcript=self._transcript(board, played),
        )

    def goodbye(self) -> tuple[str, ...]:
        """Let every bot know that it may go, and see them off; what they printed meanwhile, by seat."""
        for seat in self._seated:
            self._seats[seat].dismiss(None)
        return self._reports(self._seated)

    def _gather(self) -> dict[int, SeatFault]:
        """Call whoever is not there; the faults of those that do not come, or may not come any more."""
        missing = {}
        called = []
        for seat, faults in enumerate(self._faults):
            if len(faults) >= MAX_FAULTS:
                missing[seat] = _forfeited(faults)
            elif seat not in self._seated:
                self._seats[seat].call()
                called.append(seat)
        for seat in called:
            fault = self._seats[seat].ready(self._welcome())
            if fault is None:
                self._seated.add(seat)
            else:
                self._out(seat, fault)
                missing[seat] = fault
        return missing

    def _begin(
        self,
        number: int,
        board: Board,
        missing: Mapping[int, SeatFault],
        before: Course = (),
    ) -> _Underway:
        """Announce a match to all that are there."""
        underway = _Underway(board, self._players, self._watch, before)
        for seat in sorted(self._seated):
            self._seats[seat].start(self._start(number, board, seat))
        underway.match = referee.play(
            self._game,
            self._game.new(self._options, self._players, self._players - 1),
            players=self._players,
            deck=lambda k: deals.deck(board.seed, k, self._cards),
            clock=self._job.clock,
            faulted=missing,
            watch=underway.hear,
            auto_forced=self._job.auto_forced,
        )
        return underway

    def _play(self, number: int, underway: "_Underway") -> referee.Played:
        """Carry questions and answers between the referee and the seats."""
        match, thinking = underway.match, underway.thinking
        try:
            question = next(match)
            while True:
                reply = self._seats[question.seat].ask(number, question)
                if isinstance(reply, Answer):
                    thinking[question.seat].add(reply)
                    reply = underway.stands(question, reply)
                else:
                    self._out(question.seat, reply)
                question = match.send(reply)
        except StopIteration as ended:
            played: referee.Played = ended.value
            return played

    def _out(self, seat: int, fault: SeatFault) -> None:
        """Send a bot away in the middle of a match; one that is at rest hears of it when the others are done.

        It would have the core to itself and them as long as it may take to end.
        """
        if not self._rests:
            self._seats[seat].dismiss(fault)

    def _end(self, number: int, played: referee.Played) -> tuple[str, ...]:
        """Tell all seats how the match ended, send the faulted away; the logs."""
        called = set(self._seated)
        for record, fault in zip(played.outcome.faults, played.found, strict=True):
            if len(self._faults[record.seat]) < MAX_FAULTS:
                called.add(record.seat)
                self._seats[record.seat].dismiss(fault)
            self._faults[record.seat].append(fault)
            self._seated.discard(record.seat)
        for seat in self._seated:
            self._seats[seat].end(
                messages.End(number, played.outcome.places, played.outcome.scores, played.events[seat])
            )
        return self._reports(called)

    def _reports(self, called: set[int]) -> tuple[str, ...]:
        return tuple(seat.report() if number in called else "" for number, seat in enumerate(self._seats))

    def _welcome(self) -> messages.Welcome:
        clock = self._job.clock
        return messages.Welcome(
            protocol=messages.VERSION,
            game=self._game.name,
            options=dataclasses.asdict(self._options),
            players=self._players,
            clock=messages.Clock(clock.move_ms, clock.bank_ms, clock.start_ms),
            matches=len(self._job.boards),
        )

    def _start(self, number: int, board: Board, seat: int) -> messages.Start:
        side = next(side for side, seats in enumerate(self._sides) if seat in seats)
        return messages.Start(number, seat, side, deals.bot_seed(board.seed, seat))

    def _transcript(self, board: Board, played: referee.Played) -> bytes:
        options = dataclasses.asdict(self._options)
        known = transcript.setting(self._game.name, options, board.seed, self._job.seating)
        return transcript.write(transcript.played(known, played.decisions, played.outcome.faults))


def _remembered(result: TableResult, before: _Faulted) -> TableResult:
    """A table with a word of why it was played anew, in the first log of who did not commit a fault again."""
    if any(fault.seat == before.seat for match in result.matches for fault in match.outcome.faults):
        return result
    first, *rest = result.matches
    logs = list(first.measurement.logs)
    logs[before.seat] = before.log + logs[before.seat]
    first = msgspec.structs.replace(
        first, measurement=msgspec.structs.replace(first.measurement, logs=tuple(logs))
    )
    return msgspec.structs.replace(result, matches=(first, *rest))


def _with_logs(match: MatchRecord, logs: tuple[str, ...]) -> MatchRecord:
    """Add what was printed after the match's end; of the others that stands in the next match's log."""
    joined = tuple(map(str.__add__, match.measurement.logs, logs))
    return msgspec.structs.replace(match, measurement=msgspec.structs.replace(match.measurement, logs=joined))


def _forfeited(faults: list[SeatFault]) -> SeatFault:
    """What stands for each match that a bot does not get to play any more."""
    last = faults[MAX_FAULTS - 1]
    return SeatFault(
        last.kind,
        f"forfeits the rest of the table after {MAX_FAULTS} faulted matches; the last: {last.detail}",
        forfeit=True,
    )
