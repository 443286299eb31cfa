"""Starts small programs as bots, for the tests of the sandbox."""

import contextlib
import os
import select
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from arena import runtimes
from arena.sandbox import BACKENDS, Box, Boxed, Limits

LIMITS = Limits(cpu_s=20)
WAIT_S = 30.0


class Ended(NamedTuple):
    code: int | None
    said: str


def program(folder: Path, text: str, **changes: Any) -> Box:
    """A walled Python bot with this text, whose box differs from the usual in the changes."""
    folder.mkdir(exist_ok=True)
    (folder / "main.py").write_text(text, "utf-8")
    manifest = runtimes.single_file_manifest("main.py")
    box = runtimes.box(manifest, folder, walled=True, limits=LIMITS, socket=None, seat=0)
    return msgspec.structs.replace(box, **changes)


def shell(folder: Path, text: str, **changes: Any) -> Box:
    """A bot of one line of shell, in any backend."""
    folder.mkdir(exist_ok=True)
    box = Box(("/bin/bash", "-c", text), {"PATH": "/usr/bin:/bin"}, str(folder), (), LIMITS, None, 0)
    return msgspec.structs.replace(box, **changes)


@contextlib.contextmanager
def launched(box: Box, backend: str) -> Iterator[tuple[Boxed, int]]:
    """The running box and the descriptor of what it says on stdout and stderr.

    Its stdin ends once it was launched: a bot that reads it first is not gone before that.
    """
    reader, writer = os.pipe()
    stdin, end = os.pipe()
    try:
        try:
            boxed = BACKENDS[backend].launch(box, stdin=stdin, stdout=writer, stderr=writer)
        finally:
            for descriptor in (writer, stdin, end):
                os.close(descriptor)
        try:
            yield boxed, reader
        finally:
            boxed.close()
    finally:
        os.close(reader)


def run(box: Box, backend: str = "bwrap") -> Ended:
    """Run a bot to its end and give its exit code and what it said."""
    with launched(box, backend) as (boxed, reader):
        said = everything(reader)
        gone(boxed)
        return Ended(boxed.poll(), said)


def everything(reader: int) -> str:
    """What is said until nobody is left who could say something."""
    data = b""
    while select.select([reader], [], [], WAIT_S)[0]:
        more = os.read(reader, 65_536)
        if not more:
            return data.decode("utf-8", "replace")
        data += more
    raise AssertionError(f"not ended after {WAIT_S} s; it said {data!r}")


def gone(boxed: Boxed, wait_s: float = WAIT_S) -> bool:
    return bool(select.select([boxed.pidfd], [], [], wait_s)[0])


def pid_of(boxed: Boxed) -> int:
    """The host's pid of what its pidfd stands for: pid 1 of a walled box."""
    described = Path(f"/proc/self/fdinfo/{boxed.pidfd}").read_text("ascii")
    return int(next(part.split()[1] for part in described.splitlines() if part.startswith("Pid:")))


def line(reader: int) -> str:
    """The next line that a bot says, read byte by byte: there may be more behind it."""
    data = b""
    while not data.endswith(b"\n"):
        assert select.select([reader], [], [], WAIT_S)[0], f"it said {data!r}"
        more = os.read(reader, 1)
        assert more, f"it ended after {data!r}"
        data += more
    return data.decode("utf-8").rstrip("\n")


def zombies() -> list[str]:
    """Names of our children, adopted ones too, that ended and were not waited for."""
    children = Path(f"/proc/self/task/{os.getpid()}/children").read_text("ascii").split()
    states = [Path(f"/proc/{child}/stat").read_text("ascii", "replace") for child in children]
    return [state for state in states if state.rpartition(")")[2].split()[0] == "Z"]


def descriptors() -> set[str]:
    """What this process holds open, but for the listing itself."""
    return {path.name for path in list(Path("/proc/self/fd").iterdir()) if path.is_symlink()}
