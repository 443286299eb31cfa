"""What dead runs left on this machine: found, told, and removed when asked. Never what a living run has.

Each kind says by itself whose it is: a group's name holds its maker, a folder is locked by its maker, and the
processes of a command have its name in their environment.
"""

import contextlib
import os
import shutil
import signal
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import msgspec

from arena.exchange.arriving import LOCK, PLACE
from arena.model import UserError
from arena.sandbox import Check, cgroups, orphans
from arena.seats import folders
from arena.store import Store
from arena.store.locks import INSTANT_S, Held, holder, locked
from arena.submissions.unclaimed import sweep, unclaimed

TURN = "submit.lock"
"""Held by who tries a submission."""
WORKPLACES = {"staging": TURN, PLACE: LOCK}
"""Folder of a workspace in which something is made ready -> the lock of who does."""
DYING_S = 0.2
"""What is gone after this was about to end by itself."""


class Kind(msgspec.Struct, frozen=True):
    """One kind of what may be left."""

    what: str
    find: Callable[[Path], Iterable[str]]
    """Names of what is there; the workspace is given."""
    remove: Callable[[str], None]


def check(workspace: Path, *, reap: bool) -> Check:
    """Look for all kinds; with `reap` remove what is found, so that it is not well only where that fails."""
    found = {kind.what: (kind, steady(kind, workspace)) for kind in KINDS}
    there = {what: names for what, (_, names) in found.items() if names}
    if not there:
        return Check("leftovers", ok=True, found="none")
    if not reap:
        return Check("leftovers", ok=False, found=listed(there), remedy="type: arena doctor --reap")
    for kind, names in found.values():
        for name in names:
            with contextlib.suppress(OSError, Held):  # whatever is still there is told below
                kind.remove(name)
    left = {kind.what: again for kind in KINDS if (again := steady(kind, workspace))}
    if left:
        return Check("leftovers", ok=False, found=f"could not be removed: {listed(left)}")
    return Check("leftovers", ok=True, found=f"removed {listed(there)}")


def listed(there: dict[str, list[str]]) -> str:
    """Name what was found, by kind."""
    return "; ".join(f"{what}: {', '.join(names)}" for what, names in there.items())


def steady(kind: Kind, workspace: Path) -> list[str]:
    """Names of what is there and stays."""
    first = set(kind.find(workspace))
    deadline = time.monotonic() + DYING_S
    while first and time.monotonic() < deadline:
        time.sleep(DYING_S / 10)
        first &= set(kind.find(workspace))
    return sorted(first)


def of_dead_runs(_workspace: Path) -> Iterator[str]:
    """Give the processes of commands that are gone, and those in groups whose makers are gone."""
    yield from map(str, orphans.of_dead_runs())
    for group in cgroups.stale():
        with contextlib.suppress(OSError):
            yield from (group / "cgroup.procs").read_text("ascii").split()


def unfinished(workspace: Path) -> Iterator[str]:
    """Give the folders of a submission and of an import that nobody is at any more."""
    for folder, lock in WORKPLACES.items():
        if (workspace / folder).exists() and holder(workspace / lock) is None:
            yield str(workspace / folder)


def clear(folder: str) -> None:
    """Remove it, in our turn."""
    path = Path(folder)
    with locked(path.with_name(WORKPLACES[path.name]), wait_s=INSTANT_S):
        shutil.rmtree(path)


def of_no_bot(workspace: Path) -> Iterator[str]:
    """Give the folders of versions that are in no database, unless somebody is just entering one."""
    with contextlib.suppress(UserError):
        if holder(workspace / TURN) is None:
            with Store.open(workspace, read_only=True) as store:
                yield from map(str, unclaimed(store))


def take_out(version: str) -> None:
    """Remove it and all others, in our turn."""
    workspace = Path(version).parents[1]
    with locked(workspace / TURN, wait_s=INSTANT_S), Store.open(workspace) as store:
        sweep(store)


def kill(pid: str) -> None:
    """End a process."""
    os.kill(int(pid), signal.SIGKILL)


KINDS = (
    Kind("half-built boxes", lambda _: map(str, orphans.orphans()), kill),
    Kind("processes of dead runs", of_dead_runs, kill),
    Kind("control groups", lambda _: map(str, cgroups.stale()), lambda group: cgroups.removed(Path(group))),
    Kind("temporary folders", lambda _: map(str, folders.abandoned()), shutil.rmtree),
    Kind("unfinished submissions and imports", unfinished, clear),
    Kind("files of deleted bots", of_no_bot, take_out),
)
"""In the order in which they are removed: a group goes when its processes are gone."""
