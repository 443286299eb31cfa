"""Boxes that were being put up when their launcher was killed.

Bubblewrap's outer process dies with the launcher, and pid 1 of the box with the outer process: but only
once pid 1 has asked the kernel for that. Killed some milliseconds earlier, the outer process leaves a pid 1
that waits for it for ever. No bot runs in it yet; it is only in the way.
"""

import contextlib
import os
import signal
from collections.abc import Iterator
from pathlib import Path

MARK = b"ARENA_ENDPOINT"
"""Stands in the arguments of every box of ours, and of no other."""
TOOL = "bwrap"


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
