"""A box stopped, and one that takes too much memory, tried out: what the doctor prints of both."""

import contextlib
import os
import select
import time
from collections.abc import Iterator

from arena.sandbox import cgroups, remedies
from arena.sandbox.base import Backend, Box, Boxed, Check
from arena.sandbox.trial import BROKEN, pipe

STOP_WAIT_S = 1.0
"""Within this a stopped box is to stand; it takes microseconds on an idle machine."""
LOOK_S = 0.02
MEMORY_WAIT_S = 5.0
"""Within this a box is to be found out that takes memory as fast as it can."""


def tried(backend: Backend, spender: Box) -> Iterator[Check]:
    """Stop a box that works, then let it take memory. Raises `SandboxError` when it cannot be put up."""
    with contextlib.ExitStack() as stack:
        stdin = pipe(stack)
        boxed = backend.launch(spender, stdin=stdin[0], stdout=2, stderr=2)
        stack.callback(boxed.close)
        yield rest(boxed)
        os.write(stdin[1], b"\n")
        yield memory(boxed, spender.limits.memory_mib)


def rest(boxed: Boxed) -> Check:
    """Stop a box that works, see what time it uses, and let it go on."""
    if not boxed.freeze():
        return Check("between turns", ok=True, found="cannot be stopped: bots run on while others think")
    deadline = time.monotonic() + STOP_WAIT_S
    while (used_ms := used(boxed)) and time.monotonic() < deadline:
        pass
    boxed.thaw()
    found = f"{used_ms:.1f} ms used in {LOOK_S * 1e3:.0f} ms, stopped by {cgroups.places()[cgroups.FREEZER]}"
    return Check("between turns", ok=used_ms == 0, found=found, remedy="" if used_ms == 0 else BROKEN)


def used(boxed: Boxed) -> float:
    """CPU time in ms that a bot uses within a moment."""
    before = boxed.cpu_ms() or 0.0
    select.select([boxed.pidfd], [], [], LOOK_S)
    return (boxed.cpu_ms() or before) - before


def memory(boxed: Boxed, allowed_mib: int) -> Check:
    """Wait until a box that takes memory is found out, as a warden does."""
    deadline = time.monotonic() + MEMORY_WAIT_S
    found, ended = None, False
    while found is None and not ended and time.monotonic() < deadline:
        ended = bool(select.select([boxed.pidfd], [], [], (boxed.watch_ms or 10.0) / 1_000)[0])
        found = boxed.over_memory()
    if found is None:
        return Check(
            "memory of a box", ok=False, found=f"took over {allowed_mib} MiB", remedy=no_guard(boxed)
        )
    place = cgroups.places().get(cgroups.MEMORY)
    return Check(
        "memory of a box",
        ok=True,
        found=f"by {place or 'the watchdog'}: {found}",
        remedy="" if place else remedies.for_groups(),
    )


def no_guard(boxed: Boxed) -> str:
    """Give what to do when nothing bounds the memory of a box."""
    return BROKEN if boxed.watch_ms else remedies.ORDINARY_USER
