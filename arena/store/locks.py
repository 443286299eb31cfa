"""Locks that end with the process that holds them, however it ends."""

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

PAUSE_S = 0.005

INSTANT_S = 0.05
"""Shortest wait that tells a holder from somebody who only asks for it, and has the lock for microseconds."""


class Held(Exception):  # noqa: N818 - reads as what it is
    """Somebody else has the lock; the text is what they wrote into it."""


@contextmanager
def locked(path: Path, *, wait_s: float) -> Iterator[None]:
    """Hold the lock on a file, which is made when it is missing; raises Held after the wait.

    The kernel drops the lock when its holder ends, so nothing is ever stale. The file itself stays:
    removing it would let two processes lock two files of the same name.
    """
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        deadline = time.monotonic() + wait_s
        while not _taken(handle):
            if time.monotonic() > deadline:
                raise Held(os.pread(handle, 32, 0).decode("ascii", "replace"))
            time.sleep(PAUSE_S)
        os.ftruncate(handle, 0)
        os.pwrite(handle, str(os.getpid()).encode(), 0)
        try:
            yield
        finally:
            os.ftruncate(handle, 0)
    finally:
        os.close(handle)


def holder(path: Path) -> int | None:
    """Process that holds the lock on a file; None when it is free or was never made.

    A holder that ended in order left nothing in the file. Only what a killed one wrote has to be tried, and
    then for no longer than the call takes.
    """
    try:
        handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    try:
        text = os.pread(handle, 32, 0)
        if not text:
            return None
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return int(text)
    finally:
        os.close(handle)
    return None


def _taken(handle: int) -> bool:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
