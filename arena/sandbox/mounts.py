"""Paths under folders that a seat's uid may not enter, made reachable for one launch.

Root's home is closed to everybody else, and often holds the interpreter, the environment or the workspace.
So the launcher steps into a mount namespace of its own, covers each closed folder with an empty tmpfs,
binds what the box needs at its old place in there, starts the box, and steps back. The host never sees
these mounts, and the namespace lives only as long as the box:

    host                      while launching
    ~root          0700       ~root          0755, tmpfs
    ~root/.ssh                ~root/py/3.11  the same folder, bound
    ~root/py/3.11             (nothing else)
"""

import contextlib
import ctypes
import functools
import os
import stat
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from arena.sandbox import remedies
from arena.sandbox.base import SandboxError

CLONE_NEWNS = 0x00020000
MS_NOSUID, MS_NODEV, MS_BIND, MS_REC, MS_PRIVATE = 2, 4, 4096, 16384, 1 << 18


@contextlib.contextmanager
def reachable(paths: Iterable[str], uid: int) -> Iterator[None]:
    """Within, children of this thread that run as `uid` can reach the paths: real ones, without links.

    Costs nothing where no folder is closed. Raises `SandboxError` where a path itself is closed, or
    where we may not mount.
    """
    paths = sorted(set(paths))
    for path in paths:
        check_open(path, uid)
    closed = closed_folders(paths, uid)
    with contextlib.ExitStack() as stack:
        if closed:
            uncover(stack, closed, uid)
        yield


def uncover(stack: contextlib.ExitStack, closed: Mapping[str, list[str]], uid: int) -> None:
    """Step into mounts in which the closed folders can be entered; the stack steps back."""
    try:
        stack.enter_context(own_mounts())
        for folder, sources in closed.items():
            cover(folder, sources)
    except PermissionError as error:
        raise SandboxError(
            f"bots run as uid {uid}, which may not enter {' or '.join(closed)}, and this root may not mount"
            f" ({error.strerror})",
            remedy=f"type: chmod o+x {' '.join(closed)}, or {remedies.ORDINARY_USER}",
        ) from None


def check_open(path: str, uid: int) -> None:
    """Raise when a path that is given to the box could not be read there."""
    try:
        found = Path(path).stat()
    except FileNotFoundError:
        raise SandboxError(f"the box needs {path}, which is not there") from None
    needed = 0o5 if stat.S_ISDIR(found.st_mode) else 0o4
    if bits(found, uid) & needed != needed and not stat.S_ISSOCK(found.st_mode):
        raise SandboxError(
            f"bots run as uid {uid}, which may not read {path} (mode {stat.S_IMODE(found.st_mode):o})",
            remedy=f"type: chmod -R o+rX {path}",
        )


def closed_folders(paths: Iterable[str], uid: int) -> dict[str, list[str]]:
    """Topmost folder on the way that `uid` may not enter -> the paths that lie under it."""
    closed: dict[str, list[str]] = {}
    for path in paths:
        for folder in reversed(Path(path).parents):
            if not bits(folder.stat(), uid) & 0o1:
                closed.setdefault(str(folder), []).append(path)
                break
    return closed


def bits(found: os.stat_result, uid: int) -> int:
    """Give the rwx bits that hold for a user in the one group of its own number. Looks at no ACL."""
    if found.st_uid == uid:
        return found.st_mode >> 6 & 0o7
    return (found.st_mode >> 3 if found.st_gid == uid else found.st_mode) & 0o7


@contextlib.contextmanager
def own_mounts() -> Iterator[None]:
    """Step into a private copy of all mounts, and back out of it, root and current folder included."""
    with contextlib.ExitStack() as stack:
        home, root, cwd = (
            opened(stack, path, flags)
            for path, flags in (("/proc/self/ns/mnt", os.O_RDONLY), ("/", os.O_PATH), (".", os.O_PATH))
        )
        call("unshare", CLONE_NEWNS)
        try:
            call("mount", b"none", b"/", None, MS_REC | MS_PRIVATE, None)
            yield
        finally:
            call("setns", home, CLONE_NEWNS)  # which moves us to the top of the namespace
            os.fchdir(root)
            os.chroot(".")
            os.fchdir(cwd)


def cover(folder: str, sources: list[str]) -> None:
    """Put a tmpfs over a folder and bind the sources, sorted and all below it, at their places in there."""
    mask = os.umask(0o022)
    try:
        with contextlib.ExitStack() as stack:
            held = {path: opened(stack, path, os.O_PATH) for path in sources}
            call("mount", b"tmpfs", folder.encode(), b"tmpfs", MS_NOSUID | MS_NODEV, b"mode=0755,size=1m")
            for path, descriptor in held.items():
                place(Path(path), directory=stat.S_ISDIR(os.fstat(descriptor).st_mode))
                source = f"/proc/self/fd/{descriptor}".encode()
                call("mount", source, path.encode(), None, MS_BIND | MS_REC, None)
    finally:
        os.umask(mask)


def place(path: Path, *, directory: bool) -> None:
    """Make the folder or empty file to mount on; one below an earlier source is there already."""
    if not path.exists():
        (path if directory else path.parent).mkdir(parents=True, exist_ok=True)
        if not directory:
            path.touch()


def opened(stack: contextlib.ExitStack, path: str, flags: int) -> int:
    """Open a descriptor that the stack closes."""
    descriptor = os.open(path, flags | os.O_CLOEXEC)
    stack.callback(os.close, descriptor)
    return descriptor


@functools.cache
def libc() -> ctypes.CDLL:
    """Give the C library; Python has unshare and setns from 3.12 on, and no mount."""
    library = ctypes.CDLL(None, use_errno=True)
    library.mount.argtypes = (*[ctypes.c_char_p] * 3, ctypes.c_ulong, ctypes.c_char_p)
    return library


def call(name: str, *arguments: int | bytes | None) -> None:
    """Call a function of the C library that gives 0, or raise its errno as OSError."""
    if getattr(libc(), name)(*arguments) != 0:
        code = ctypes.get_errno()
        raise OSError(code, f"{name}: {os.strerror(code)}")
