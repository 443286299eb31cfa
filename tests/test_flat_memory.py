"""Decisions in a row leave the memory of the process that referees them as it was.

`ARENA_DECISIONS=100000 pytest -n 0 tests/test_flat_memory.py` is the whole count: a minute or two.
"""

import multiprocessing
import os
import tempfile
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pytest

from arena.model import Board, Entrant, TableJob
from arena.table import play_table
from tests.tables import LONG

DECISIONS = int(os.environ.get("ARENA_DECISIONS", "3000"))
WARM = 0.2
"""Part of them after which caches are full: what is more then is kept for good."""
MOST_MIB = 5
BOARDS = 10
"""A table, which has its decisions in a row from the same processes: about 800."""
PROGRAM = """
from protocol.client import run

class Bot:  # not a function, so that it gets one question at a time
    def choose(self, decision):
        return decision.legal[0]

run(Bot())
"""


@pytest.mark.process
@pytest.mark.parametrize("sandbox", ["plain", pytest.param("bwrap", marks=pytest.mark.box)])
@pytest.mark.timeout(600)
def test_the_memory_of_a_referee_stays_as_it_is(sandbox: str) -> None:
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as alone:
        seen = alone.submit(weighed, sandbox, DECISIONS).result()

    early = next(kib for decisions, kib in seen if decisions >= WARM * DECISIONS)
    assert seen[-1][0] >= DECISIONS
    assert seen[-1][1] - early < MOST_MIB * 1024, seen


def weighed(sandbox: str, decisions: int) -> list[tuple[int, int]]:
    """Play so many decisions of Idiot; by table: decisions so far, and this process's memory in KiB."""
    seen: list[tuple[int, int]] = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o711)
        (folder / "bot").mkdir()
        (folder / "bot" / "main.py").write_text(PROGRAM, "utf-8")
        total = number = 0
        while total < decisions:
            boards = tuple(
                Board(board, (number + board).to_bytes(32, "big")) for board in range(1, BOARDS + 1)
            )
            two = (Entrant("bot", "bot"),) * 2
            played = play_table(TableJob("table", "idiot", {}, two, boards, LONG, sandbox, name)).matches
            assert not any(match.outcome.faults for match in played)
            total, number = total + sum(match.outcome.decisions for match in played), number + BOARDS
            seen.append((total, resident_kib()))
    return seen


def resident_kib() -> int:
    pages = int(Path("/proc/self/statm").read_text("ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") // 1024
