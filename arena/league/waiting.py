"""Which table may be played next, so that no deal is on two tables at a time.

Walls keep bots from each other's files and sockets, not from the figures that a whole machine shares, such
as its load. A bot that met a deal in one seat could so tell a copy of itself that meets it in another.
"""

from collections.abc import Collection, Iterator, Sequence
from itertools import islice

from arena.model import TableJob


def next_free(waiting: Sequence[TableJob], busy: Collection[bytes]) -> int | None:
    """Place of the first table that has none of the deals that are being played, named by their seeds."""
    return next(
        (place for place, job in enumerate(waiting) if not any(board.seed in busy for board in job.boards)),
        None,
    )


class Waiting:
    """Tables to be played, taken in their order as far as their deals are free.

    It looks no more than `ahead` tables ahead, so a long schedule is never listed as a whole.
    """

    def __init__(self, tables: Iterator[TableJob], *, ahead: int) -> None:
        self._tables = tables
        self._ahead = ahead
        self._waiting: list[TableJob] = []
        self._busy: set[bytes] = set()

    def take(self) -> TableJob | None:
        """The next table, whose deals are busy until it is done; None while there is none to be played."""
        self._waiting.extend(islice(self._tables, self._ahead - len(self._waiting)))
        place = next_free(self._waiting, self._busy)
        if place is None:
            return None
        job = self._waiting.pop(place)
        self._busy.update(board.seed for board in job.boards)
        return job

    def done(self, job: TableJob) -> None:
        """Let others have the deals of a table that was taken."""
        self._busy.difference_update(board.seed for board in job.boards)


def enough_ahead(out: int, seatings: int) -> int:
    """How far to look so that with fewer than `out` tables taken a free one is missed only at the end.

    Each table that is out holds back at most the other seatings of its block.
    """
    return (out - 1) * (seatings - 1) + 1
