"""The messages of the protocol, as docs/protocol.md describes them.

What a bot sends is strict: every field is bounded, unknown fields are refused. What a bot receives is
lenient: a later arena may add fields. `schema.json` is generated from this module.
"""

from enum import StrEnum
from typing import Annotated, Any

import msgspec
from msgspec import Meta

VERSION = 1
"""Rises when a bot written for the version before could no longer play."""
MAX_BYTES = 65_536
"""Of one message in UTF-8, in either direction; the widest view of any game is far below it."""
MAX_ACTION = 2_000
"""Characters of an action; the longest meld of two decks is far below it."""
MAX_NOTE = 500
"""Characters of a note."""
MAX_NAME = 100
"""Characters of the name in a hello."""

Number = Annotated[int, Meta(ge=1, le=2**31 - 1)]
"""Counts from 1."""
Milliseconds = Annotated[int, Meta(ge=0)]


class FaultKind(StrEnum):
    """What a bot did wrong. What the arena does wrong is an exception and never stands here."""

    START = "START"
    CRASH = "CRASH"
    TIMEOUT = "TIMEOUT"
    MEMORY = "MEMORY"
    OUTPUT = "OUTPUT"
    MALFORMED = "MALFORMED"
    OUT_OF_TURN = "OUT_OF_TURN"
    ILLEGAL = "ILLEGAL"


class Hello(msgspec.Struct, frozen=True, tag_field="type", tag="hello", forbid_unknown_fields=True):
    """A bot is ready: the first thing that it says, once."""

    protocol: Number
    """Version of the protocol the bot was written for."""
    name: Annotated[str, Meta(max_length=MAX_NAME)]
    """Of the SDK or program that speaks; shown to the author only."""
    simultaneous: Number = 1
    """How many matches it can hold at once; above 1 it may be sent several questions in one array."""


class Action(msgspec.Struct, frozen=True, tag_field="type", tag="action", forbid_unknown_fields=True):
    """A bot's answer to the open question."""

    match: Number
    turn: Number
    action: Annotated[str, Meta(max_length=MAX_ACTION)]
    """In the game's words: one of `legal`, or whatever else the game's page allows."""
    note: Annotated[str, Meta(max_length=MAX_NOTE)] | None = None
    """Kept in the transcript for the author."""


class Clock(msgspec.Struct, frozen=True):
    """The time limits of a table."""

    move_ms: Milliseconds
    """For each decision; what is used above it comes out of the bank."""
    bank_ms: Milliseconds
    """For a whole match, above the time for each decision."""
    start_ms: Milliseconds
    """From the start of the process to its hello."""


class TimeLeft(msgspec.Struct, frozen=True):
    """The time for one decision: the answer must be there after `move_ms` + `bank_ms`. Rounded down."""

    move_ms: Milliseconds
    """What costs nothing."""
    bank_ms: Milliseconds
    """What is left in the bank of this match."""


class Welcome(msgspec.Struct, frozen=True, tag_field="type", tag="welcome"):
    """The answer to hello: what will be played at this table."""

    protocol: Number
    game: str
    options: dict[str, Any]
    """Every option of the game with its value."""
    players: Number
    clock: Clock
    matches: Number
    """How many matches this table plays; a fresh process after a fault sees only the rest of them."""


class Start(msgspec.Struct, frozen=True, tag_field="type", tag="start"):
    """A match begins."""

    match: Number
    """From 1, within the table."""
    seat: Annotated[int, Meta(ge=0)]
    side: Annotated[int, Meta(ge=0)]
    seed: Annotated[int, Meta(ge=0)]
    """64 bits for the bot's own randomness; tells nothing about the cards."""


class Decide(msgspec.Struct, frozen=True, tag_field="type", tag="decide"):
    """The bot is to act."""

    match: Number
    turn: Number
    """Counts the questions put to this seat in this match."""
    view: dict[str, Any]
    """All that the seat may know, in the game's words."""
    events: tuple[str, ...]
    """What happened since this seat was last asked, oldest first."""
    legal: tuple[str, ...]
    """Actions the game takes now; where a game takes more than it lists, its page says so."""
    clock: TimeLeft


class End(msgspec.Struct, frozen=True, tag_field="type", tag="end"):
    """A match has ended."""

    match: Number
    places: tuple[float, ...]
    """By side: 1 is best, average rank when shared."""
    scores: tuple[float, ...] | None
    """Game points by side; null when the match ended by forfeit."""
    events: tuple[str, ...]
    """What happened since this seat was last asked, oldest first."""


class Fault(msgspec.Struct, frozen=True, omit_defaults=True, tag_field="type", tag="fault"):
    """The bot did something wrong and has forfeited the match. Nothing but `bye` follows."""

    kind: FaultKind
    detail: str
    """What was found and what was allowed."""
    match: Number | None = None
    """Absent when no match was on."""
    turn: Number | None = None
    """Absent when no question was open."""


class Bye(msgspec.Struct, frozen=True, tag_field="type", tag="bye"):
    """The last message: the process should end now."""

    reason: str


BotMessage = Hello | Action
ArenaMessage = Welcome | Start | Decide | End | Fault | Bye
