"""How a finished table is written: the statements of one transaction, which the caller holds open."""

import sqlite3
import zlib
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from arena.model import Entrant, TableJob, TableResult
from arena.store.packing import measurements_packed, outcomes_packed, paces_packed, transcripts_packed
from arena.store.records import encoded, microseconds, outcomes_hash, rotations
from arena.store.rows import SEED_BYTES, seeds_of

MOST_BOARDS = 1_000
"""Boards of a table; a configuration allows no more."""


def insert_table(
    connection: sqlite3.Connection, league_id: int, job: TableJob, result: TableResult, *, finished: datetime
) -> None:
    """Write a table with its matches and what they cost."""
    lineup_id, seating_id = _seating(connection, league_id, job.seating)
    first = next_match(connection)
    outcomes = [record.outcome for record in result.matches]
    columns = {
        "league_id": league_id,
        "key": job.key,
        "seating_id": seating_id,
        "block_id": _block_id(connection, lineup_id, seating_id, job),
        "hash": bytes.fromhex(outcomes_hash(job, outcomes)),
        "first_match": first,
        "outcomes": outcomes_packed(outcomes),
    }
    played_id = _insert(connection, "played", columns)
    transcripts = transcripts_packed([record.transcript for record in result.matches])
    _insert(connection, "transcript", {"played_id": played_id, "content": transcripts})
    if any(record.measurement.decisions_ms for record in result.matches):
        pace = paces_packed(record.measurement for record in result.matches)
        _insert(connection, "pace", {"played_id": played_id, "content": pace})
    _insert_cost(connection, played_id, result, finished)
    for match_id, record in enumerate(result.matches, first):
        own = {"match_id": match_id, "played_id": played_id}
        _insert_texts(connection, "log", "seat", own, [log.encode() for log in record.measurement.logs])
        _insert_texts(connection, "sent", "fault", own, record.measurement.sent)


def next_match(connection: sqlite3.Connection) -> int:
    """Number of the next match; people write these down, so none is given twice."""
    newest = (
        "SELECT coalesce((SELECT first_match + length(block.seeds) / ? FROM played "
        "JOIN block ON block.id = played.block_id ORDER BY played.id DESC LIMIT 1), 1), "
        "coalesce((SELECT max(first_match + matches) FROM gone), 1)"
    )
    return max(map(int, connection.execute(newest, (SEED_BYTES,)).fetchone()))


def _insert_cost(
    connection: sqlite3.Connection, played_id: int, result: TableResult, finished: datetime
) -> None:
    walls = encoded(result.layers)
    connection.execute("INSERT INTO walls (layers) VALUES (?) ON CONFLICT DO NOTHING", (walls,))
    ((walls_id,),) = connection.execute("SELECT id FROM walls WHERE layers = ?", (walls,))
    columns = {
        "played_id": played_id,
        "finished": microseconds(finished),
        "walls_id": walls_id,
        "void": encoded(result.void),
        "content": measurements_packed(record.measurement for record in result.matches),
    }
    _insert(connection, "cost", columns)


def _insert_texts(
    connection: sqlite3.Connection, table: str, number: str, own: dict[str, int], texts: Sequence[bytes]
) -> None:
    """Write down what there is, compressed; of nothing there is no row."""
    for place, text in enumerate(texts):
        if text:
            _insert(connection, table, {**own, number: place, "content": zlib.compress(text)})


def _seating(connection: sqlite3.Connection, league_id: int, seating: tuple[Entrant, ...]) -> tuple[int, int]:
    """Ids of a line-up and of one of its seatings, made when they are new."""
    turned = rotations(seating)
    lineup = {"league_id": league_id, "bots": encoded(turned[0])}
    lineup_id = _found(connection, "lineup", lineup) or _insert(
        connection, "lineup", {**lineup, "seatings": len(turned)}
    )
    own = {"lineup_id": lineup_id, "bots": encoded(seating)}
    return lineup_id, _found(connection, "seating", own) or _insert(connection, "seating", own)


def _block_id(connection: sqlite3.Connection, lineup_id: int, seating_id: int, job: TableJob) -> int:
    """Id of a table's block, made when it is new. A deal that comes again in one seating is a bug of ours."""
    first, last = job.boards[0].number, job.boards[-1].number
    seeds = [board.seed for board in job.boards]
    near = connection.execute(
        "SELECT id, seeds, EXISTS (SELECT 1 FROM played WHERE seating_id = ? AND block_id = block.id) "
        "FROM block WHERE lineup_id = ? AND first_board BETWEEN ? AND ?",
        (seating_id, lineup_id, first - MOST_BOARDS, last),
    ).fetchall()
    for block_id, packed, in_this_seating in near:
        there = seeds_of(packed)
        assert not in_this_seating or set(seeds).isdisjoint(there), f"table {job.key} has a deal again"
        if there == seeds:
            return int(block_id)
    columns = {"lineup_id": lineup_id, "first_board": first, "seeds": b"".join(seeds)}
    return _insert(connection, "block", columns)


def _insert(connection: sqlite3.Connection, table: str, columns: dict[str, Any]) -> int:
    """Write a row; gives its id."""
    names, marks = ", ".join(columns), ", ".join("?" * len(columns))
    statement = f"INSERT INTO {table} ({names}) VALUES ({marks})"  # noqa: S608 - names of our own
    row_id = connection.execute(statement, tuple(columns.values())).lastrowid
    assert row_id is not None
    return row_id


def _found(connection: sqlite3.Connection, table: str, columns: dict[str, Any]) -> int | None:
    """Id of the row that has these values."""
    condition = " AND ".join(f"{name} = ?" for name in columns)
    query = f"SELECT id FROM {table} WHERE {condition}"  # noqa: S608 - names of our own
    row = connection.execute(query, tuple(columns.values())).fetchone()
    return None if row is None else int(row[0])
