"""The store of a workspace: the only writer of results.

A finished table is one transaction. A table that is there is never written again, so a league that was
killed at any instant goes on with what is missing.
"""

import functools
import re
import sqlite3
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from itertools import chain
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar
from unicodedata import normalize

import msgspec

from arena import __version__
from arena.brief import Briefed
from arena.games import GAMES
from arena.model import (
    Entrant,
    Extension,
    League,
    Measurement,
    Result,
    TableJob,
    TableResult,
    UserError,
    no_such,
)
from arena.store import cache, database
from arena.store.arrivals import Arrivals
from arena.store.briefs import Briefs
from arena.store.evidence import Evidence
from arena.store.keeping import Keeping
from arena.store.locks import INSTANT_S, Held, holder, locked
from arena.store.packing import (
    measurements_unpacked,
    paces_unpacked,
    transcripts_unpacked,
)
from arena.store.records import (
    Activity,
    AlreadyThere,
    Bot,
    Kept,
    MatchRow,
    NameTaken,
    NotThere,
    StoredMatch,
    deal_key,
    encoded,
    extension_hash,
    folded,
    microseconds,
    moment,
)
from arena.store.rows import (
    BOTS,
    RESULTS,
    SEATING,
    SEED_BYTES,
    TABLES,
    assert_fits,
    bot_of,
    complete,
    league_of,
    match_rows,
    results_of,
    seeds_of,
    timestamp,
)
from arena.store.writing import insert_table, next_match
from protocol.text import pasted

Made = TypeVar("Made")

LEAGUE_NAME = re.compile(r"(?!.*\.toml$)[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
"""A league's name stands in that of its lock file and is typed in commands; `x.toml` there is a file."""


FAULTED = "*.[A-Z]*"
"""What outcomes of a table look like in which there is a fault (`packing`)."""

MOST_ID = 2**63 - 1
"""The largest number that the database can hold."""


def _nothing(workspace: Path) -> str:
    return (
        f"nothing in the workspace {workspace.absolute()} yet; type `arena submit PATH` to enter a bot "
        "and `arena run` to play a league, or name another folder with --workspace"
    )


def check_league_name(name: str) -> None:
    """Raise UserError for what no league may be called."""
    if not LEAGUE_NAME.fullmatch(name):
        raise UserError(
            f"league name {name!r}: 1 to 64 of A-Z, a-z, 0-9, '.', '_' and '-' are allowed, "
            "a letter or a digit first and no .toml last"
        )


class Ended(msgspec.Struct, frozen=True, array_like=True):
    """Whether a league was at its end, as it is kept."""

    known: tuple[str, cache.MadeFrom, str]
    """What that was found from: the arena's version, the tables, the hash of what the league is."""
    reason: str | None


def _listed(workspace: Path, name: str) -> list[Result]:
    with Store.open(workspace, read_only=True) as store:
        return store.results(name)


class Store:
    """A workspace's bots, leagues and results; made by `open`, closed as a context manager."""

    def __init__(self, workspace: Path, connection: sqlite3.Connection) -> None:
        self.workspace = workspace
        self._path = workspace / "arena.db"
        self._opened = database.identity(self._path)
        self._connection = connection

    @classmethod
    def open(cls, workspace: Path, *, read_only: bool = False) -> Self:
        """Open a workspace, made when it is missing; one that is only read must be there."""
        path = workspace / "arena.db"
        if not read_only:
            with database.telling(path):
                (workspace / "submissions").mkdir(parents=True, exist_ok=True)
            return cls(workspace, database.write(path))
        connection = database.read(path)
        if connection is None:
            raise NotThere(_nothing(workspace))
        return cls(workspace, connection)

    @classmethod
    def reopen(cls, workspace: Path) -> Self:
        """Open a workspace that must be there to write in it; raises NotThere."""
        if not (workspace / "arena.db").exists():
            raise NotThere(_nothing(workspace))
        return cls.open(workspace)

    def close(self) -> None:
        """End the connection; what was committed stays."""
        self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    @property
    def submissions(self) -> Path:
        """Folder of the versions, each in a folder named by its hash."""
        return self.workspace / "submissions"

    @property
    def _cache(self) -> Path:
        return self.workspace / "cache"

    def assure_there(self) -> None:
        """Raise StoreError when the workspace is not where it was when it was opened."""
        database.assure_there(self._path, self._opened)

    # Bots

    def add_version(
        self, name: str, version: str, *, games: Sequence[str], submitted: datetime, sandbox: str
    ) -> Bot:
        """Enter a new version, from now on its bot's current one; a retired bot is back.

        By whatever clock, it was submitted no earlier than the one before it.
        Raises AlreadyThere when the content stands under any name, NameTaken when the name differs from
        an earlier bot's in case only.
        """
        name = normalize("NFC", name)
        with self._writing():
            there = self.find_version(version)
            if there:
                raise AlreadyThere(f"this content was submitted before, as {there.name}")
            bot_id = self._bot_id(name, version)
            self._connection.execute(
                "INSERT INTO version (hash, bot_id, games, submitted, sandbox) "
                "SELECT ?1, ?2, ?3, max(?4, coalesce(max(submitted), '')), ?5 FROM version WHERE bot_id = ?2",
                (version, bot_id, encoded(games), timestamp(submitted), sandbox),
            )
        return self._known(version)

    def renew_version(self, version: str, *, games: Sequence[str]) -> Bot:
        """Make a version that is there its bot's current one again, admitted to these games as well."""
        bot = self._known(version)
        admitted = (*bot.games, *(game for game in games if game not in bot.games))
        with self._writing():
            self._connection.execute(
                "UPDATE version SET games = ? WHERE hash = ?", (encoded(admitted), version)
            )
            self._connection.execute(
                "UPDATE bot SET current = ?, retired = 0 WHERE folded = ?", (version, folded(bot.name))
            )
        return self._known(version)

    def check_name(self, name: str) -> None:
        """Raise NameTaken for a name that differs from an earlier bot's in case only."""
        bot = self.latest(name)
        if bot and bot.name != normalize("NFC", name):
            raise NameTaken(
                f"{name!r} and {bot.name!r} differ in case only; type --name {pasted(bot.name)} for its "
                "next version, or choose another name"
            )

    def bots(self) -> list[Bot]:
        """Every bot at its current version, the retired ones too, by name."""
        rows = self._rows(f"{BOTS} WHERE version.hash = bot.current ORDER BY bot.folded")
        return self._made(bot_of, rows)

    def latest(self, name: str) -> Bot | None:
        """The bot of that name, in whatever case, at its current version."""
        rows = self._rows(f"{BOTS} WHERE version.hash = bot.current AND bot.folded = ?", folded(name))
        return next(iter(self._made(bot_of, rows)), None)

    def find_version(self, version: str) -> Bot | None:
        """The bot under which a content stands, at that version."""
        rows = self._rows(f"{BOTS} WHERE version.hash = ?", version)
        return next(iter(self._made(bot_of, rows)), None)

    def retire(self, name: str) -> Bot:
        """Keep a bot out of the leagues to come; those that have it play on with it."""
        return self._set_retired(name, retired=True)

    def restore(self, name: str) -> Bot:
        """Let a retired bot enter leagues again."""
        return self._set_retired(name, retired=False)

    def _set_retired(self, name: str, *, retired: bool) -> Bot:
        bot = self.latest(name)
        if bot is None:
            raise NotThere(no_such("bot", name, (each.name for each in self.bots())))
        with self._writing():
            self._connection.execute(
                "UPDATE bot SET retired = ? WHERE folded = ?", (int(retired), folded(name))
            )
        return msgspec.structs.replace(bot, retired=retired)

    def _bot_id(self, name: str, version: str) -> int:
        """Id of the bot, made when it is new, with the version as its current one."""
        self.check_name(name)
        self._connection.execute(
            "INSERT INTO bot (name, folded, current) VALUES (?, ?, ?) "
            "ON CONFLICT (folded) DO UPDATE SET current = excluded.current, retired = 0",
            (name, folded(name), version),
        )
        ((bot_id,),) = self._rows("SELECT id FROM bot WHERE folded = ?", folded(name))
        return int(bot_id)

    def _known(self, version: str) -> Bot:
        bot = self.find_version(version)
        assert bot is not None, version
        return bot

    # Leagues

    def create_league(self, league: League) -> None:
        """Write a new league down with its extensions; raises AlreadyThere for a name that is taken."""
        check_league_name(league.name)
        with self._writing():
            if self._rows("SELECT 1 FROM league WHERE name = ?", league.name):
                raise AlreadyThere(f"there is a league {league.name!r} already")
            bare = msgspec.structs.replace(league, extensions=())
            cursor = self._connection.execute(
                "INSERT INTO league (name, content) VALUES (?, ?)", (league.name, encoded(bare))
            )
            for extension in league.extensions:
                self._insert_extension(cursor.lastrowid, extension)

    def extend_league(self, name: str, extension: Extension) -> None:
        """Let a league grow; what it had before stays in it."""
        with self._writing():
            league_id, league = self._league(name)
            for earlier in league.extensions[-1:]:
                assert set(earlier.entrants) <= set(extension.entrants), "a league loses nobody"
                assert earlier.boards <= extension.boards, "a league loses no boards"
            self._insert_extension(league_id, extension)

    def league(self, name: str) -> League | None:
        """The league of that name."""
        return next((league for league in self.leagues() if league.name == name), None)

    def chosen_league(self, name: str | None) -> League:
        """The league of that name; raises NotThere.

        Without a name it is the newest: a comparison only where there is nothing else, since it is a question
        asked in passing and has a command of its own.
        """
        leagues = self.leagues()
        if not leagues:
            raise NotThere("no league yet; type: arena run --game idiot")
        if name is not None:
            return self._league(name)[1]
        return ([league for league in leagues if league.comparison is None] or leagues)[-1]

    def leagues(self) -> list[League]:
        """All leagues, the newest last."""
        return [league for _, league in self._leagues()]

    def _leagues(self) -> list[tuple[int, League]]:
        rows = self._rows(
            "SELECT league.id, league.content, extension.content FROM league "
            "LEFT JOIN extension ON extension.league_id = league.id ORDER BY league.id, extension.id"
        )
        found: dict[int, League] = {}
        for league_id, part, more in self._made(league_of, rows):
            league = found.get(league_id, part)
            found[league_id] = msgspec.structs.replace(league, extensions=(*league.extensions, more))
        return list(found.items())

    def _league(self, name: str) -> tuple[int, League]:
        leagues = self._leagues()
        for league_id, league in leagues:
            if league.name == name:
                return league_id, league
        raise NotThere(
            no_such(
                "league", name, (league.name for _, league in leagues), of=f"in {self.workspace.absolute()}"
            )
        )

    def _insert_extension(self, league_id: int | None, extension: Extension) -> None:
        ((league, number),) = self._rows(
            "SELECT content, (SELECT count(*) FROM extension WHERE league_id = league.id) "
            "FROM league WHERE id = ?",
            league_id,
        )
        content = encoded(extension)
        shown, hashed = sha256(extension.secret).hexdigest(), extension_hash(league, number, content)
        self._connection.execute(
            "INSERT INTO extension (league_id, content, commitment, hash) VALUES (?, ?, ?, ?)",
            (league_id, content, shown, hashed),
        )

    @contextmanager
    def running(self, name: str) -> Iterator[None]:
        """Hold the lock of a league's runner; it falls with the process, however that ends."""
        with self._held(
            self._lock(name),
            wait_s=INSTANT_S,
            otherwise=lambda held: (
                f"league {name!r} is being run by process {held}; wait for it, or type `kill {held}`"
            ),
        ):
            yield

    @contextmanager
    def submitting(self, *, wait_s: float) -> Iterator[None]:
        """Hold the lock of whoever tries out a submission; raises UserError after the wait."""
        with self._held(
            self.workspace / "submit.lock",
            wait_s=wait_s,
            otherwise=lambda held: (
                f"process {held} has been trying a submission for {wait_s:.0f} s; "
                "type the command again when it has ended"
            ),
        ):
            yield

    @contextmanager
    def _held(self, path: Path, *, wait_s: float, otherwise: Callable[[Held], str]) -> Iterator[None]:
        """Hold a lock, or raise UserError that names the process which has it."""
        with ExitStack() as stack:
            with database.telling(self.workspace):
                try:
                    stack.enter_context(locked(path, wait_s=wait_s))
                except Held as held:
                    raise UserError(otherwise(held)) from None
            yield

    def runner(self, name: str) -> int | None:
        """Process that is running a league now; None when there is none."""
        return holder(self._lock(name))

    def _lock(self, name: str) -> Path:
        return self.workspace / f"league-{name}.lock"

    # Tables

    def activity(self, name: str, *, now: datetime) -> Activity:
        """How many tables of a league were finished, and when."""
        league_id, _ = self._league(name)
        ((tables, first, recent, void),) = self._rows(
            "SELECT count(*), min(cost.finished), count(*) FILTER (WHERE cost.finished > ?), "
            "count(*) FILTER (WHERE cost.void != '[]') "
            "FROM played JOIN cost ON cost.played_id = played.id WHERE played.league_id = ?",
            microseconds(now - timedelta(minutes=1)),
            league_id,
        )
        return Activity(tables, None if first is None else moment(first), recent, void)

    def void(self, name: str) -> int:
        """How many tables of a league were played twice, since the machine was to blame the first time."""
        return self.activity(name, now=datetime.now(UTC)).void

    def matches_by_bot(self, name: str) -> dict[Entrant, int]:
        """How many matches of a league each bot sat in; those of incomplete boards too."""
        league_id, _ = self._league(name)
        rows = self._rows(
            "SELECT seating.bots, (SELECT coalesce(sum(length(block.seeds)), 0) / ? FROM played "
            "JOIN block ON block.id = played.block_id WHERE played.seating_id = seating.id) "
            "FROM seating JOIN lineup ON lineup.id = seating.lineup_id WHERE lineup.league_id = ?",
            SEED_BYTES,
            league_id,
        )
        played: Counter[Entrant] = Counter()
        for seating, matches in self._made(lambda row: (SEATING.decode(row[0]), row[1]), rows):
            played.update(dict.fromkeys(seating, matches))
        return dict(played)

    def finished(self, name: str) -> set[str]:
        """Keys of the tables that stand there."""
        league_id, _ = self._league(name)
        return {key for (key,) in self._rows("SELECT key FROM played WHERE league_id = ?", league_id)}

    def commit(self, name: str, job: TableJob, result: TableResult) -> None:
        """Write a finished table, whole or not at all; raises AlreadyThere for a key that stands there."""
        league_id, league = self._league(name)
        assert_fits(league, job, result)
        with self._writing():
            if self._rows("SELECT 1 FROM played WHERE league_id = ? AND key = ?", league_id, job.key):
                raise AlreadyThere(f"table {job.key!r} of league {name!r} was written before")
            insert_table(self._connection, league_id, job, result, finished=datetime.now(UTC))

    def results(self, name: str) -> list[Result]:
        """Matches of the complete boards: those played in every seating of their line-up.

        Sorted by the key of the table, then by board: the order in which they finished leaves no trace.
        """
        league_id, league = self._league(name)
        return complete(self._results(league, self._rows(f"{RESULTS} ORDER BY played.key", league_id)))

    def briefed(self, name: str) -> Briefed:
        """The same, known in brief and listed when somebody asks for one of them."""
        league_id, league = self._league(name)
        briefs = Briefs(self._rows, league_id, self._sides(league))
        with database.understanding(self._path):
            brief = briefs.found(self._cache / f"{league.name}{cache.BRIEF}")
        return Briefed(brief, lambda: _listed(self.workspace, name))

    def ended(self, name: str, find: Callable[[], str | None]) -> str | None:
        """Why a league ended, None before its end: as `find` finds it.

        That is kept, and not asked for again while nothing was played and the league did not grow.
        """
        league_id, _ = self._league(name)
        path = self._cache / f"{name}{cache.END}"
        ((charter,),) = self._rows(
            "SELECT hash FROM extension WHERE league_id = ? ORDER BY id DESC LIMIT 1", league_id
        )
        known = (__version__, cache.made_from(self._rows, league_id), charter)
        kept = cache.read(path, Ended)
        if kept is None or kept.known != known:
            kept = Ended(known, find())
            cache.write(path, kept)
        return kept.reason

    def batch_results(self, name: str, before: str) -> list[Result]:
        """Matches of the tables whose keys begin so, sorted as `results` are."""
        league_id, league = self._league(name)
        after = before[:-1] + chr(ord(before[-1]) + 1)
        some = f"{RESULTS} AND played.key >= ? AND played.key < ? ORDER BY played.key"
        rows = self._results(league, self._rows(some, league_id, before, after))
        return [result for _, _, result in rows]

    def match_times(self, game: str, players: int, *, most: int) -> list[float]:
        """Milliseconds of the matches of a game that finished last, in all leagues of so many players."""
        rows = self._rows(
            "SELECT cost.content FROM league "
            "JOIN played ON played.league_id = league.id "
            "JOIN cost ON cost.played_id = played.id "
            "WHERE json_extract(league.content, '$.game') = ? "
            "AND json_extract(league.content, '$.players') = ? "
            "ORDER BY played.id DESC LIMIT ?",
            game,
            players,
            most,
        )
        tables = self._made(lambda row: measurements_unpacked(row[0]), rows)
        return [match.wall_ms for table in tables for match in reversed(table)][:most]

    def _results(self, league: League, rows: list[tuple[Any, ...]]) -> Iterator[tuple[int, int, Result]]:
        sides = self._sides(league)
        return chain.from_iterable(self._made(lambda row: results_of(row, sides), rows))

    @staticmethod
    def _sides(league: League) -> tuple[tuple[int, ...], ...]:
        if league.game not in GAMES:
            unknown = no_such("game", league.game, GAMES)
            raise UserError(f"league {league.name} cannot be read here: {unknown}")
        return GAMES[league.game].sides(league.players)

    def deals_since(self, name: str, since: datetime | int) -> set[str]:
        """Names of the deals whose last match was finished by then or later; or from a board's number on."""
        league_id, _ = self._league(name)
        rows = self._rows(
            "SELECT block.first_board, block.seeds, cost.finished FROM played "
            "JOIN block ON block.id = played.block_id "
            "JOIN cost ON cost.played_id = played.id WHERE played.league_id = ?",
            league_id,
        )
        boards = (
            (number if isinstance(since, int) else finished, seed)
            for first, seeds, finished in rows
            for number, seed in enumerate(seeds_of(seeds), first)
        )
        least = since if isinstance(since, int) else microseconds(since)
        return {deal_key(seed) for value, seed in boards if value >= least}

    def versions(self, name: str) -> list[Bot]:
        """Every version of the bot of that name, in whatever case, the oldest first."""
        return self._made(
            bot_of, self._rows(f"{BOTS} WHERE bot.folded = ? ORDER BY version.id", folded(name))
        )

    def league_hash(self, name: str) -> str:
        """SHA-256 in hex over the keys and hashes of all finished tables, sorted by key."""
        league_id, _ = self._league(name)
        rows = self._rows(
            "SELECT key, lower(hex(hash)) FROM played WHERE league_id = ? ORDER BY key", league_id
        )
        return sha256(encoded(rows).encode()).hexdigest()

    def matches(self, name: str, *, newest: int | None = None, faulted: bool = False) -> list[MatchRow]:
        """Matches of a league in the order they were written, those of incomplete boards too.

        All of them, or the newest so many; or those alone in which somebody failed or had before.
        """
        league_id, _ = self._league(name)
        some = f" AND outcomes GLOB '{FAULTED}'" if faulted else ""
        ids = f"SELECT id FROM played WHERE league_id = ?{some} ORDER BY id DESC LIMIT ?"  # noqa: S608 - ours
        rows = self._rows(
            f"{TABLES} WHERE played.id IN ({ids}) ORDER BY played.id",
            league_id,
            -1 if newest is None else newest,
        )
        found = list(chain.from_iterable(self._made(match_rows, rows)))
        kept = [match for match in found if match.outcome.faults] if faulted else found
        return kept if newest is None else kept[max(0, len(kept) - newest) :]

    def matches_played(self, name: str) -> int:
        """How many matches of a league are finished."""
        league_id, _ = self._league(name)
        ((count,),) = self._rows(
            "SELECT coalesce(sum(length(block.seeds)), 0) / ? FROM played "
            "JOIN block ON block.id = played.block_id WHERE played.league_id = ?",
            SEED_BYTES,
            league_id,
        )
        return int(count)

    def table(self, name: str, key: str) -> list[MatchRow]:
        """The matches of one table of a league; none when it was not played."""
        rows = self._rows(f"{TABLES} WHERE league.name = ? AND played.key = ?", name, key)
        return list(chain.from_iterable(self._made(match_rows, rows)))

    def match(self, match_id: int) -> StoredMatch:
        """One match whole; raises NotThere."""
        played_id, number = self._place(match_id)
        with database.understanding(self._path):
            (row,) = map(match_rows, self._rows(f"{TABLES} WHERE played.id = ?", played_id))
            match = row[number]
        _, league = self._league(match.league)
        trimmed = tuple(
            kept for kept, through in self.keeping().trimmed(league.name).items() if played_id <= through
        )
        fields = {
            **msgspec.structs.asdict(match),
            "measurement": msgspec.structs.replace(
                self._with_texts(match), decisions_ms=self._paces(played_id, number)
            ),
            "transcript": b"" if Kept.TRANSCRIPTS in trimmed else self._transcript(played_id, number),
        }
        return StoredMatch(
            **fields,
            game=league.game,
            options=league.options,
            auto_forced=league.auto_forced,
            trimmed=trimmed,
        )

    def table_of(self, match_id: int) -> tuple[str, str]:
        """League and key of the table that a match was played at; raises NotThere."""
        played_id, _ = self._place(match_id)
        rows = self._rows(
            "SELECT league.name, key FROM played JOIN league ON league.id = league_id WHERE played.id = ?",
            played_id,
        )
        with database.understanding(self._path):
            ((league, key),) = rows
        return league, key

    def _transcript(self, played_id: int, number: int) -> bytes:
        packed = self._rows("SELECT content FROM transcript WHERE played_id = ?", played_id)
        with database.understanding(self._path):
            ((content,),) = packed
            return transcripts_unpacked(content)[number]

    def _paces(self, played_id: int, number: int) -> tuple[float | None, ...]:
        """What each decision of a match took; nothing where that was not kept."""
        packed = self._rows("SELECT content FROM pace WHERE played_id = ?", played_id)
        found = self._made(lambda row: paces_unpacked(row[0])[number], packed)
        return found[0] if found else ()

    def _with_texts(self, match: MatchRow) -> Measurement:
        """What a match cost, with the logs and what was sent."""
        logs = self._rows("SELECT seat, content FROM log WHERE match_id = ?", match.id)
        said = dict(self._made(lambda log: (log[0], zlib.decompress(log[1]).decode()), logs))
        found = self._rows("SELECT fault, content FROM sent WHERE match_id = ?", match.id)
        sent = dict(self._made(lambda one: (one[0], zlib.decompress(one[1])), found))
        return msgspec.structs.replace(
            match.measurement,
            logs=tuple(said.get(seat, "") for seat in range(len(match.seating))),
            sent=tuple(sent.get(fault, b"") for fault in range(len(match.outcome.faults))),
        )

    def _place(self, match_id: int) -> tuple[int, int]:
        """The table that a match was played at, and its place among the matches there; raises NotThere."""
        rows = self._rows(
            "SELECT played.id, first_match, length(block.seeds) / ? "
            "FROM played JOIN block ON block.id = played.block_id "
            "WHERE first_match <= ? ORDER BY first_match DESC LIMIT 1",
            SEED_BYTES,
            min(match_id, MOST_ID),
        )
        for played_id, first, matches in rows:
            if match_id < first + matches:
                return played_id, match_id - first
        newest = next_match(self._connection) - 1
        raise NotThere(
            f"no match {match_id}; " + (f"the newest is {newest}" if newest else "none was played yet")
        )

    def evidence(self) -> Evidence:
        """The rows as they stand, for whoever checks them."""
        return Evidence(self._rows)

    def keeping(self) -> Keeping:
        """What is done to leagues and bots besides playing; the caller holds the locks of the leagues."""
        forget = functools.partial(cache.forget, self._cache)
        return Keeping(self._connection, self._rows, self._writing, self.leagues, forget)

    def arrivals(self) -> Arrivals:
        """What takes in leagues of other workspaces."""
        return Arrivals(self._connection, self._rows, self._writing)

    # Plumbing

    @contextmanager
    def _writing(self) -> Iterator[None]:
        with database.telling(self._path), database.transaction(self._connection):
            yield
            self.assure_there()

    def _made(self, make: Callable[[tuple[Any, ...]], Made], rows: list[tuple[Any, ...]]) -> list[Made]:
        """The values that rows stand for."""
        with database.understanding(self._path):
            return [make(row) for row in rows]

    def _rows(self, query: str, *values: Any) -> list[tuple[Any, ...]]:
        with database.telling(self._path):
            return self._connection.execute(query, values).fetchall()
