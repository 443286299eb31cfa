"""How busy this host is, by the kernel's own account."""

import os
from pathlib import Path

from arena.model import Load


def load() -> Load | None:
    """Read it; None where /proc does not tell."""
    try:
        average, _, _, ready, _ = Path("/proc/loadavg").read_text("ascii").split()
    except (OSError, ValueError):
        return None
    return Load(float(average), int(ready.partition("/")[0]), os.cpu_count() or 1, pressure())


def pressure() -> float | None:
    """Give the percent of the last ten seconds in which somebody waited for a core (PSI)."""
    try:
        words = Path("/proc/pressure/cpu").read_text("ascii").split()
    except OSError:
        return None  # an older kernel, or one that was told to do without
    return next((float(word.removeprefix("avg10=")) for word in words if word.startswith("avg10=")), None)
