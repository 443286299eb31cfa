"""What the store gives back, what it refuses, and how contents become the bytes that are hashed."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from hashlib import sha256
from typing import Any
from unicodedata import normalize

import msgspec

from arena.model import Board, Entrant, Late, Measurement, Outcome, TableJob, UserError

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class AlreadyThere(UserError):  # noqa: N818 - reads as what it is
    """What is to be written stands there already; nothing was changed."""


class NotThere(UserError):  # noqa: N818 - reads as what it is
    """What is asked for was never written."""


class NameTaken(UserError):  # noqa: N818 - reads as what it is
    """The name belongs to another bot."""


class Kept(StrEnum):
    """What of a league's tables may be given up for room on the disk."""

    LOGS = "logs"
    """What bots printed, and what they sent where they failed."""
    TRANSCRIPTS = "transcripts"
    """From which matches are played again."""


class Bot(msgspec.Struct, frozen=True):
    """A bot at one of its versions."""

    name: str
    version: str
    """Hash of its tree, 64 hex digits."""
    games: tuple[str, ...]
    """Those this version was admitted to."""
    submitted: datetime
    retired: bool
    """Of the bot, whichever the version."""
    versions: int
    """How many the bot has."""
    number: int
    """Which of them this is, from 1, in the order of their first submission."""
    sandbox: str
    """The walls its acceptance matches were played behind."""


class MatchRow(msgspec.Struct, frozen=True):
    """A finished match as listings show it."""

    id: int
    """Unique in the workspace."""
    league: str
    table: str
    """Key of its table."""
    board: Board
    seating: tuple[Entrant, ...]
    outcome: Outcome
    measurement: Measurement
    """Without the logs and what was sent."""
    layers: tuple[str, ...]
    void: tuple[Late, ...]
    """Why its table was played twice; mostly nothing."""
    finished: datetime


class Activity(msgspec.Struct, frozen=True):
    """How far a league is, and how fast."""

    tables: int
    """That are finished."""
    first: datetime | None
    """When the first of them was; None before it."""
    last_minute: int
    """Finished within the last minute."""
    void: int
    """Played twice, since the machine was to blame the first time."""


class StoredMatch(MatchRow, frozen=True):
    """A finished match whole: its measurement has the logs, one a seat, and what was sent, one a fault."""

    game: str
    options: dict[str, Any]
    transcript: bytes
    auto_forced: bool = False
    """Whether forced decisions were played without asking."""
    trimmed: tuple[Kept, ...] = ()
    """What was given up since: there is nothing of it, whatever there was."""


def folded(name: str) -> str:
    """What two names have in common when they differ in case or in Unicode composition only."""
    return normalize("NFC", normalize("NFC", name).casefold())


def rotations(seating: Sequence[Entrant]) -> list[tuple[Entrant, ...]]:
    """All distinct rotations of a seating, sorted; the first stands for the line-up."""
    return sorted({(*seating[seat:], *seating[:seat]) for seat in range(len(seating))})


def deal_key(seed: bytes) -> str:
    """Name of a deal that does not give its seed away, 16 hex digits."""
    return sha256(b"deal" + seed).hexdigest()[:16]


def microseconds(moment: datetime) -> int:
    """A moment as the database counts it, from 1970 on."""
    return (moment - EPOCH) // timedelta(microseconds=1)


def moment(count: int) -> datetime:
    """Undo `microseconds`."""
    return EPOCH + timedelta(microseconds=count)


def encoded(value: Any) -> str:
    """JSON with sorted keys and no blanks: equal values have equal text."""
    return msgspec.json.encode(value, order="sorted").decode()


def outcome_text(outcome: Outcome) -> str:
    """Canonical text of an outcome: a whole number of points reads 3.0 whether it came as 3 or as 3.0."""
    return encoded(msgspec.json.decode(encoded(outcome), type=Outcome))


def extension_hash(league: str, number: int, extension: str) -> str:
    """SHA-256 in hex of what a league is with its extension of that number, from what is stored of them."""
    return sha256(encoded([league, number, extension]).encode()).hexdigest()


def outcomes_hash(job: TableJob, outcomes: Sequence[Outcome]) -> str:
    """SHA-256 in hex of what a table promises: what was played by whom, and what it came to."""
    promised = [
        job.key,
        job.game,
        job.options,
        [[entrant.name, entrant.version] for entrant in job.seating],
        [[board.number, board.seed.hex()] for board in job.boards],
        [msgspec.Raw(outcome_text(outcome).encode()) for outcome in outcomes],
    ]
    return sha256(encoded(promised).encode()).hexdigest()
