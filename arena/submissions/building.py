"""Runs a build in a box of its own, and reads what is there afterwards under the rules for submissions.

    the submission, read-only --> box: a copy in /tmp, its build, a tar of all of it --> tree, in memory

The box can write nothing of the host, so a build can neither fill a disk nor leave anything behind. The tar
comes from it and is as little trusted as one that was handed in.
"""

import contextlib
import os
import select
import time
from collections.abc import Iterator
from pathlib import Path
from subprocess import DEVNULL

from arena import runtimes
from arena.model import ended
from arena.runtimes import Manifest
from arena.sandbox import BACKENDS, Box, Boxed
from arena.seats import folders
from arena.seats.headtail import HeadTail
from arena.submissions.importing import ARCHIVE_BYTES, read_tarred
from arena.submissions.tree import BadSubmission, Tree
from protocol.text import escaped_lines

BUILD_S = 120.0
"""For a whole build; the starters take a second or two."""
DRAIN_S = 0.5
"""For what is left in the pipes at its end: without walls a process that ran away may hold them for ever."""
LOG_LINES = 20
"""Of what a build said last, shown when it failed."""
LINE_CHARACTERS = 200
CHUNK = 1 << 16


class BuildFailed(Exception):  # noqa: N818 - reads as what happened
    """A build came to nothing, for which its author is to blame; the text says what was found."""

    def __init__(self, found: str, log: bytes = b"") -> None:
        """Keep the last lines that it said, escaped."""
        super().__init__(found)
        lines = log.splitlines()[-LOG_LINES:]
        self.log = "\n".join(escaped_lines(line, LINE_CHARACTERS) for line in lines)


def build(manifest: Manifest, folder: Path, *, sandbox: str) -> Tree:
    """Build what lies in a folder; gives all that its folder holds afterwards.

    Raises `BuildFailed`, and `SandboxError` where the machine lacks a tool or the walls do not stand.
    Called from the main thread, like every launch of a box.
    """
    with contextlib.ExitStack() as stack:
        scratch = None
        if sandbox == "plain":
            scratch = stack.enter_context(folders.of_build())
        box = runtimes.workshop(manifest, folder, scratch=scratch)
        data, log = _run(box, sandbox)
    try:
        tree = read_tarred(Path("what the build left"), data)
    except BadSubmission as error:
        raise BuildFailed(f"it left what is not allowed: {error}", log) from None
    needed = runtimes.leaves(manifest)
    if needed is not None and all(file.path != needed for file in tree.files):
        raise BuildFailed(f"it left no file {needed}, which is what would be started", log)
    return tree


def _run(box: Box, sandbox: str) -> tuple[bytes, bytes]:
    """Run a workshop to its end: what it handed over, and what was said."""
    with _pipe() as (data, handed), _pipe() as (words, said):
        try:
            boxed = BACKENDS[sandbox].launch(box, stdin=DEVNULL, stdout=handed, stderr=said)
        finally:
            os.close(handed)
            os.close(said)
        try:
            return _Listener(boxed, data, words).result()
        finally:
            boxed.close()


@contextlib.contextmanager
def _pipe() -> Iterator[tuple[int, int]]:
    """A pipe whose writing end is the caller's to close."""
    reader, writer = os.pipe2(os.O_CLOEXEC)
    try:
        yield reader, writer
    finally:
        os.close(reader)


class _Listener:
    """Takes what a workshop hands over and says, and ends one that takes too much of anything."""

    def __init__(self, boxed: Boxed, data: int, words: int) -> None:
        self._boxed, self._data, self._words = boxed, data, words
        self._archive = bytearray()
        self._log = HeadTail()

    def result(self) -> tuple[bytes, bytes]:
        """Wait for its end; raises `BuildFailed` unless all went well."""
        deadline = time.monotonic() + BUILD_S
        open_ends = {self._data, self._words, self._boxed.pidfd}
        while open_ends:
            left_s = deadline - time.monotonic()
            if left_s <= 0:
                raise self._failed(f"it was not done after {BUILD_S:.0f} s, which is all it may take")
            runs = self._boxed.pidfd in open_ends
            ready, _, _ = select.select(open_ends, [], [], min(left_s, self._pause_s() if runs else DRAIN_S))
            open_ends -= {end for end in ready if self._has_ended(end)}
            self._weigh()
            if not runs and not ready:
                break
        self._check_end()
        return bytes(self._archive), self._log.text()

    def _pause_s(self) -> float:
        """How long to wait for something to happen, before its memory is looked at."""
        watch_ms = self._boxed.watch_ms
        return BUILD_S if watch_ms is None else watch_ms / 1_000

    def _has_ended(self, end: int) -> bool:
        """Take what came; whether nothing more will."""
        if end == self._boxed.pidfd:
            return True
        piece = os.read(end, CHUNK)
        if end == self._words:
            self._log.add(piece)
        else:
            self._archive += piece
            if len(self._archive) > ARCHIVE_BYTES:
                raise self._failed(
                    f"it left more than {ARCHIVE_BYTES >> 20} MiB in its folder, the most that is allowed"
                )
        return not piece

    def _weigh(self) -> None:
        found = self._boxed.over_memory()
        if found is not None:
            raise self._failed(f"it took too much memory: {found}")

    def _check_end(self) -> None:
        code = self._boxed.poll()
        if code != 0:
            raise self._failed(ended(code))

    def _failed(self, found: str) -> BuildFailed:
        return BuildFailed(found, self._log.text())
