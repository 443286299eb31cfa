"""Folders of ours in the system's temporary folder, which tell whether their makers still run.

Each is locked by its maker. The kernel drops the lock when that ends, however it comes, and the next who
looks removes the folder. A lock says the same in every container that shares the temporary folder, which a
process number would not.
"""

import contextlib
import fcntl
import multiprocessing.util
import os
import secrets
import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

MOST = 60
"""Characters of the system's temporary folder: a socket's path has room for 107, the rest is ours."""
MOST_BEFORE_LISTENER = 74
"""The same where the rest is the standard library's: `/pymp-xxxxxxxx/listener-xxxxxxxx`."""
YOUNG_S = 1.0
"""Whoever made a folder has locked it by then."""
TABLE, CACHE, VISIT, BUILD = "table", "cache", "visit", "build"
"""Ends of their names."""
MARK = "arena"
"""File in the folder `pymp-*` of our fork servers: those of other programs are none of our business."""


def of_table() -> contextlib.AbstractContextManager[Path]:
    """Folder of a table's sockets."""
    return _held(TABLE)


def of_cache() -> contextlib.AbstractContextManager[Path]:
    """Folder of bots that came from elsewhere."""
    return _held(CACHE)


def of_visit() -> contextlib.AbstractContextManager[Path]:
    """Folder of programs that play without being entered."""
    return _held(VISIT)


def of_build() -> contextlib.AbstractContextManager[Path]:
    """Folder of a build without walls."""
    return _held(BUILD)


@contextlib.contextmanager
def _held(kind: str) -> Iterator[Path]:
    """Make a folder that bots of another uid may pass through but not list."""
    parent = tempfile.gettempdir()
    folder = Path(parent if len(parent) <= MOST else "/tmp", f"arena-{secrets.token_hex(6)}.{kind}")  # noqa: S108
    lock = -1
    try:
        folder.mkdir()
        lock = _locked(folder)
        folder.chmod(0o711)
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)  # a warden that outlived us may be doing the same
        if lock >= 0:
            os.close(lock)


def of_fork_servers() -> Path:
    """Folder in which the fork servers of this process listen, made where the path of a socket has room."""
    before = tempfile.tempdir
    if len(tempfile.gettempdir()) > MOST_BEFORE_LISTENER:
        tempfile.tempdir = "/tmp"  # noqa: S108
    try:
        return Path(multiprocessing.util.get_temp_dir())
    finally:
        tempfile.tempdir = before


def hold_fork_servers() -> None:
    """Hold the folder in which the fork servers of this process will listen, until it ends."""
    folder = of_fork_servers()
    if not (folder / MARK).exists():
        _locked(folder)
        (folder / MARK).touch()


def abandoned() -> Iterator[Path]:
    """Give the folders of makers that are gone."""
    for folder in _ours():
        with contextlib.suppress(OSError):  # gone meanwhile, or somebody else's
            if _abandoned(folder):
                yield folder


def sweep() -> None:
    """Remove them."""
    for folder in abandoned():
        shutil.rmtree(folder, ignore_errors=True)


def _ours() -> Iterator[Path]:
    for parent in {tempfile.gettempdir(), "/tmp"}:  # noqa: S108 - where those are that would have too long a path
        for kind in (TABLE, CACHE, VISIT, BUILD):
            yield from Path(parent).glob(f"arena-*.{kind}")
        for mark in Path(parent).glob(f"pymp-*/{MARK}"):
            yield mark.parent


def _locked(folder: Path) -> int:
    lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    fcntl.flock(lock, fcntl.LOCK_EX)
    return lock


def _abandoned(folder: Path) -> bool:
    """Whether it is ours, and nobody holds it."""
    lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        found = os.fstat(lock)
        if found.st_uid != os.geteuid() or time.time() - found.st_mtime < YOUNG_S:
            return False
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    finally:
        os.close(lock)
    return True
