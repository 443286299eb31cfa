"""What stands in the database, as bytes: for whoever checks it and believes none of it."""

from collections.abc import Callable, Iterator
from typing import Any

import msgspec

from arena.store.rows import SEED_BYTES

Rows = Callable[..., list[tuple[Any, ...]]]
"""Ask the database: a query and its values -> rows."""


NUMBERS = """
    SELECT first_match AS first, length(block.seeds) / ? AS matches, played.id AS place
    FROM played JOIN block ON block.id = played.block_id
"""
"""The numbers that the matches of each table have: from the first, so many."""

GONE = "SELECT first_match, matches, NULL FROM gone"
"""The same of those that were deleted."""


class StoredExtension(msgspec.Struct, frozen=True):
    """A growth of a league, as it is stored."""

    content: bytes
    commitment: bytes
    hash: bytes


class Charter(msgspec.Struct, frozen=True):
    """What a league is, as it is stored."""

    id: int
    name: bytes
    content: bytes
    extensions: tuple[StoredExtension, ...]


class StoredTable(msgspec.Struct, frozen=True):
    """A finished table, as it is stored."""

    hash: bytes
    first_match: int
    first_board: int
    seeds: bytes
    outcomes: bytes
    seating: bytes
    lineup: bytes
    seatings: int
    """Of its line-up."""
    home: int
    """1 when the line-up is of the table's league, and of its block, else 0."""
    transcripts: bytes | None


class Evidence:
    """Reads the rows of a database; made by `Store.evidence`."""

    def __init__(self, rows: Rows) -> None:
        self._rows = rows

    def damages(self) -> Iterator[str]:
        """What the database itself finds wrong, in sentences: broken pages, and rows that point nowhere."""
        for (said,) in self._rows("PRAGMA integrity_check"):
            if said != "ok":
                yield str(said)
        for table, _, other, _ in self._rows("PRAGMA foreign_key_check"):
            yield f"a row of {table} points to a row of {other} that is not there"
        lacking = (
            "SELECT 1 FROM played LEFT JOIN cost ON cost.played_id = played.id WHERE walls_id IS NULL LIMIT 1"
        )
        if self._rows(lacking):
            yield "a row of played has none of cost"
        yield from self._numbering()
        yield from self._order()

    def _numbering(self) -> Iterator[str]:
        """Matches are numbered as their tables were written, without a gap but for what was deleted."""
        for order, numbers, broken in (
            ("first", f"{NUMBERS} UNION ALL {GONE}", "!="),
            ("place", NUMBERS, "<"),
        ):
            rows = self._rows(
                "SELECT first, next FROM (SELECT first, lag(first + matches, 1, 1) "  # noqa: S608 - words of our own
                f"OVER (ORDER BY {order}) AS next FROM ({numbers})) WHERE first {broken} next LIMIT 1",
                SEED_BYTES,
            )
            for found, expected in rows:
                yield (
                    f"a table of played has matches from number {found}, where {expected} is the next "
                    "after the block before it"
                )
                return

    def _order(self) -> Iterator[str]:
        """Versions of a bot are numbered as they were submitted: which is the latest hangs on that."""
        rows = self._rows(
            "SELECT hash FROM (SELECT hash, submitted, lag(submitted) "
            "OVER (PARTITION BY bot_id ORDER BY id) AS before FROM version) WHERE submitted < before"
        )
        for (version,) in rows:
            yield f"version {version} was submitted before the one that its bot had before it"

    def charters(self) -> list[Charter]:
        """All leagues, the newest last."""
        leagues = self._rows("SELECT id, CAST(name AS BLOB), CAST(content AS BLOB) FROM league ORDER BY id")
        return [Charter(row, name, content, self._extensions(row)) for row, name, content in leagues]

    def _extensions(self, league_id: int) -> tuple[StoredExtension, ...]:
        rows = self._rows(
            "SELECT CAST(content AS BLOB), CAST(commitment AS BLOB), CAST(hash AS BLOB) FROM extension "
            "WHERE league_id = ? ORDER BY id",
            league_id,
        )
        return tuple(StoredExtension(*row) for row in rows)

    def keys(self, league_id: int) -> set[bytes]:
        """Keys of a league's tables."""
        rows = self._rows("SELECT CAST(key AS BLOB) FROM played WHERE league_id = ?", league_id)
        return {key for (key,) in rows}

    def strays(self, league_id: int) -> int:
        """How many tables were moved to another league: their line-ups are still of this one."""
        ((count,),) = self._rows(
            "SELECT count(*) FROM lineup JOIN seating ON seating.lineup_id = lineup.id "
            "JOIN played ON played.seating_id = seating.id "
            "WHERE lineup.league_id = ? AND played.league_id != ?",
            league_id,
            league_id,
        )
        return int(count)

    def table(self, league_id: int, key: str) -> StoredTable | None:
        """The table of that key."""
        rows = self._rows(
            "SELECT hash, first_match, first_board, seeds, CAST(outcomes AS BLOB), "
            "CAST(seating.bots AS BLOB), CAST(lineup.bots AS BLOB), lineup.seatings, "
            "lineup.league_id = played.league_id AND lineup.id = block.lineup_id, transcript.content "
            "FROM played JOIN block ON block.id = played.block_id "
            "JOIN seating ON seating.id = played.seating_id JOIN lineup ON lineup.id = seating.lineup_id "
            "LEFT JOIN transcript ON transcript.played_id = played.id "
            "WHERE played.league_id = ? AND played.key = ?",
            league_id,
            key,
        )
        return next(
            (StoredTable(**dict(zip(StoredTable.__struct_fields__, row, strict=True))) for row in rows), None
        )
