"""The file under the store: opened, brought up to date, and its failures told as sentences."""

import os
import sqlite3
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import resources
from pathlib import Path

import msgspec

from arena.model import UserError
from arena.store.locks import Held, locked
from arena.store.steps import teach

MIGRATIONS = ("schema.sql", "0002_faults.sql", "0003_tables.sql", "0004_keeping.sql", "0005_pace.sql")
"""Steps from an empty file to the newest schema; the number of a version is how many have been taken.

A change of the schema is one new file here, `0006_what.sql`, and one line; a released step never changes.
What SQL cannot compute is in `steps`.
"""

OLDEST = (3, 37)
"""SQLite that knows STRICT tables."""

APPLICATION_ID = 0x63617264
"""Marks a file as ours: "card" in ASCII."""

BUSY_S = 30.0
"""How long a writer waits for another; a write takes milliseconds."""

NO_WRITER = ("SQLITE_READONLY_DIRECTORY", "SQLITE_READONLY_CANTINIT", "SQLITE_CANTOPEN")
"""How SQLite says that a reader may not make the files which it shares with writers.

When nobody else has made them, as in a copy on a disk that is only read, nobody writes: they are not needed.
"""

_PERMISSIONS = "it cannot be opened for this; look at the permissions of the file and of its folder"
_DAMAGED = "it is damaged or no database; move it away, or bring back a copy"
_BUSY = f"another process has been writing for more than {BUSY_S:.0f} s; type the command again later"

CAUSES = {
    "FULL": "the disk is full; make room and type the command again",
    "IOERR": "the disk failed or is full; look at the disk and type the command again",
    "READONLY": _PERMISSIONS,
    "CANTOPEN": _PERMISSIONS,
    "PERM": _PERMISSIONS,
    "CORRUPT": _DAMAGED,
    "NOTADB": _DAMAGED,
    "BUSY": _BUSY,
    "LOCKED": _BUSY,
}
"""Family of SQLite's result code -> what to do about it."""


class StoreError(UserError):
    """The database cannot be read or written; what was reported as finished stays as it was."""


def write(path: Path) -> sqlite3.Connection:
    """Open for reading and writing; made and migrated as needed."""
    if sqlite3.sqlite_version_info < OLDEST:
        oldest = ".".join(map(str, OLDEST))
        raise StoreError(
            f"SQLite {sqlite3.sqlite_version} is here, at least {oldest} is needed; use a newer Python"
        )
    with telling(path), _opening(path):
        # SQLite would open it, and fail with the first table that was played.
        if path.exists() and not os.access(path, os.W_OK):
            raise StoreError(f"database {path} may only be read; look at the permissions of the file")
        connection = sqlite3.connect(path, timeout=BUSY_S, isolation_level=None)
        try:
            _owned(connection, path)
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = FULL")
            connection.execute("PRAGMA foreign_keys = ON")
            migrate(connection, path, [_step(name) for name in MIGRATIONS])
        except BaseException:
            connection.close()
            raise
    return connection


@contextmanager
def _opening(path: Path) -> Iterator[None]:
    """One process at a time makes or migrates the file."""
    try:
        with locked(path.with_suffix(".lock"), wait_s=BUSY_S):
            yield
    except Held as held:
        raise StoreError(f"database {path} is being opened by process {held}, which does not end") from None


def read(path: Path) -> sqlite3.Connection | None:
    """Open for reading alone, which never blocks the writer; None when there is nothing yet."""
    if not path.is_file():
        return None
    with telling(path):
        connection, version = _reader(path)
    if version == len(MIGRATIONS):
        return connection
    connection.close()
    if version == 0:
        return None
    write(path).close()
    return read(path)


def _reader(path: Path) -> tuple[sqlite3.Connection, int]:
    """A reader and the version that it found."""
    try:
        return _reading(path, "mode=ro")
    except sqlite3.OperationalError as error:
        if error.sqlite_errorname not in NO_WRITER or path.with_name(path.name + "-wal").exists():
            raise
    return _reading(path, "mode=ro&immutable=1")


def _reading(path: Path, mode: str) -> tuple[sqlite3.Connection, int]:
    uri = f"{path.resolve().as_uri()}?{mode}"
    connection = sqlite3.connect(uri, uri=True, timeout=BUSY_S, isolation_level=None)
    try:
        return connection, _owned(connection, path)
    except BaseException:
        connection.close()
        raise


def migrate(connection: sqlite3.Connection, path: Path, steps: Sequence[str]) -> None:
    """Take the steps that are missing, each whole or not at all; refuse a file that is ahead of them."""
    version = _owned(connection, path, newest=len(steps))
    if version < len(steps):
        teach(connection)
    for number, script in enumerate(steps[version:], start=version + 1):
        with transaction(connection):
            for statement in _statements(script):
                connection.execute(statement)
            connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            connection.execute(f"PRAGMA user_version = {number}")


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """Write all that is done inside, or nothing of it."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def identity(path: Path) -> tuple[int, int] | None:
    """Which file that is; None where there is none."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    return found.st_dev, found.st_ino


def assure_there(path: Path, opened: tuple[int, int] | None) -> None:
    """Raise StoreError when the path leads elsewhere by now: SQLite would write on in what it opened."""
    if identity(path) != opened:
        raise StoreError(
            f"database {path} was moved, removed or replaced while it was open; what was reported as "
            "finished stands in the file that was opened; put that back and type the command again"
        )


@contextmanager
def telling(path: Path) -> Iterator[None]:
    """Turn a failure of the disk or the file into a sentence; what a bug of ours causes passes unchanged."""
    try:
        yield
    except sqlite3.Error as error:
        cause = _cause(error)
        if cause is None:
            raise
        raise StoreError(
            f"database {path}: {cause} ({error}); what was reported as finished is kept"
        ) from error
    except OSError as error:
        raise StoreError(f"{error.filename or path}: {error.strerror}") from error


@contextmanager
def understanding(path: Path) -> Iterator[None]:
    """Turn rows that make no sense, alone or together, though the file is a database, into a sentence."""
    try:
        yield
    except (msgspec.MsgspecError, ValueError, LookupError, zlib.error) as error:
        said = "it does not fit the others" if isinstance(error, LookupError) else error
        raise StoreError(f"database {path}: a row makes no sense ({said}); {_DAMAGED}") from error


def _cause(error: sqlite3.Error) -> str | None:
    """What the user can do about it; None when it is a bug of ours."""
    words = getattr(error, "sqlite_errorname", "").split("_")
    if isinstance(error, sqlite3.OperationalError) and words == [""]:
        return _DAMAGED  # from Python itself, where a text is not UTF-8
    return CAUSES.get(words[1]) if len(words) > 1 else None


def _owned(connection: sqlite3.Connection, path: Path, newest: int = len(MIGRATIONS)) -> int:
    """Version of the schema, 0 for an empty file; refuses another program's database and a newer one."""
    version: int = connection.execute("PRAGMA user_version").fetchone()[0]
    mark: int = connection.execute("PRAGMA application_id").fetchone()[0]
    if mark != APPLICATION_ID and (
        version or connection.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone()
    ):
        raise StoreError(f"{path} is the database of another program; name another folder with --workspace")
    if version > newest:
        raise StoreError(
            f"database {path} was written by a newer arena: its schema is {version}, at most {newest} is "
            "known here; install the newer version, or name another folder with --workspace"
        )
    return version


def _step(name: str) -> str:
    return resources.files("arena.store").joinpath(name).read_text("utf-8")


def _statements(script: str) -> Iterator[str]:
    """Split a script, since `executescript` would commit what is open."""
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""
    assert not statement.strip(), f"statement without an end: {statement!r}"
