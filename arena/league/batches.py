"""What a schedule is: a pure function from what was played to what is played next.

    league ----------------+
    batches played so far -+--> schedule.batch --> the next batch of blocks, or the end with its reason

Batches are chosen one after the other, each when the one before it is played wholly. Nothing else goes into
the choice: not the hour, not the number of workers, not the order in which tables finished. So a league that
was killed finds its way again from its results alone (`arena.league.course`).
"""

from collections.abc import Callable, Iterable, Sequence
from enum import StrEnum

import msgspec

from arena.model import Entrant, League, Result
from arena.ratings import Fit

LineUp = tuple[Entrant, ...]
"""One entrant a side, ordered by tag; with mixed partners four, the first two against the last two."""


class Block(msgspec.Struct, frozen=True):
    """Consecutive boards of a line-up, played in every seating: one table for each of these."""

    line_up: LineUp
    first: int
    """Number of the first board; a line-up's boards are numbered from 1 through the whole league."""
    boards: int
    place: int = 0
    """Of the line-up among all of its extension, where these do not come in the order of their tags."""


class Batch(msgspec.Struct, frozen=True):
    """Blocks that are chosen together, before any of them is played."""

    blocks: Iterable[Block]
    """In the order in which their tables are handed out; lazy where there may be millions."""


class End(msgspec.Struct, frozen=True):
    """Nothing more is to be played, until the league grows."""

    reason: str
    """As a user is told, such as `every line-up has played its boards`."""


PLAYED = End("every line-up has played its boards")


class Played(msgspec.Struct, frozen=True):
    """A batch of which every table is played."""

    extension: int
    """Number of the extension that it belongs to, from 0."""
    blocks: Iterable[Block]
    results: Sequence[Result]
    """All its matches, in the order of the schedule; none where the schedule does not adapt."""


class Size(msgspec.Struct, frozen=True):
    """How much a league plays when it runs to its end."""

    line_ups: int
    tables: int
    matches: int
    at_most: bool = False
    """Whether it may end before: then these are bounds."""


class Story(msgspec.Struct, frozen=True):
    """What a schedule tells of itself: a bracket, or standings that are not the ratings."""

    title: str
    headers: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


class Feature(StrEnum):
    """What a league may have beside line-ups of different bots; the text is what a user reads of it."""

    LINEUPS = "--lineups"
    GAUNTLET = "--gauntlet"
    UNTIL = "--until"
    MIXED = "--partners mixed"
    HOUSE = "--fill house"
    SIDES = "a table of more than two sides"
    GROWTH = "a league that has begun and gets more bots, more boards or another end"


Rate = Callable[[Iterable[Result]], Fit]
"""How results become strengths and their covariance."""


class Schedule(msgspec.Struct, frozen=True):
    """A way to choose what a league plays."""

    batch: Callable[[League, Sequence[Played], Rate], Batch | End]
    """The next batch of the league's last extension, after all batches so far, those of earlier ones too."""
    size: Callable[[League], Size]
    """How much all extensions come to, without choosing anything."""
    features: frozenset[Feature] = frozenset()
    until: frozenset[str] = frozenset()
    """Fields of `Until` that end it."""
    check: Callable[[League], None] = lambda _league: None
    """Raises UserError for a league that it cannot play, whatever its features."""
    boards: int = 32
    """What a league has where its user says nothing: boards of each line-up,"""
    block: int = 8
    """and boards a table plays with one set of processes: starting them costs as much as several matches."""
    adapts: bool = False
    """Whether results matter to it. Otherwise each extension is one batch and no result is given to it."""
    seeded: bool = False
    """Whether the order in which bots are named matters."""
    story: Callable[[League, Sequence[Played]], Story] | None = None
    note: str | None = None
    """For the reader of a leaderboard."""
