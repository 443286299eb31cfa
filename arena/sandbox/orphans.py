"""What dead runs left of processes: boxes that were being put up when their launcher was killed, and others.

Bubblewrap's outer process dies with the launcher, and pid 1 of the box with the outer process: but only
once pid 1 has asked the kernel for that. Killed some milliseconds earlier, the outer process leaves a pid 1
that waits for it for ever. No bot runs in it yet; it is only in the way.

All other processes end with their makers, unless somebody has stopped them, or a bot without walls wants to
stay. A command names itself in the environment of what it starts, so that these can be found when it is gone.
"""

import contextlib
import os
import signal
from collections.abc import Iterator
from pathlib import Path

from arena.sandbox import cgroups

MARK = b"ARENA_ENDPOINT"
"""Stands in the arguments of every box of ours, and of no other."""
TOOL = "bwrap"
RUN = "ARENA_RUN"
"""Names a command, by pid and start time, in the environment of all its processes but walled bots."""
HELPERS = (b"multiprocessing.", b"arena.league.hands")
"""Stand in the arguments of fork servers, and so of workers and wardens; and of hands."""


def orphans() -> Iterator[int]:
    """Give the host's pids of boxes that have lost their outer process."""
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):  # gone meanwhile, or somebody else's
            if comm(process) == TOOL and first_of_box(process) and comm(parent(process)) != TOOL:
                yield int(process.name)


def reap() -> list[int]:
    """Kill them; gives their pids."""
    found = list(orphans())
    for pid in found:
        with contextlib.suppress(OSError):
            os.kill(pid, signal.SIGKILL)
    return found


def begin_run() -> None:
    """Name this process in the environment of what it starts from now on, unless another has done so."""
    if not cgroups.runs(os.environ.get(RUN, "0-")):
        os.environ[RUN] = cgroups.maker(os.getpid())


def of_dead_runs() -> Iterator[int]:
    """Give the pids of wardens, workers and bots without walls whose command is gone."""
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):  # gone meanwhile, or somebody else's
            run = run_of(process)
            if run is not None and not cgroups.runs(run):
                yield int(process.name)


def run_of(process: Path) -> str | None:
    """Give the name of the command that a process is of; None for what is no part of a table."""
    named = dict(
        part.split(b"=", 1) for part in (process / "environ").read_bytes().split(b"\0") if b"=" in part
    )
    words = (process / "cmdline").read_bytes()
    if RUN.encode() not in named or not (MARK in named or any(helper in words for helper in HELPERS)):
        return None
    return named[RUN.encode()].decode("ascii", "replace")


def comm(process: Path) -> str:
    """Give the name of a program, as the kernel keeps it."""
    return (process / "comm").read_text("utf-8", "replace").strip()


def first_of_box(process: Path) -> bool:
    """Whether it is pid 1 of a box of ours."""
    inside = fields(process)["NSpid"].split()
    return len(inside) > 1 and inside[-1] == "1" and MARK in (process / "cmdline").read_bytes()


def parent(process: Path) -> Path:
    """Give its parent's folder in /proc."""
    return process.with_name(fields(process)["PPid"].strip())


def fields(process: Path) -> dict[str, str]:
    """Give what the kernel tells of it, by name."""
    lines = (process / "status").read_text("utf-8", "replace").splitlines()
    return {name: value for name, _, value in (line.partition(":") for line in lines)}
