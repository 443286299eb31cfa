"""How a league of another workspace comes into this one: as rows of a database of its own."""

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from datetime import datetime
from pathlib import Path

import msgspec

from arena.model import TableJob, TableResult
from arena.store.evidence import Rows
from arena.store.records import AlreadyThere, Kept, NameTaken, encoded, folded
from arena.store.rows import timestamp
from arena.store.writing import insert_table, next_match
from protocol.text import escaped

ELSEWHERE = "to have both type --workspace with the name of another folder"

COPIED = {
    "extension": {"id": "NULL", "league_id": ":league"},
    "lineup": {"id": "id + :lineup", "league_id": ":league"},
    "seating": {"id": "id + :seating", "lineup_id": "lineup_id + :lineup"},
    "block": {"id": "id + :block", "lineup_id": "lineup_id + :lineup"},
    "played": {
        "id": "id + :played",
        "league_id": ":league",
        "seating_id": "seating_id + :seating",
        "block_id": "block_id + :block",
        "first_match": "first_match + :match",
    },
    "transcript": {"played_id": "played_id + :played"},
    "cost": {
        "played_id": "played_id + :played",
        "walls_id": "(SELECT walls.id FROM walls JOIN other.walls AS o USING (layers) WHERE o.id = walls_id)",
    },
}
"""Table -> what some of its columns become, the others being copied; each word makes other ids new ones."""

NUMBERED = ("lineup", "seating", "block", "played")


IN_ORDER = (
    "UPDATE version SET id = -id",
    (
        "UPDATE version SET id = place FROM "
        "(SELECT hash AS each, row_number() OVER (ORDER BY submitted, id DESC) AS place FROM version) "
        "WHERE hash = each"
    ),
)
"""Numbers versions by when they were submitted, wherever that was; nothing points to their numbers."""


class Newcomer(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A version that comes with a league."""

    name: str
    version: str
    games: tuple[str, ...]
    submitted: datetime
    sandbox: str


Take = Callable[[TableJob, TableResult, datetime], None]
"""Writes a finished table, with when that was."""


class Arrivals:
    """Takes in leagues; made by `Store.arrivals`."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        rows: Rows,
        writing: Callable[[], AbstractContextManager[None]],
    ) -> None:
        self._connection, self._rows, self._writing = connection, rows, writing

    def check(self, league: str, newcomers: Sequence[Newcomer]) -> None:
        """Raise UserError when a name is another's here."""
        if self._rows("SELECT 1 FROM league WHERE name = ?", league):
            raise AlreadyThere(f"there is a league {league!r} already; type another with --name")
        arriving = {each.version for each in newcomers}
        for each in newcomers:
            stands = self._rows(
                "SELECT bot.name FROM version JOIN bot ON bot.id = version.bot_id WHERE hash = ?",
                each.version,
            )
            if stands and stands[0][0] != each.name:
                raise NameTaken(
                    f"bot {each.name!r} of the league is called {stands[0][0]!r} here; {ELSEWHERE}"
                )
            here = self._versions(each.name)
            if here and here.isdisjoint(arriving):
                raise NameTaken(
                    f"bot '{escaped(each.name, 80)}' is another one here: none of its versions plays in the "
                    f"league; {ELSEWHERE}"
                )

    def _versions(self, name: str) -> set[str]:
        """Of the bot of that name, in whatever case."""
        rows = self._rows(
            "SELECT hash FROM version JOIN bot ON bot.id = version.bot_id WHERE folded = ?", folded(name)
        )
        return {version for (version,) in rows}

    def enter(self, newcomers: Sequence[Newcomer]) -> None:
        """Write down versions without a league yet."""
        with self._writing():
            self._enter(newcomers)

    def _enter(self, newcomers: Sequence[Newcomer]) -> None:
        """Write down those that are not here. A new bot is retired: nobody here asked for it."""
        for each in newcomers:
            self._connection.execute(
                "INSERT INTO bot (name, folded, current, retired) VALUES (?, ?, ?, 1) ON CONFLICT DO NOTHING",
                (each.name, folded(each.name), each.version),
            )
            self._connection.execute(
                "INSERT INTO version (hash, bot_id, games, submitted, sandbox) "
                "SELECT ?, id, ?, ?, ? FROM bot WHERE folded = ? ON CONFLICT DO NOTHING",
                (
                    each.version,
                    encoded(each.games),
                    timestamp(each.submitted),
                    each.sandbox,
                    folded(each.name),
                ),
            )
        for statement in IN_ORDER:
            self._connection.execute(statement)

    @contextmanager
    def taking_in(self, league: str) -> Iterator[Take]:
        """Within, tables of a league are written, all of them or none."""
        with self._writing():
            ((league_id,),) = self._rows("SELECT id FROM league WHERE name = ?", league)
            yield lambda job, result, finished: insert_table(
                self._connection, league_id, job, result, finished=finished
            )

    def take_over(self, path: Path, league: str, newcomers: Sequence[Newcomer]) -> None:
        """Copy the one league of another database, with versions; raises UserError. Nobody has that open."""
        self._rows("ATTACH ? AS other", str(path))
        try:
            with self._writing():
                self.check(league, newcomers)
                self._enter(newcomers)
                self._copy()
        finally:
            self._rows("DETACH other")

    def _copy(self) -> None:
        run = self._connection.execute
        words = {table: self._rows(f"SELECT coalesce(max(id), 0) FROM {table}")[0][0] for table in NUMBERED}  # noqa: S608 - words of our own
        words |= {"match": next_match(self._connection) - 1}
        words |= {
            "league": run(
                "INSERT INTO league (name, content) SELECT name, content FROM other.league"
            ).lastrowid
        }
        run("INSERT OR IGNORE INTO walls (layers) SELECT layers FROM other.walls ORDER BY id")
        for table, changed in COPIED.items():
            columns = [row[1] for row in self._rows(f"PRAGMA table_info({table})")]
            values = ", ".join(changed.get(column, column) for column in columns)
            run(f"INSERT INTO {table} SELECT {values} FROM other.{table} ORDER BY rowid", words)  # noqa: S608 - words of our own
        trimmed = "INSERT INTO trimmed SELECT :league, :logs, max(id) + :played FROM other.played"
        run(trimmed, {**words, "logs": Kept.LOGS})
