"""Every attack on the wire, at a table that goes on without its attacker: what it costs everybody else.

An attacker plays fair in odd matches and attacks in even ones. So both are measured side by side, with the
same processes; one that attacks before its hello does so in three, and is out of the fourth.
"""

import os
import subprocess
import sys
from itertools import chain
from pathlib import Path
from statistics import median

import msgspec
import pytest

from arena.model import HOUSE, Clock
from tests.cases import EARLY, HURRY, Case, cases
from tests.cost import Cost
from tests.tables import BAD_BOTS, LONG, Room, room

ROOT = Path(__file__).parent.parent
ATTACKERS = cases(ROOT / "tests" / "attackers")
MOST_MIB = 50
"""Of the process that plays the table, all in all."""
MOST_CPU = 0.05
"""Of a core, for the same."""
SLOWER = 1.2
"""The honest bot's decisions under attack against the others."""
ROUNDS = 5
"""Of measuring: a machine that is busy with something else spoils one, and hardly five."""
SHORT = Clock(move_ms=400, bank_ms=100, start_ms=20_000)
RUSHED = Clock(move_ms=10_000, bank_ms=10_000, start_ms=2_000)
"""The honest bot keeps the time to start, too."""

THINKS = """
from protocol.client import run

def choose(decision):
    sum(range(400_000))
    return decision.legal[0]

run(choose)
"""


@pytest.mark.process
@pytest.mark.box
@pytest.mark.parametrize("attacker", ATTACKERS, ids=lambda case: case.name)
def test_an_attack_costs_its_author_the_match_and_nobody_else_anything(attacker: Case, tmp_path, monkeypatch):
    with room(tmp_path, "bwrap", monkeypatch) as here:
        job = table(here, attacker)
        rounds = [measured(here, job)]
        while not holds(rounds) and len(rounds) < ROUNDS:
            rounds.append(measured(here, job))

    for cost in rounds:
        assert_only_the_attacker_is_at_fault(attacker, cost)
        assert cost.peak_mib < MOST_MIB
    assert holds(rounds), [(each.cpu_share, slowdown([each])) for each in rounds]


def holds(rounds: list[Cost]) -> bool:
    """Whether the last round is within bounds, for the honest one at least with all of them together."""
    last = rounds[-1:]
    return last[0].cpu_share < MOST_CPU and min(slowdown(last), slowdown(rounds)) < SLOWER


def slowdown(rounds: list[Cost]) -> float:
    calm, attacked = (
        median(chain.from_iterable(times))
        for times in ((each.calm_ms for each in rounds), (each.attacked_ms for each in rounds))
    )
    return attacked / calm


def table(here: Room, attacker: Case):
    bad = here.bot("bad", attacker.path.read_text("utf-8"), beside=[BAD_BOTS / "speak.py"])
    honest = here.bot("honest", THINKS)
    clock = SHORT if HURRY in attacker.needs else RUSHED if EARLY in attacker.needs else LONG
    return here.job(bad, honest, HOUSE, boards=4, clock=clock, sticks=24)


def measured(here: Room, job) -> Cost:
    """The cost of a table in a worker of its own."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.cost", msgspec.json.encode(job).decode()],
        cwd=ROOT,
        env=os.environ | {"TMPDIR": str(here.sockets)},
        stdout=subprocess.PIPE,
        check=True,
    )
    return msgspec.json.decode(done.stdout, type=Cost)


def assert_only_the_attacker_is_at_fault(attacker: Case, cost: Cost) -> None:
    matches = cost.result.matches
    at_fault = [match for match in matches if match.outcome.faults]
    attacks = (1, 2, 3, 4) if EARLY in attacker.needs else (2, 4)
    assert [match.board for match in at_fault] == list(attacks)
    for match in at_fault:
        assert [(fault.seat, fault.kind) for fault in match.outcome.faults] == [(0, attacker.kind)]
        assert attacker.detail in match.measurement.fault_details[0]
        assert match.outcome.places == (3.0, 1.0, 2.0)
