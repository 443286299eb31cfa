"""How exact the clocks of this host are: a bot takes 0.9 of a limit, and what the warden says is compared.

What a move took beyond what its bot meant to take is called noise here: the ways of question and answer,
and whatever else this host does meanwhile. A move of 0.9 of a limit is late when its noise is above a tenth.
"""

import contextlib
import math
import os
import time
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

import msgspec

from arena import runtimes
from arena.cli.beside import Beside
from arena.grid import counted, listing
from arena.model import Answer, Clock, Question
from arena.sandbox import BACKENDS, Box, Limits
from arena.sandbox.cores import one_core
from arena.sandbox.load import load
from arena.seats import folders
from arena.seats.remote import Remote
from protocol.messages import VERSION, Start, Welcome
from protocol.messages import Clock as Told

CANARY = Path(runtimes.__file__).parents[1] / "sandbox" / "canary"
USED = 0.9
"""Of its limit, what a move takes."""
TAKE_MS = 4.5
LIMITS_MS = (5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000)
START_S = 0.2
"""For each of the bots that are started at a time."""
ALLOWED = 0.001
"""Of moves that take 0.9 of their limit, how many may be late."""
SURE = 1.96
"""Standard errors within which 95 % of a normal distribution lie."""
QUANTILES = (0.5, 0.99, 0.999)


class Task(msgspec.Struct, frozen=True):
    """What one table is to measure."""

    sandbox: str
    take_ms: float
    asleep: bool
    """Whether the bot sleeps instead of working; then many tables share a core."""
    limit_ms: float
    seconds: float
    """All tables end at one moment, so that none is disturbed by the end of another; or with a fault."""
    begins: float = 0.0
    """By the monotonic clock: no bot answers while others are being started."""


class Taken(msgspec.Struct, frozen=True):
    """What one table measured."""

    noise_ms: tuple[float, ...]
    """Of each answer that was in time."""
    fault: str = ""
    """What ended it, when that was one."""


def measured(sandbox: str, seconds: float) -> str:
    """Measure for so long, one table for each core, and tell what was found."""
    cores = len(os.sched_getaffinity(0))
    # Nobody is sent away for being late: the limit has room for all that is to be measured.
    task = Task(sandbox, TAKE_MS, asleep=False, limit_ms=60_000, seconds=seconds)
    took = tables([task] * cores)
    return told([ms for table in took for ms in table.noise_ms], sandbox=sandbox, tables=cores)


def tables(tasks: Sequence[Task]) -> list[Taken]:
    """Do all tasks at a time, each at a table of its own."""
    begins = time.monotonic() + START_S * (1 + len(tasks))
    works = {
        str(number): partial(taken, msgspec.structs.replace(task, begins=begins + task.take_ms / 1e3 * part))
        for number, task in enumerate(tasks)
        for part in [number / len(tasks)]  # else all that sleep are woken at one moment
    }
    return list(Beside(works, most=len(works)).all().values())


def taken(task: Task) -> Taken:
    """Ask one bot behind its warden again and again, as a table does. For a process of its own."""
    noise: list[float] = []
    with seated(task) as seat:
        time.sleep(max(0.0, task.begins - time.monotonic()))
        until = time.monotonic() + task.seconds
        while time.monotonic() < until:
            reply = seat.ask(1, question(task, len(noise) + 2))
            if not isinstance(reply, Answer):
                return Taken(tuple(noise), f"{reply.kind}: {reply.detail}")
            noise.append(reply.wall_ms - task.take_ms)
        time.sleep(2 * task.take_ms / 1_000)  # the others are at their last answers
    return Taken(tuple(noise))


@contextlib.contextmanager
def seated(task: Task) -> Iterator[Remote]:
    """Seat the bot, as a table does."""
    backend, clock = BACKENDS[task.sandbox], Clock()
    manifest = runtimes.single_file_manifest("punctual.py")

    def box(path: str) -> Box:
        limits = Limits(cpu_s=10 + math.ceil(task.seconds))
        return runtimes.box(
            manifest, CANARY, walled=task.sandbox != "plain", limits=limits, socket=path, seat=0
        )

    with contextlib.ExitStack() as stack:
        if backend.freezes():
            stack.enter_context(one_core())
        seat = Remote(stack.enter_context(folders.of_table()), 0, box, backend=task.sandbox, clock=clock)
        stack.callback(seat.close)
        seat.call()
        fault = seat.ready(
            Welcome(VERSION, "none", {}, 2, Told(clock.move_ms, clock.bank_ms, clock.start_ms), 1)
        )
        assert fault is None, fault
        seat.start(Start(1, 0, 0, 1))
        first = msgspec.structs.replace(question(task, 1), limit_ms=clock.start_ms)
        assert isinstance(seat.ask(1, first), Answer)  # not counted: a program is slow at what it does first
        yield seat


def question(task: Task, turn: int) -> Question:
    """Ask for an answer that takes so long."""
    view = {"take_ms": task.take_ms, "asleep": task.asleep}
    return Question(0, turn, view, (), ("answer",), limit_ms=task.limit_ms, bank_ms=0.0)


# What it comes to


def late(noise_ms: Sequence[float], limit_ms: float) -> int:
    """How many moves of 0.9 of a limit would have been late."""
    return sum(ms > (1 - USED) * limit_ms for ms in noise_ms)


def at_most(found: int, of: int) -> float:
    """Upper end of Wilson's 95 % interval of a share."""
    if not of:
        return 1.0
    share, square = found / of, SURE * SURE
    centre = share + square / (2 * of)
    spread = SURE * math.sqrt(share * (1 - share) / of + square / (4 * of * of))
    return min(1.0, (centre + spread) / (1 + square / of))


def advised(noise_ms: Sequence[float]) -> int | None:
    """Shortest limit at which surely no more moves than allowed are late; None when none can be sure."""
    sure = (ms for ms in LIMITS_MS if at_most(late(noise_ms, ms), len(noise_ms)) <= ALLOWED)
    return next(sure, None)


def quantile(noise_ms: Sequence[float], share: float) -> float:
    """That one of them below which so many are."""
    return sorted(noise_ms)[min(len(noise_ms) - 1, int(share * len(noise_ms)))]


def told(noise_ms: Sequence[float], *, sandbox: str, tables: int) -> str:
    """All figures, and what to do about them."""
    if not noise_ms:
        return "no answer came in this time; give it more seconds"
    rows = [
        (ms, f"{late(noise_ms, ms) / len(noise_ms):.3%}", f"{at_most(late(noise_ms, ms), len(noise_ms)):.3%}")
        for ms in LIMITS_MS
    ]
    busy = load()
    often = ", ".join(f"{share:.1%} of them under {quantile(noise_ms, share):.2f} ms" for share in QUANTILES)
    head = (
        f"{counted(len(noise_ms), 'answer')} at {counted(tables, 'table')} side by side, sandbox {sandbox}; "
        f"load {'unknown' if busy is None else f'{busy.average:g} on {busy.cores} cores'}."
    )
    lines = [
        head,
        f"A move took longer than its bot meant: {often}, at worst {max(noise_ms):.2f} ms.",
        "",
        listing(("move_ms", "late at 0.9 of it", "at most (95 %)"), rows),
        "",
        advice(noise_ms),
    ]
    return "\n".join(lines)


def advice(noise_ms: Sequence[float]) -> str:
    """What to set."""
    limit = advised(noise_ms)
    if limit is None:
        return f"Too few answers, or too busy a host, to promise less than {ALLOWED:.1%} late."
    return f"With --move-ms {limit} or more, less than {ALLOWED:.1%} of moves of 0.9 of it are late here."
