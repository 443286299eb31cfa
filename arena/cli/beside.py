"""Things done side by side, each in a process of its own that has one thread."""

import multiprocessing
import os
from collections.abc import Callable, Mapping
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Generic, TypeVar

from arena.seats import folders
from arena.seats.remote import without_main

T = TypeVar("T")

PRELOAD = ("arena.cli.tools", "arena.seats.preload")
"""Imported once, by the fork server."""


class Beside(Generic[T]):
    """Works that go on while the caller does something else, until it asks what came of them."""

    def __init__(self, works: Mapping[str, Callable[[], T]], *, most: int | None = None) -> None:
        """Begin as many as may run at a time, in their order; without `most` one for each core."""
        folders.hold_fork_servers()
        self._context = multiprocessing.get_context("forkserver")
        self._context.set_forkserver_preload(list(PRELOAD))
        self._most = most or len(os.sched_getaffinity(0))
        self._waiting = list(works.items())[::-1]
        self._running: dict[Connection, tuple[str, BaseProcess]] = {}
        self._begin()

    def all(self) -> dict[str, T]:
        """What each gave, by name. Raises EOFError when a process ended by itself."""
        found: dict[str, T] = {}
        while self._running:
            for ended in wait(list(self._running)):
                assert isinstance(ended, Connection)
                name, process = self._running.pop(ended)
                with ended:
                    found[name] = ended.recv()
                process.join()
                process.close()
            self._begin()
        return found

    def _begin(self) -> None:
        while self._waiting and len(self._running) < self._most:
            name, work = self._waiting.pop()
            ours, theirs = self._context.Pipe(duplex=False)
            with theirs, without_main():
                process = self._context.Process(target=_do, args=(work, theirs), name=name)
                process.start()
            self._running[ours] = name, process


def _do(work: Callable[[], T], told: Connection) -> None:
    """Life of one process."""
    told.send(work())
