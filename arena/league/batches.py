"""What a schedule is: a pure function from what was played to what is played next.

    league ----------------+
    batches played so far -+--> schedule.batch --> the next batch of blocks, or the end with its reason

Batches are chosen one after the other, each when the one before it is played wholly. Nothing else goes into
the choice: not the hour, not the number of workers, not the order in which tables finished. So a league that
was killed finds its way again from its results alone (`arena.league.course`).
"""

from collections.abc import Callable, Iterable, Sequence

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


Rate = Callable[[Iterable[Result]], Fit]
"""How results become strengths and their covariance."""


class Schedule(msgspec.Struct, frozen=True):
    """A way to choose what a league plays."""

    batch: Callable[[League, Sequence[Played], Rate], Batch | End]
    """The next batch of the league's last extension, after all batches so far, those of earlier ones too."""
    size: Callable[[League], Size]
    """How much all extensions come to, without choosing anything."""
    adapts: bool = False
    """Whether results matter to it. Otherwise each extension is one batch and no result is given to it."""
