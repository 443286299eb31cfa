"""Folders of sockets in the system's temporary folder, which tell whether their makers still run.

In each stands a file that its maker has locked. The kernel drops the lock when the maker ends, however that
comes, and the next who looks removes the folder. A lock says the same in every container that shares the
folder, which a process number would not.
"""

import contextlib
import fcntl
import multiprocessing.util
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

MOST = 60
"""Characters of the system's temporary folder: a socket's path has room for 107, the rest is ours."""
KINDS = ("arena-*", "pymp-*")
"""Those of tables, and those in which Python's fork servers listen."""
LOCK = "maker.lock"


@contextlib.contextmanager
def of_table() -> Iterator[Path]:
    """Folder of a table's sockets, which bots of another uid may pass through but not list."""
    parent = tempfile.gettempdir()
    folder = Path(tempfile.mkdtemp(prefix="arena-", dir=parent if len(parent) <= MOST else "/tmp"))  # noqa: S108
    handle = _hold(folder)
    try:
        folder.chmod(0o711)
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)  # a warden that outlived us may be doing the same
        os.close(handle)


def hold_fork_servers() -> None:
    """Hold the folder in which the fork servers of this process will listen, until it ends."""
    folder = Path(multiprocessing.util.get_temp_dir())
    if not (folder / LOCK).exists():
        _hold(folder)


def sweep() -> None:
    """Remove the folders of makers that are gone."""
    for parent in {tempfile.gettempdir(), "/tmp"}:  # noqa: S108 - where those go that would have too long a path
        for kind in KINDS:
            for folder in Path(parent).glob(kind):
                with contextlib.suppress(OSError):  # gone meanwhile, or somebody else's
                    if _abandoned(folder / LOCK):
                        shutil.rmtree(folder, ignore_errors=True)


def _hold(folder: Path) -> int:
    """Lock a file before it has its name: nobody finds it unlocked."""
    fresh = folder / f"{LOCK}.new"
    handle = os.open(fresh, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    fcntl.flock(handle, fcntl.LOCK_EX)
    fresh.rename(folder / LOCK)
    return handle


def _abandoned(lock: Path) -> bool:
    """Whether nobody holds it; it has to be a file of ours, since others may write into that folder, too."""
    handle = os.open(lock, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        if os.fstat(handle).st_uid != os.geteuid():
            return False
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    finally:
        os.close(handle)
    return True
