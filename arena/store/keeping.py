"""What is done to a database besides playing: other names, leagues and bots deleted, the file made smaller.

Nothing here changes what was played: a league keeps the names and versions that its hashes are made of, or it
goes as a whole. The numbers of its matches go with it and are not given again.
"""

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from itertools import chain
from unicodedata import normalize

import msgspec

from arena.model import Entrant, League, UserError
from arena.store.evidence import Rows
from arena.store.records import AlreadyThere, Bot, Kept, NameTaken, encoded, extension_hash, folded
from arena.store.rows import SEED_BYTES
from protocol.text import pasted

RANGES = """
    SELECT first_match, length(block.seeds) / ? FROM played
    JOIN block ON block.id = played.block_id WHERE played.league_id = ?
"""
"""Numbers of a league's matches, one row a table: the first, and how many."""

ITS_TABLES = "(SELECT id FROM played WHERE league_id = :id)"
ITS_LINEUPS = "(SELECT id FROM lineup WHERE league_id = :id)"

OF_A_LEAGUE = {
    **dict.fromkeys(("sent", "log", "transcript", "pace", "cost"), f"played_id IN {ITS_TABLES}"),
    "played": "league_id = :id",
    **dict.fromkeys(("block", "seating"), f"lineup_id IN {ITS_LINEUPS}"),
    **dict.fromkeys(("lineup", "extension", "trimmed"), "league_id = :id"),
    "league": "id = :id",
}
"""Table -> which of its rows are a league's, in an order in which they can be deleted."""

HOLD = {Kept.LOGS: ("log", "sent"), Kept.TRANSCRIPTS: ("transcript", "pace")}
"""What may be given up -> the tables of the database that hold it."""


class Size(msgspec.Struct, frozen=True):
    """Bytes that a league takes in the database, without the database's own."""

    tables: int
    matches: int
    results: int
    """Outcomes, cards and measurements."""
    transcripts: int
    logs: int


class File(msgspec.Struct, frozen=True):
    """The database file, in bytes."""

    size: int
    unused: int
    """Of these, what deleted rows left."""


class Keeping:
    """Changes names, deletes and trims; made by `Store.keeping`."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        rows: Rows,
        writing: Callable[[], AbstractContextManager[None]],
        leagues: Callable[[], list[League]],
        forget: Callable[[str], None],
    ) -> None:
        self._connection, self._rows, self._writing, self._leagues = connection, rows, writing, leagues
        self._forget = forget

    # Leagues

    def rename_league(self, league: str, name: str) -> None:
        """Give a league another name; raises AlreadyThere.

        Its tables and their hashes do not know the name; what the league is has a new hash.
        """
        self._forget(league)
        with self._writing():
            if self._rows("SELECT 1 FROM league WHERE name = ?", name):
                raise AlreadyThere(f"there is a league {name!r} already; choose another name")
            ((league_id, content),) = self._rows("SELECT id, content FROM league WHERE name = ?", league)
            renamed = encoded({**msgspec.json.decode(content), "name": name})
            self._connection.execute(
                "UPDATE league SET name = ?, content = ? WHERE id = ?", (name, renamed, league_id)
            )
            extensions = self._rows(
                "SELECT id, content FROM extension WHERE league_id = ? ORDER BY id", league_id
            )
            for number, (extension_id, extension) in enumerate(extensions):
                self._connection.execute(
                    "UPDATE extension SET hash = ? WHERE id = ?",
                    (extension_hash(renamed, number, extension), extension_id),
                )

    def delete_league(self, league: str) -> None:
        """Take a league out with all that was played in it, whole or not at all."""
        league_id = self._id(league)
        self._forget(league)
        with self._without_foreign_keys(), self._writing():
            numbers = self._rows(RANGES, SEED_BYTES, league_id)
            gone = joined(chain(numbers, self._rows("SELECT first_match, matches FROM gone")))
            for table, mine in OF_A_LEAGUE.items():
                self._delete(table, mine, league_id)
            self._connection.execute("DELETE FROM gone")
            self._connection.executemany("INSERT INTO gone VALUES (?, ?)", gone)

    @contextmanager
    def _without_foreign_keys(self) -> Iterator[None]:
        """Within, rows that others point to may go: asked of each, it would be a walk through all others."""
        self._connection.execute("PRAGMA foreign_keys = OFF")
        try:
            yield
        finally:
            self._connection.execute("PRAGMA foreign_keys = ON")

    # Bots

    def rename_bot(self, bot: Bot, name: str) -> None:
        """Give another name to a bot that no league has; raises UserError.

        The hashes of tables are made of names, too.
        """
        name = normalize("NFC", name)
        with self._writing():
            for (taken,) in self._rows("SELECT name FROM bot WHERE folded = ?", folded(name)):
                if taken != bot.name:
                    raise NameTaken(f"there is a bot {taken!r} already; choose another name")
            standing = self._leagues_with(bot)
            if standing:
                raise UserError(
                    f"bot {bot.name!r} has played as that in {_listed(standing)}, and what was played keeps "
                    f"its names; {_ways(bot, standing)}; a changed program may be submitted as another bot"
                )
            self._connection.execute(
                "UPDATE bot SET name = ?, folded = ? WHERE folded = ?", (name, folded(name), folded(bot.name))
            )

    def delete_bot(self, bot: Bot) -> None:
        """Take out a bot that no league has, with its versions; raises UserError. Leaves their files."""
        with self._writing():
            self.check_free(bot)
            mine = (folded(bot.name),)
            self._connection.execute(
                "DELETE FROM version WHERE bot_id = (SELECT id FROM bot WHERE folded = ?)", mine
            )
            self._connection.execute("DELETE FROM bot WHERE folded = ?", mine)

    def check_free(self, bot: Bot) -> None:
        """Raise UserError when a league has the bot."""
        standing = self._leagues_with(bot)
        if standing:
            raise UserError(
                f"bot {bot.name!r} stands in {_listed(standing)}, and what was played is kept whole; "
                f"{_ways(bot, standing)}"
            )

    def _leagues_with(self, bot: Bot) -> list[str]:
        rows = self._rows(
            "SELECT hash FROM version WHERE bot_id = (SELECT id FROM bot WHERE folded = ?)", folded(bot.name)
        )
        versions = {version for (version,) in rows}
        return [league.name for league in self._leagues() if not versions.isdisjoint(_versions(league))]

    # Room

    def trim(self, league: str, what: Sequence[Kept]) -> None:
        """Give up what a league's tables kept, of those that are finished now."""
        league_id = self._id(league)
        with self._writing():
            for kept in what:
                for table in HOLD[kept]:
                    self._delete(table, f"played_id IN {ITS_TABLES}", league_id)
                self._connection.execute(
                    "INSERT OR REPLACE INTO trimmed "
                    "SELECT league_id, ?, max(id) FROM played WHERE league_id = ? GROUP BY league_id",
                    (kept, league_id),
                )

    def _delete(self, table: str, condition: str, league_id: int) -> None:
        statement = f"DELETE FROM {table} WHERE {condition}"  # noqa: S608 - words of our own
        self._connection.execute(statement, {"id": league_id})

    def trimmed(self, league: str) -> dict[Kept, int]:
        """What was given up of a league -> the last table whose was."""
        rows = self._rows("SELECT what, through FROM trimmed WHERE league_id = ?", self._id(league))
        return {Kept(what): through for what, through in rows}

    def shrink(self) -> File:
        """Give the file's unused room back to the disk. Nobody writes meanwhile; the caller sees to it."""
        self._rows("VACUUM")
        self._rows("PRAGMA wal_checkpoint(TRUNCATE)")
        return self.file()

    def file(self) -> File:
        """How large the database is."""
        ((pages, free, page),) = self._rows(
            "SELECT * FROM pragma_page_count(), pragma_freelist_count(), pragma_page_size()"
        )
        return File(pages * page, free * page)

    def size(self, league: str) -> Size:
        """How much a league takes."""
        league_id = self._id(league)
        ((tables, results),) = self._rows(
            "SELECT count(*), coalesce(sum(length(played.key) + length(played.hash) "
            "+ length(played.outcomes) + length(cost.content) + length(cost.void)), 0) "
            "FROM played JOIN cost ON cost.played_id = played.id WHERE played.league_id = ?",
            league_id,
        )
        ((seeds,),) = self._rows(
            "SELECT coalesce(sum(length(seeds)), 0) FROM block JOIN lineup ON lineup.id = block.lineup_id "
            "WHERE lineup.league_id = ?",
            league_id,
        )
        matches = sum(number for _, number in self._rows(RANGES, SEED_BYTES, league_id))
        held = {kept: sum(self._bytes(table, league_id) for table in HOLD[kept]) for kept in Kept}
        return Size(tables, matches, results + seeds, held[Kept.TRANSCRIPTS], held[Kept.LOGS])

    def _id(self, league: str) -> int:
        ((league_id,),) = self._rows("SELECT id FROM league WHERE name = ?", league)
        return int(league_id)

    def _bytes(self, table: str, league_id: int) -> int:
        ((found,),) = self._rows(
            f"SELECT coalesce(sum(length(content)), 0) FROM {table} WHERE played_id IN {ITS_TABLES}",  # noqa: S608 - words of our own
            league_id,
        )
        return int(found)


def joined(ranges: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Ranges (first, how many) that follow each other as one, sorted."""
    found: list[tuple[int, int]] = []
    for first, number in sorted(ranges):
        if found and sum(found[-1]) == first:
            found[-1] = (found[-1][0], found[-1][1] + number)
        else:
            found.append((first, number))
    return found


def _versions(league: League) -> set[str]:
    """Of everybody who is in a league."""
    asked = league.comparison
    compared: tuple[Entrant, ...] = (asked.new, asked.old, *asked.field) if asked else ()
    entered = (entrant for extension in league.extensions for entrant in extension.entrants)
    return {entrant.version for entrant in (*entered, *compared)}


def _listed(leagues: Sequence[str]) -> str:
    return f"league{'s' if len(leagues) > 1 else ''} {', '.join(leagues)}"


def _ways(bot: Bot, leagues: Sequence[str]) -> str:
    """What there is to type instead."""
    return (
        f"to keep it out of the leagues to come type: {pasted('arena', 'retire', bot.name)}; "
        f"to delete these first: {pasted('arena', 'delete', 'league', *leagues)}"
    )
