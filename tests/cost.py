"""What one table costs the process that plays it, and the honest bot at it.

python -m tests.cost JOB    plays an `arena.model.TableJob`, prints a `Cost`
"""

import sys
import time
from pathlib import Path

import msgspec

from arena.games import GAMES
from arena.model import Answer, TableJob, TableResult
from arena.seats.remote import Remote
from arena.table import play_table
from tests.toy import STICKS

HONEST = 1
"""Seat of the bot whose time is taken."""


class Cost(msgspec.Struct, frozen=True):
    result: TableResult
    peak_mib: float
    """The most memory that the process had."""
    cpu_share: float
    """Its CPU time by the wall time of the table."""
    calm_ms: list[float]
    """The honest seat's decisions in matches in which nobody committed a fault."""
    attacked_ms: list[float]
    """The same in the others."""


def cost(job: TableJob) -> Cost:
    decisions: dict[int, list[float]] = {}
    ask = Remote.ask

    def noted(seat, match, question):
        answer = ask(seat, match, question)
        if question.seat == HONEST and isinstance(answer, Answer):
            decisions.setdefault(match, []).append(answer.wall_ms)
        return answer

    Remote.ask = noted
    spent_s, began = time.process_time(), time.monotonic()
    result = play_table(job)
    share = (time.process_time() - spent_s) / (time.monotonic() - began)
    by_attack: dict[bool, list[float]] = {True: [], False: []}
    for number, match in enumerate(result.matches, 1):
        attacked = any(not fault.forfeit for fault in match.outcome.faults)
        by_attack[attacked] += decisions[number]
    return Cost(result, peak_mib(), share, by_attack[False], by_attack[True])


def peak_mib() -> float:
    """Not what `getrusage` says: that is also the peak of whoever started us."""
    lines = Path("/proc/self/status").read_text("ascii", "replace").splitlines()
    return int(next(line for line in lines if line.startswith("VmHWM:")).split()[1]) / 1024


if __name__ == "__main__":
    GAMES[STICKS.name] = STICKS
    given = msgspec.json.decode(sys.argv[1], type=TableJob)
    sys.stdout.buffer.write(msgspec.json.encode(cost(given)))
