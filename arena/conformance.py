"""Whether a bot keeps to the protocol and the rules: matches that ask more of it than an evening of play.

A trial is a record in `TRIALS`: what the others at the table do, and what the arena does to the bot. Each is
played at real tables, by the same referee, box and clock as a league, and gives a `Finding` for each game and
number of players.
"""

import dataclasses
import time
from collections.abc import Callable, Iterator, Sequence
from enum import StrEnum
from hashlib import sha256
from random import Random
from typing import Any, get_args, get_type_hints

import msgspec

from arena.games import GAMES
from arena.games.base import parse_options
from arena.model import (
    HOUSE,
    Answer,
    Board,
    Clock,
    Entrant,
    FaultKind,
    Question,
    SeatFault,
    TableJob,
    TableResult,
)
from arena.seats.base import Seat
from arena.seats.local import Local
from arena.table import play_table
from protocol.codec import encode
from protocol.messages import Decide, TimeLeft
from protocol.views import VIEWS

SLOW = 0.5
"""Of the time for a decision: a bot that once needs more may be late on a busier machine."""
SILENCE_S = 2.5
"""The longest that a patient referee says nothing; a league may be silent for longer."""
TESTER = Entrant("tester", "tester-1")
"""Whoever else sits at the table."""
NEWS = b'{"type":"weather","mood":"good","wind":[1,2]}'
"""A message of a kind that no bot knows."""
BETWEEN_DEALS = frozenset({"deal", "over"})
"""Phases in which nobody is asked."""


class Verdict(StrEnum):
    """How a trial ended."""

    OK = "ok"
    WARNING = "warning"
    """It plays, and something may cost it matches one day."""
    FAILED = "failed"


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """What came of one trial in one game with so many players."""

    trial: str
    game: str
    players: int
    verdict: Verdict
    found: str
    expected: str = ""
    sent: bytes = b""
    """The question, as it was put."""
    came: bytes = b""
    """What the bot sent, as it came."""
    hint: str = ""
    log: str = ""
    """The last that the bot printed, escaped."""
    wall_s: float = 0.0


HINTS = {
    FaultKind.START: "a bot says hello first, flushed, and reads its first message only then; "
    "in Python `run(choose)` does",
    FaultKind.CRASH: "the program ended in the middle of a match; the log shows its last words",
    FaultKind.TIMEOUT: "was the question read, the answer flushed? its clock says how long there is",
    FaultKind.MEMORY: "the whole box has memory_mib of bot.toml, at most the league's limit",
    FaultKind.OUTPUT: "print less: what a bot prints is kept for its author, not read",
    FaultKind.MALFORMED: "one JSON object for each question: type, match, turn, action, and note if you like"
    "; where stdout is the wire, whatever else is printed goes to stderr",
    FaultKind.OUT_OF_TURN: "answer each question once, with its own match and turn",
    FaultKind.ILLEGAL: "choose from the list `legal` of this very question, text for text",
}

TOGETHER = (
    "several open questions come as one array, and are answered by one; keep the matches apart: by `match`, "
    "each with a chance of its own; or say simultaneous 1"
)

Style = Callable[[Sequence[str], Random], str]
"""How the others at the table choose."""


def by_chance(legal: Sequence[str], rng: Random) -> str:
    """Anything."""
    return rng.choice(legal)


def hoarding(legal: Sequence[str], rng: Random) -> str:
    """Take whatever can be taken: hands and piles grow, and the match does not end."""
    takes = [action for action in legal if action.startswith(("pickup", "take", "pass", "draw", "discard"))]
    return rng.choice(takes or legal)


class Trial(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that is tried."""

    name: str
    about: str
    style: Style = by_chance
    matches: int = 1
    every_table: bool = False
    """With every number of players and in every seat, not only at the smallest table."""
    other_options: bool = False
    """Every option that is yes or no the other way round."""
    patience: bool = False
    """The referee is silent for a while, and says what no bot knows."""
    again: bool = False
    """Played a second time by a fresh process."""
    together: bool = False
    """Several matches at once, where the bot says that it can hold them."""


TRIALS = (
    Trial(name="plays", about="every number of players, in every seat", every_table=True),
    Trial(name="options", about="the game's options the other way round", other_options=True),
    Trial(name="long", about="a match that the others drag out, with full hands", style=hoarding),
    Trial(name="several", about="four matches with one process", matches=4),
    Trial(name="patience", about="a silent referee, and messages that it need not know", patience=True),
    Trial(name="together", about="several matches at once, if it holds them", matches=6, together=True),
    Trial(name="again", about="the same cards to a fresh process", again=True),
)
"""Everything that is tried, in this order."""


class Bench(msgspec.Struct, frozen=True):
    """Where bots are tried."""

    submissions: str
    sandbox: str
    clock: Clock = Clock()


def findings(bot: Entrant, games: Sequence[str], bench: Bench) -> Iterator[Finding]:
    """Try a bot in these games, one finding after the other; one that does not even start is left alone."""
    for game in games:
        for trial in TRIALS:
            for players in GAMES[game].players if trial.every_table else GAMES[game].players[:1]:
                finding = _tried(bot, game, players, trial, bench)
                yield finding
                if finding.found.startswith(FaultKind.START):
                    return


def _tried(bot: Entrant, game: str, players: int, trial: Trial, bench: Bench) -> Finding:
    began = time.monotonic()
    tables = []
    for seat in range(players) if trial.every_table else (0,) * (2 if trial.again else 1):
        tables.append(_played(bot, _Place(game, players, seat), trial, bench))
        if tables[-1].failed() is not None:
            break
    if trial.together and tables[-1].failed() is None:
        tables.append(msgspec.structs.replace(tables[0], result=play_table(tables[0].job)))
    known = {"trial": trial.name, "game": game, "players": players, "wall_s": time.monotonic() - began}
    return _finding(trial, tables, bench.clock, known)


class _Tried(msgspec.Struct, frozen=True):
    """One table, and what was seen of the bot at it."""

    seat: int
    job: TableJob
    result: TableResult
    watched: "_Examined"

    def failed(self) -> tuple[int, int] | None:
        """The match and the number of the fault in it that the bot committed first."""
        for match, record in enumerate(self.result.matches):
            for number, fault in enumerate(record.outcome.faults):
                if fault.seat == self.seat:
                    return match, number
        return None


class _Place(msgspec.Struct, frozen=True):
    """Where a bot sits."""

    game: str
    players: int
    seat: int


def _played(bot: Entrant, place: _Place, trial: Trial, bench: Bench) -> _Tried:
    """One table with the bot in that place."""
    game, players, seat = msgspec.structs.astuple(place)
    other = HOUSE if trial.together else TESTER  # the names of a match are a part of its transcript
    names = [bot if number == seat else other for number in range(players)]
    words = (f"{game} {players} {trial.name} {number}" for number in range(trial.matches))
    job = TableJob(
        key=f"check-{trial.name}",
        game=game,
        options=_options(game, other=trial.other_options),
        seating=tuple(names),
        boards=tuple(Board(number, sha256(word.encode()).digest()) for number, word in enumerate(words, 1)),
        clock=bench.clock,
        sandbox=bench.sandbox,
        submissions=bench.submissions,
    )
    others: dict[int, Seat] = {
        number: Local() if trial.together else Tester(trial.style, f"{trial.name} {number}")
        for number in range(players)
        if number != seat
    }
    examined: list[_Examined] = []

    def around(number: int, real: Seat) -> Seat:
        if number != seat:
            return real
        examined.append(_Examined(real, bench.clock, patience=trial.patience))
        return examined[0]

    return _Tried(seat, job, play_table(job, guests=others, around=around), examined[0])


def _options(game: str, *, other: bool) -> dict[str, Any]:
    usual: dict[str, Any] = dataclasses.asdict(GAMES[game].options())
    turned = {name: not value for name, value in usual.items() if isinstance(value, bool)}
    return dataclasses.asdict(parse_options(GAMES[game].options, {**usual, **(turned if other else {})}))


class Tester(Local):
    """One of the others at the table."""

    def __init__(self, style: Style, seed: str) -> None:
        self._style, self._rng = style, Random(seed)  # noqa: S311 - the same at every check

    def ask(self, match: int, question: Question) -> Answer | SeatFault:
        """Choose as its style says."""
        del match
        return Answer(self._style(question.legal, self._rng), wall_ms=0.0)


class _Examined:
    """A seat whose questions and answers are looked at on their way."""

    def __init__(self, real: Seat, clock: Clock, *, patience: bool) -> None:
        self._real, self._clock, self._patience = real, clock, patience
        self.phases: set[str] = set()
        self.answers: list[str] = []
        self.slowest = Answer("", wall_ms=0.0)
        """The answer that took longest."""
        self.asked: dict[int, bytes] = {}
        """By match: the question that was put last."""

    def ask(self, match: int, question: Question) -> Answer | SeatFault:
        """Put a question, after a while where patience is tried, and keep what is to be told of it."""
        if self._patience and not self.answers:
            self._real.tell(NEWS)
            time.sleep(SILENCE_S)
        left = TimeLeft(self._clock.move_ms, int(question.bank_ms))
        words = (match, question.turn, question.view, question.events, question.legal, left)
        self.asked[match] = encode(Decide(*words))
        self.phases.add(question.view.get("phase", ""))
        reply = self._real.ask(match, question)
        if isinstance(reply, Answer):
            self.answers.append(reply.action)
            self.slowest = max(self.slowest, reply, key=lambda answer: answer.wall_ms)
        return reply

    def __getattr__(self, name: str) -> Any:
        """Leave everything else to the seat itself."""
        return getattr(self._real, name)


def _finding(trial: Trial, tables: Sequence[_Tried], clock: Clock, known: dict[str, Any]) -> Finding:
    """What is to be said: the fault, else what may become one, else how it went."""
    if (place := tables[-1].failed()) is not None:
        return _failed(tables[-1], *place, known)
    watched = [table.watched for table in tables]
    slowest = max((each.slowest for each in watched), key=lambda answer: answer.wall_ms)
    computed = "" if slowest.cpu_ms is None else f" and computed for {slowest.cpu_ms:.1f} ms of them"
    told = (
        f"{sum(len(each.answers) for each in watched)} decisions, the slowest took {slowest.wall_ms:.1f} ms"
    )
    if slowest.wall_ms > SLOW * clock.move_ms:
        return Finding(
            **known,
            verdict=Verdict.WARNING,
            found=told + computed,
            expected=f"well below the {clock.move_ms} ms that a decision has",
            hint="if it computed for much less it waited, or this machine is busy; else it has to do less",
        )
    if trial.again and watched[0].answers != watched[1].answers:
        return Finding(
            **known,
            verdict=Verdict.WARNING,
            found=_parted(watched[0].answers, watched[1].answers),
            expected="the same play for the same cards and the same seed",
            hint="draw chance from the `seed` of `start` alone, not from the time or the order of a set",
        )
    if trial.together:
        told, *wrong = _together(*tables)
        if wrong:
            expected, log = wrong
            words = {**known, "verdict": Verdict.WARNING, "found": told, "expected": expected}
            return Finding(**words, hint=TOGETHER, log=log)
    missed = _missed(known["game"], watched) if trial.every_table else []
    more = f"; never asked in phase {', '.join(missed)}" if missed else ""
    return Finding(**known, verdict=Verdict.OK, found=told + more)


def _together(alone: _Tried, together: _Tried) -> tuple[str, ...]:
    """How matches went that were on at once; and where that is not well what was expected, and the log."""
    holds = alone.watched.simultaneous()
    if holds == 1:
        return ("it holds one match at a time",)
    if together.result.at_once == 1:
        log = together.result.matches[0].measurement.logs[together.seat]
        return log.partition("\n")[0].removeprefix("arena: "), "no fault, as with one match on", log
    pairs = zip(alone.result.matches, together.result.matches, strict=True)
    same = [one.transcript == two.transcript for one, two in pairs]
    if not all(same):
        return (
            f"{same.count(False)} of {len(same)} matches came to something else",
            "the same as one by one",
            "",
        )
    return (f"{len(same)} matches, {together.result.at_once} at once, the same as one after the other",)


def _failed(table: _Tried, match: int, number: int, known: dict[str, Any]) -> Finding:
    record = table.result.matches[match]
    kind, measured = record.outcome.faults[number].kind, record.measurement
    asked = table.watched.asked.get(match + 1, b"")
    return Finding(
        **known,
        verdict=Verdict.FAILED,
        found=f"{kind}: {measured.fault_details[number]}",
        expected="an action for this question" if asked else "a hello",
        sent=asked,
        came=measured.sent[number],
        hint=HINTS[kind],
        log=measured.logs[table.seat],
    )


def _parted(one: Sequence[str], two: Sequence[str]) -> str:
    """Where two playings of one match went different ways."""
    for number, (first, second) in enumerate(zip(one, two, strict=False), 1):
        if first != second:
            return f"its decision {number} was {first!a}, and {second!a} the second time"
    return f"{len(one)} decisions, and {len(two)} the second time"


def _missed(game: str, watched: Sequence[_Examined]) -> list[str]:
    """Phases of the game in which the bot was not asked at these tables."""
    hint = get_type_hints(VIEWS[game]).get("phase")
    met = {phase for each in watched for phase in each.phases}
    return [phase for phase in get_args(hint) if phase not in met | BETWEEN_DEALS]
