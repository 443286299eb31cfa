"""What was found from a league's rows, kept beside the database for the next time.

All of it is derived and may be removed at any time. What is not as it was written is as if it were not there,
and nothing is kept where nothing may be written.
"""

import contextlib
import os
import tempfile
from hashlib import sha256
from pathlib import Path
from typing import TypeVar

import msgspec

from arena.store.evidence import Rows

DIGEST_BYTES = 32
"""SHA-256 of what is kept stands before it."""

SUFFIXES = (BRIEF, END) = (".brief", ".end")
"""Of the files that a league has."""

MadeFrom = tuple[int, int, bytes]
"""How many tables of a league, the id and the hash of the last one."""

Value = TypeVar("Value")


def made_from(rows: Rows, league_id: int) -> MadeFrom:
    """What stands there now of a league."""
    ((count, last),) = rows("SELECT count(*), max(id) FROM played WHERE league_id = ?", league_id)
    hashes = rows("SELECT hash FROM played WHERE id = ?", last)
    return count, last or 0, hashes[0][0] if hashes else b""


def read(path: Path, kind: type[Value]) -> Value | None:
    """What is kept there; None for nothing, or for what is not as it was written."""
    try:
        data = path.read_bytes()
        digest, content = data[:DIGEST_BYTES], data[DIGEST_BYTES:]
        return msgspec.msgpack.decode(content, type=kind) if digest == sha256(content).digest() else None
    except (OSError, msgspec.MsgspecError):
        return None


def write(path: Path, value: object) -> None:
    """Keep a value, whole or not at all; not where nothing may be written."""
    content = msgspec.msgpack.encode(value)
    with contextlib.suppress(OSError):
        path.parent.mkdir(exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(sha256(content).digest() + content)
            Path(name).replace(path)
        except BaseException:
            Path(name).unlink()
            raise


def forget(folder: Path, league: str) -> None:
    """Give up what is kept of a league: another one may have its name and the ids of its tables."""
    for suffix in SUFFIXES:
        with contextlib.suppress(OSError):
            (folder / f"{league}{suffix}").unlink()
