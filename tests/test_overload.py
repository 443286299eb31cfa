"""Whose doing a late answer is, and what comes of it."""

import contextlib
import os
import subprocess
import sys
from collections.abc import Iterator

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena import table
from arena.model import (
    Board,
    Circumstances,
    Clock,
    Entrant,
    FaultKind,
    FaultRecord,
    Late,
    MatchRecord,
    Measurement,
    Outcome,
    TableJob,
    TableResult,
)
from arena.overload import SHARE, reason, starvations, starved
from arena.table import play_fairly
from tests.tables import Room, room

SPENT_OUT = Circumstances(wall_ms=1_001.0, limit_ms=1_000.0, cpu_ms=30.0, waited_ms=900.0)


def test_a_bot_that_stood_ready_and_had_no_core_was_starved() -> None:
    assert starved(SPENT_OUT)


@pytest.mark.parametrize(
    "otherwise",
    [
        {"waited_ms": 0.0},  # it slept, however busy the host was
        {"waited_ms": 499.0},
        {"cpu_ms": 500.0},  # it had its half, and needed more
        {"cpu_ms": None},
        {"waited_ms": None},  # nobody knows
        {"limit_ms": None},  # it was not late: it crashed, say
    ],
)
def test_otherwise_a_late_answer_is_the_bots_own(otherwise: dict[str, float | None]) -> None:
    assert not starved(msgspec.structs.replace(SPENT_OUT, **otherwise))


@given(
    limit_ms=st.floats(1, 1e6),
    used=st.floats(0, 1),
    others=st.floats(0, 1),
)
def test_who_keeps_itself_waiting_is_never_starved(limit_ms: float, used: float, others: float) -> None:
    """On a core, a thread waits for no longer than the others of its box work, when nobody else is there."""
    used_ms = used * limit_ms

    assert not starved(Circumstances(limit_ms=limit_ms, cpu_ms=used_ms, waited_ms=others * used_ms))


SLEEPS = """
import time
from protocol.client import run

run(lambda decision: time.sleep(60))
"""
WORKS = """
from protocol.client import run

def choose(decision):
    while True:
        pass

run(choose)
"""
SHORT = Clock(move_ms=150, bank_ms=0, start_ms=20_000)


@pytest.fixture(params=["plain", pytest.param("bwrap", marks=pytest.mark.box)])
def here(request, tmp_path, monkeypatch):
    with room(tmp_path, request.param, monkeypatch) as made:
        yield made


@pytest.mark.process
@pytest.mark.parametrize("program", [SLEEPS, WORKS])
def test_a_late_answer_is_kept_with_all_that_was_measured(here: Room, program: str) -> None:
    (match,) = here.play(here.job(here.bot("late", program), here.house(), clock=SHORT)).matches

    (fault,), (measured,) = match.outcome.faults, match.measurement.circumstances
    assert fault.kind is FaultKind.TIMEOUT
    assert measured.limit_ms == SHORT.move_ms <= measured.wall_ms
    assert measured.load.cores == os.cpu_count()
    assert measured.load.ready >= 1
    busy_ms = measured.cpu_ms + measured.waited_ms
    assert busy_ms > SHORT.move_ms / 2 if program == WORKS else busy_ms < SHORT.move_ms / 2


@contextlib.contextmanager
def on_a_busy_core() -> Iterator[None]:
    """Within, we run on a core on which four processes work without a pause, each in a session of its own."""
    before = os.sched_getaffinity(0)
    core = min(before)
    with contextlib.ExitStack() as stack:
        stack.callback(os.sched_setaffinity, 0, before)
        os.sched_setaffinity(0, {core})
        for _ in range(4):
            worker = subprocess.Popen([sys.executable, "-c", "while True: pass"], start_new_session=True)
            stack.enter_context(worker)
            stack.callback(worker.kill)
        yield


@pytest.mark.process
def test_a_bot_that_others_keep_from_the_core_is_starved(here: Room) -> None:
    job = here.job(here.bot("late", WORKS), here.house(), clock=SHORT)

    with on_a_busy_core():
        (match,) = here.play(job).matches

    (measured,) = match.measurement.circumstances
    assert measured.waited_ms >= SHARE * SHORT.move_ms
    assert starved(measured), measured


BOTS = (Entrant("ann", "a" * 64), Entrant("bea", "b" * 64))
JOB = TableJob("t1", "sticks", {}, BOTS, (Board(1, bytes(32)),), Clock(), "plain", "/nowhere")


def late_at_a_table(measured: Circumstances) -> TableResult:
    outcome = Outcome((1.0, 2.0), None, 0, (FaultRecord(1, FaultKind.TIMEOUT, 0),))
    cost = Measurement(1.0, (1.0, 1.0), (None, None), (1.0, 1.0), ("late",), circumstances=(measured,))
    return TableResult("t1", (MatchRecord(1, outcome, cost, b""),))


@pytest.mark.parametrize(
    ("measured", "times"), [(SPENT_OUT, 2), (msgspec.structs.replace(SPENT_OUT, waited_ms=0.0), 1)]
)
def test_a_void_table_is_played_once_more_and_then_counts(monkeypatch, measured, times) -> None:
    played = []

    def play(job: TableJob) -> TableResult:
        played.append(job)
        return late_at_a_table(measured)

    monkeypatch.setattr(table, "play_table", play)

    result = play_fairly(JOB)

    assert played == [JOB] * times
    assert result.matches == late_at_a_table(measured).matches
    assert result.void == ((Late(1, 1, measured),) if times == 2 else ())


def test_it_is_said_who_was_late_and_why_it_is_not_the_bots_doing() -> None:
    (late,) = starvations(late_at_a_table(SPENT_OUT))

    assert reason(late, BOTS) == (
        "on board 1 bea in seat 1 was late after 1000 ms, in which it stood ready for a core for 900 ms "
        "and had one for 30 ms"
    )
