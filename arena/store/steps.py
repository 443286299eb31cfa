"""What the steps of the schema compute that SQL cannot; as little changed as the steps themselves."""

import sqlite3
from collections.abc import Callable, Sequence
from datetime import datetime
from hashlib import sha256
from typing import Any

import msgspec

from arena.model import Extension, Measurement, Outcome
from arena.store.packing import measurements_packed, outcomes_packed, transcripts_packed
from arena.store.records import extension_hash, microseconds


def teach(connection: sqlite3.Connection) -> None:
    """Let a connection know the functions of all steps."""
    for name, function in FUNCTIONS.items():
        connection.create_function(name, function.__code__.co_argcount, function, deterministic=True)
    for name, packed in AGGREGATES.items():
        connection.create_aggregate(name, 2, _aggregate(packed))


def _commitment(content: str) -> str:
    return sha256(msgspec.json.decode(content, type=Extension).secret).hexdigest()


def _hash(league: str, number: int, extension: str) -> str:
    return extension_hash(league, number, extension)


def _bytes(digits: str) -> bytes:
    return bytes.fromhex(digits)


def _microseconds(text: str) -> int:
    return microseconds(datetime.fromisoformat(text))


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "old_commitment": _commitment,
    "old_hash": _hash,
    "old_bytes": _bytes,
    "old_microseconds": _microseconds,
}


def _aggregate(packed: Callable[[Sequence[Any]], str | bytes]) -> type:
    """An aggregate of (board, value) that packs the values in the order of the boards."""

    class Packed:
        def __init__(self) -> None:
            self._values: dict[int, Any] = {}

        def step(self, board: int, value: Any) -> None:
            self._values[board] = value

        def finalize(self) -> str | bytes:
            boards = sorted(self._values)
            assert boards == list(range(boards[0], boards[0] + len(boards))), boards
            return packed([self._values[board] for board in boards])

    return Packed


AGGREGATES: dict[str, Callable[[Sequence[Any]], str | bytes]] = {
    "old_seeds": b"".join,
    "old_outcomes": lambda texts: outcomes_packed(msgspec.json.decode(text, type=Outcome) for text in texts),
    "old_transcripts": transcripts_packed,
    "old_measurements": lambda texts: measurements_packed(
        msgspec.json.decode(text, type=Measurement) for text in texts
    ),
}
