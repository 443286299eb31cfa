"""Every bad bot at a real table with an honest one: its verdict, and nobody else's trouble.

The first comment of a bot's file names the fault and a part of its detail; the others name what it needs.
"""

import os
import subprocess
import sys
import time

import msgspec
import pytest

from arena.model import HOUSE, Clock, FaultKind, TableResult
from arena.sandbox import cgroups, watchdog
from tests.cases import EARLY, HURRY, SMALL, STDIO, Case, cases
from tests.tables import BAD_BOTS, LONG, Room, room

SHORT = Clock(move_ms=300, bank_ms=200, start_ms=20_000)
RUSHED = Clock(move_ms=10_000, bank_ms=10_000, start_ms=700)
"""Where a deadline is the verdict it is near; elsewhere so far off that waiting for it would be noticed."""
NEXT_S = 1.0
"""Within this the next table is over, from its call to its last log."""
SEEN_AT_ONCE_MS = 10_000
"""Far below every long deadline, far above what a match takes on the busiest machine."""


WITHOUT_WALLS = {
    *("silent", "exits_at_start", "bad_hello", "hangs", "exits_in_its_turn", "segfaults", "hangs_up"),
    *("garbage", "second_connection", "answers_twice", "illegal", "output_flood", "prints_on_the_wire"),
}
"""The wardens are the same with and without walls: one or two bots for each verdict are enough there."""

CASES = cases(BAD_BOTS)
RUNS = [
    *(pytest.param(bad, "plain", id=f"{bad.name}-plain") for bad in CASES if bad.name in WITHOUT_WALLS),
    *(pytest.param(bad, "bwrap", id=f"{bad.name}-bwrap", marks=pytest.mark.box) for bad in CASES),
]


@pytest.mark.process
@pytest.mark.parametrize(("bad", "backend"), RUNS)
def test_a_bad_bot_gets_its_verdict_and_the_honest_one_its_match(bad: Case, backend, tmp_path, monkeypatch):
    clock = SHORT if HURRY in bad.needs else RUSHED if EARLY in bad.needs else LONG
    # Where there is little time to start, an honest bot might be late, too: the house has nothing to start.
    opponent = Room.quick if clock is not RUSHED else Room.house

    with room(tmp_path, backend, monkeypatch) as here:  # which finds what is left of it
        (match,) = here.play(here.job(offender(here, bad), opponent(here), clock=clock)).matches
        assert soonest(here) < NEXT_S

    assert [(fault.seat, fault.kind) for fault in match.outcome.faults] == [(0, bad.kind)] * bool(bad.kind)
    assert [detail for detail in match.measurement.fault_details if bad.detail not in detail] == []
    assert match.outcome.places == (2.0, 1.0)
    assert opponent is Room.house or '"places":[2.0,1.0]' in match.measurement.logs[1]
    assert clock is not LONG or match.measurement.wall_ms < SEEN_AT_ONCE_MS


def soonest(here: Room) -> float:
    """Seconds that the next table takes; the best of a few, where the machine is busy."""
    took = []
    while len(took) < 5 and min(took, default=NEXT_S) >= NEXT_S:
        began = time.monotonic()
        (match,) = here.play(here.job(here.quick(), HOUSE)).matches
        took.append(time.monotonic() - began)
        assert match.outcome.faults == ()
    return min(took)


def offender(here: Room, bad: Case):
    program = bad.path.read_text("utf-8")
    transport = "stdio" if STDIO in bad.needs else "zmq"
    memory_mib = 64 if SMALL in bad.needs else 512
    return here.bot(
        bad.name, program, transport=transport, memory_mib=memory_mib, beside=[BAD_BOTS / "speak.py"]
    )


WITHOUT_CGROUPS = """
import sys, msgspec
from arena.games import GAMES
from arena.model import TableJob
from arena.table import play_table
from tests.toy import STICKS
GAMES[STICKS.name] = STICKS
jobs = msgspec.json.decode(sys.argv[1], type=list[TableJob])
sys.stdout.buffer.write(msgspec.json.encode([play_table(job) for job in jobs]))
"""


@pytest.mark.process
@pytest.mark.box
@pytest.mark.skipif(not watchdog.possible(), reason="this root may not look into boxes")
def test_without_control_groups_the_watchdog_gives_the_same_verdicts(tmp_path, monkeypatch):
    greedy = [bad for bad in CASES if bad.kind is FaultKind.MEMORY]

    with room(tmp_path, "bwrap", monkeypatch) as here:
        jobs = [here.job(offender(here, bad), HOUSE) for bad in greedy]
        played = subprocess.run(
            [sys.executable, "-c", WITHOUT_CGROUPS, msgspec.json.encode(jobs).decode()],
            cwd=BAD_BOTS.parents[1],
            env=os.environ | {cgroups.SWITCH: "no", "TMPDIR": str(here.sockets)},
            stdout=subprocess.PIPE,
            check=True,
        )

    results = msgspec.json.decode(played.stdout, type=list[TableResult])
    assert len(results) == len(greedy) >= 3
    for result in results:
        (match,) = result.matches
        assert [(fault.seat, fault.kind) for fault in match.outcome.faults] == [(0, FaultKind.MEMORY)]
        assert match.measurement.fault_details[0].endswith("MiB in its box, at most 64 MiB allowed")
        assert "memory: watchdog" in result.layers
