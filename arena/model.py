"""The values that the parts of the arena hand each other. Imports nothing of arena."""

import difflib
import signal
from collections.abc import Iterable
from enum import StrEnum
from typing import Any

import msgspec

from protocol.messages import FaultKind as FaultKind  # noqa: PLC0414 - a word of the wire and of the arena
from protocol.text import escaped

NAME_SHOWN = 80
"""Characters of a name in a sentence; no name that is there is longer."""
NAMES_SHOWN = 40
"""Of a list in a sentence."""
CLOSE = 0.6
"""How alike two names are of which one was probably meant; 1 is the same."""


class Clock(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The time a bot has, in milliseconds."""

    move_ms: int = 1_000
    """For each decision; what is used above it comes out of the bank."""
    bank_ms: int = 10_000
    """For a whole match, above the time for each decision."""
    start_ms: int = 10_000
    """From exec to hello."""


class Entrant(msgspec.Struct, frozen=True, order=True):
    """One pinned version of a bot, as it enters a line-up."""

    name: str
    version: str
    """Hash of the submitted tree, 64 hex digits; that of `HOUSE` is a word."""


HOUSE = Entrant("house", "house-1")
"""The built-in bot, played in the worker's own process; its version changes when its play does."""


class Board(msgspec.Struct, frozen=True):
    """One seed and its number under a line-up; played once in every seating."""

    number: int
    seed: bytes
    """32 bytes; `deals` makes the decks of it."""


class Question(msgspec.Struct, frozen=True):
    """What the referee asks one seat."""

    seat: int
    turn: int
    """Counts the questions put to this seat in this match, from 1."""
    view: dict[str, Any]
    events: tuple[str, ...]
    """Since this seat was last asked, oldest first."""
    legal: tuple[str, ...]
    limit_ms: float
    """Everything it may use on this decision: the move's time and what is left in the bank."""
    bank_ms: float
    """What is left in the bank before this decision."""


class Load(msgspec.Struct, frozen=True):
    """How busy the host was at a moment."""

    average: float
    """Processes that worked or waited to, mean of the last minute, as /proc/loadavg has it."""
    ready: int
    """Processes and threads that had a core or stood ready for one."""
    cores: int
    """Of the host."""
    pressure: float | None = None
    """Percent of the last ten seconds in which somebody waited for a core; None where nobody says."""


class Circumstances(msgspec.Struct, frozen=True, omit_defaults=True):
    """What was measured around a fault; None what could not be, or means nothing there."""

    wall_ms: float | None = None
    """From the question, or from the start of a process that never said hello."""
    limit_ms: float | None = None
    """What there was for it, when the fault is that it was late."""
    cpu_ms: float | None = None
    """CPU time within it: of the whole box where that can be read, else of the bot's own process."""
    waited_ms: float | None = None
    """How long a thread of the box stood ready for a core within it: the one that did so longest."""
    exit: int | None = None
    """Exit code, or the signal's number below zero, when the fault is that it ended."""
    load: Load | None = None
    """When it was late."""


def ended(status: int | None) -> str:
    """How a process ended: its exit code, or below zero the number of its signal; None stands for SIGKILL."""
    if status is not None and status >= 0:
        return f"exit code {status}"
    number = signal.SIGKILL if status is None else -status
    known = number in set(signal.Signals)
    return f"killed by {signal.Signals(number).name if known else f'signal {number}'}"


class Answer(msgspec.Struct, frozen=True):
    """What a seat replied in time and in form; whether the game takes it is the referee's matter."""

    action: str
    wall_ms: float
    cpu_ms: float | None = None
    """CPU time of the bot's own process for this decision; None where it could not be read."""
    note: str | None = None
    sent: bytes = b""
    """As it came from the bot."""


class SeatFault(msgspec.Struct, frozen=True):
    """A fault a seat committed instead of answering."""

    kind: FaultKind
    detail: str
    """What was found and what was allowed; may hold bytes of the bot, already escaped and capped."""
    forfeit: bool = False
    """Whether nothing was committed now: the rest of a table is forfeited for the faults before."""
    sent: bytes = b""
    """What the bot sent instead, as far as it came; one message at most."""
    circumstances: Circumstances = Circumstances()


class Decision(msgspec.Struct, frozen=True):
    """One action as it was played, whether the bot chose it or the fallback stepped in."""

    seat: int
    action: str
    note: str | None = None


class FaultRecord(msgspec.Struct, frozen=True, omit_defaults=True):
    """A fault as the outcome keeps it: only what replays byte for byte."""

    seat: int
    kind: FaultKind
    decision: int
    """How many actions had been played when it was seen."""
    forfeit: bool = False
    """Whether it was committed in an earlier match, and this one belongs to the rest that it cost."""


class Outcome(msgspec.Struct, frozen=True):
    """What a match came to. Holds nothing that depends on the machine or the hour."""

    places: tuple[float, ...]
    """By side, 1.0 is best, average rank when shared."""
    scores: tuple[float, ...] | None
    """Game points by side; None when the match ended by forfeit before its end."""
    decisions: int
    """Actions played, the fallback's included."""
    faults: tuple[FaultRecord, ...] = ()


class Late(msgspec.Struct, frozen=True):
    """A seat that was late at a table which is void for it."""

    board: int
    seat: int
    circumstances: Circumstances


class Measurement(msgspec.Struct, frozen=True):
    """What a match cost; differs from run to run and is never verified."""

    wall_ms: float
    seats_wall_ms: tuple[float, ...]
    """Thinking time by seat, summed over its decisions."""
    seats_cpu_ms: tuple[float | None, ...]
    slowest_ms: tuple[float, ...]
    """Longest single decision by seat."""
    fault_details: tuple[str, ...] = ()
    """One for each fault of the outcome, in its order."""
    logs: tuple[str, ...] = ()
    """By seat: the kept head and tail of the bot's own output, escaped."""
    circumstances: tuple[Circumstances, ...] = ()
    """One for each fault of the outcome, in its order."""
    decisions_ms: tuple[float | None, ...] = ()
    """By decision: how long its bot thought; None where the fallback or the referee played."""
    sent: tuple[bytes, ...] = ()
    """The same: what the bot sent, as it came."""


class MatchRecord(msgspec.Struct, frozen=True):
    """One finished match of a table."""

    board: int
    outcome: Outcome
    measurement: Measurement
    transcript: bytes
    """Everything needed to play it again, compressed (see `transcript`)."""


class TableJob(msgspec.Struct, frozen=True):
    """The unit of work: one seating with fresh processes, playing a block of boards."""

    key: str
    """Names this table within its league and never changes."""
    game: str
    options: dict[str, Any]
    seating: tuple[Entrant, ...]
    """By seat."""
    boards: tuple[Board, ...]
    clock: Clock
    sandbox: str
    """Name of a backend in `BACKENDS`."""
    submissions: str
    """Folder that holds the versions, each in a folder named by its hash."""
    auto_forced: bool = False
    """Whether the only legal action is played without asking."""


class TableResult(msgspec.Struct, frozen=True):
    """What a table came to."""

    key: str
    matches: tuple[MatchRecord, ...]
    """In the order of the job's boards, one each."""
    layers: tuple[str, ...] = ()
    """The walls that held at this table."""
    at_once: int = 1
    """Most matches that were on at the same time."""
    void: tuple[Late, ...] = ()
    """Why it was played twice: who was late the first time, when the machine was to blame."""


class Extension(msgspec.Struct, frozen=True):
    """One growth of a league: who was in it and how many boards, with a secret of its own.

    A board of a line-up belongs to the first extension that covers it.
    """

    entrants: tuple[Entrant, ...]
    """All that play from now on, the earlier ones included."""
    boards: int
    """Boards for each line-up, the earlier ones included."""
    secret: bytes
    """32 bytes, from which the board seeds are derived; its SHA-256 is the commitment."""
    until: str | None = None
    """At what it ends before its boards are played, where the schedule knows such (`league.until`)."""


class Partners(StrEnum):
    """Who sits on one side, in games where seats win together."""

    SAME = "same"
    """One bot, in a process for each of its seats."""
    MIXED = "mixed"
    """Two bots, which take turns to be partners and opponents."""


class Scale(StrEnum):
    """What the difference of two bots is measured in."""

    NORMALISED = "normalised"
    """Distance of the mean score to one half in standard deviations of a match, times 800 / ln 10."""
    LOGISTIC = "logistic"
    """Elo as ratings have it: odds of 10 to 1 are 400."""


MOST_ELO = 1_000.0
"""Of the bounds of a comparison, on either side of 0."""
RISKS = (0.0001, 0.4)
"""Between which a comparison may be wrong, either way."""


class Bounds(msgspec.Struct, frozen=True):
    """The two claims between which a sequential test decides, and how often it may be wrong."""

    elo0: float = 0.0
    """H0: the difference is this."""
    elo1: float = 40.0
    """H1: the difference is this, which is more."""
    alpha: float = 0.05
    """Chance of deciding for H1 where H0 is true."""
    beta: float = 0.05
    """Chance of deciding for H0 where H1 is true."""
    scale: Scale = Scale.NORMALISED


class Comparison(msgspec.Struct, frozen=True):
    """Two bots that a league compares, with others at their table where it has more sides."""

    new: Entrant
    old: Entrant
    batch: int
    """Boards between two looks at the results."""
    field: tuple[Entrant, ...] = ()
    """Who has the other sides, house bots among them."""
    bounds: Bounds = Bounds()
    fixed: bool = False
    """Whether all boards are played; otherwise it ends as soon as the bounds decide."""


class League(msgspec.Struct, frozen=True):
    """What a league plays; its results stand beside it."""

    name: str
    game: str
    players: int
    options: dict[str, Any]
    """Every option of the game with its value."""
    clock: Clock
    block: int
    """Boards a table plays with one set of processes."""
    sandbox: str
    extensions: tuple[Extension, ...]
    fill_house: bool = False
    """Whether the house bot takes the seats for which bots are missing."""
    schedule: str = "round-robin"
    """Name of a schedule in `SCHEDULES`."""
    lineups: int | None = None
    """So many of the line-ups of its first bots, chosen evenly; None is all."""
    gauntlet: tuple[str, ...] = ()
    """Names of the bots that meet all others, which do not meet each other."""
    partners: Partners = Partners.SAME
    comparison: Comparison | None = None
    """Of schedule `compare`."""
    auto_forced: bool = False
    """Whether the only legal action is played without asking; in leagues older than the choice it is not."""


class Result(msgspec.Struct, frozen=True):
    """One match as ratings and leaderboards see it."""

    board: str
    """Key of the deal: equal for all matches on it, whichever bots played. The cluster of the error bars."""
    sides: tuple[tuple[Entrant, ...], ...]
    """Who played each side; one entrant a side in games without partners."""
    places: tuple[float, ...]
    scores: tuple[float, ...] | None
    faults: tuple[tuple[FaultKind, ...], ...]
    """By side, those committed in this match."""
    absent: tuple[int, ...] = ()
    """Sides that had forfeited the rest of their table before this match."""

    def forfeits(self, side: int) -> bool:
        """Whether a side was put last, for a fault in this match or before it."""
        return bool(self.faults[side]) or side in self.absent

    def forfeited(self) -> bool:
        """Whether any side was."""
        return any(map(self.forfeits, range(len(self.sides))))


class UserError(Exception):
    """Something the user can put right; its text says what was found, what was expected and what to type."""


def no_such(what: str, name: str, known: Iterable[str], *, of: str = "") -> str:
    """What to say of a name that nothing has; `of` says which of all are known, such as "for idiot"."""
    names = [escaped(each, NAME_SHOWN) for each in known]
    there = ", ".join(names[:NAMES_SHOWN]) or "none yet"
    more = f" and {len(names) - NAMES_SHOWN} more" if len(names) > NAMES_SHOWN else ""
    close = near(name, names)
    meant = f" did you mean {close!r}?" if close else ""
    return f"no {what} '{escaped(name, NAME_SHOWN)}';{meant} the {what}s{of and ' '}{of} are: {there}{more}"


def near(name: str, known: Iterable[str]) -> str | None:
    """The known name that was probably meant."""
    folded = {each.casefold(): each for each in known}
    close = difflib.get_close_matches(name[:NAME_SHOWN].casefold(), folded, n=1, cutoff=CLOSE)
    return folded[close[0]] if close else None
