"""Every bad bot at a real table with an honest one: its verdict, and nobody else's trouble.

The first comment of a bot's file names the fault and a part of its detail; the others name what it needs.
"""

from itertools import takewhile
from pathlib import Path

import msgspec
import pytest

from arena.model import Clock, FaultKind
from tests.tables import BAD_BOTS, LONG, Room, room

STDIO, HURRY, EARLY = "over stdio", "on a short clock", "with little time to start"
NEEDS = {STDIO, HURRY, EARLY}
SHORT = Clock(move_ms=300, bank_ms=200, start_ms=20_000)
RUSHED = Clock(move_ms=10_000, bank_ms=10_000, start_ms=700)
"""Where a deadline is the verdict it is near; elsewhere so far off that waiting for it would be noticed."""
SEEN_AT_ONCE_MS = 10_000
"""Far below every long deadline, far above what a match takes on the busiest machine."""


class Case(msgspec.Struct, frozen=True):
    name: str
    kind: FaultKind | None
    detail: str
    needs: frozenset[str]


def case(path: Path) -> Case:
    lines = takewhile(lambda line: line.startswith("# "), path.read_text("utf-8").splitlines())
    verdict, *needs = (line[2:] for line in lines)
    kind, _, detail = verdict.partition(" ")
    assert set(needs) <= NEEDS
    return Case(path.stem, None if kind == "NONE" else FaultKind(kind), detail, frozenset(needs))


WITHOUT_WALLS = {
    *("silent", "exits_at_start", "bad_hello", "hangs", "exits_in_its_turn", "segfaults", "hangs_up"),
    *("garbage", "second_connection", "answers_twice", "illegal", "output_flood", "prints_on_the_wire"),
}
"""The wardens are the same with and without walls: one or two bots for each verdict are enough there."""

CASES = [case(path) for path in sorted(BAD_BOTS.glob("*.py")) if path.stem != "speak"]
RUNS = [
    *(pytest.param(bad, "plain", id=f"{bad.name}-plain") for bad in CASES if bad.name in WITHOUT_WALLS),
    *(pytest.param(bad, "bwrap", id=f"{bad.name}-bwrap", marks=pytest.mark.box) for bad in CASES),
]


@pytest.mark.process
@pytest.mark.parametrize(("bad", "backend"), RUNS)
def test_a_bad_bot_gets_its_verdict_and_the_honest_one_its_match(bad: Case, backend, tmp_path, monkeypatch):
    clock = SHORT if HURRY in bad.needs else RUSHED if EARLY in bad.needs else LONG
    # Where there is little time to start, an honest bot might be late, too: the house has nothing to start.
    opponent = Room.honest if clock is not RUSHED else Room.house

    with room(tmp_path, backend, monkeypatch) as here:
        (match,) = here.play(here.job(offender(here, bad), opponent(here), clock=clock)).matches

    assert [(fault.seat, fault.kind) for fault in match.outcome.faults] == [(0, bad.kind)] * bool(bad.kind)
    assert [detail for detail in match.measurement.fault_details if bad.detail not in detail] == []
    assert match.outcome.places == (2.0, 1.0)
    assert opponent is Room.house or "places [2.0, 1.0]" in match.measurement.logs[1]
    assert clock is not LONG or match.measurement.wall_ms < SEEN_AT_ONCE_MS


def offender(here: Room, bad: Case):
    program = (BAD_BOTS / f"{bad.name}.py").read_text("utf-8")
    transport = "stdio" if STDIO in bad.needs else "zmq"
    return here.bot(bad.name, program, transport=transport, beside=[BAD_BOTS / "speak.py"])
