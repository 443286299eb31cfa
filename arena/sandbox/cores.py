"""One core for all processes of a table, another one for the next table.

A table is sequential: referee, warden and bot hand over to each other and never work at once, as long as bots
rest between their turns. On one core a hand-over is a switch; across two it wakes the other one up.
"""

import contextlib
import os
import socket
from collections.abc import Iterator

NAME = "\0card-arena core {}"
"""Abstract socket whose holder has taken that core: it is let go when the holder ends, however that is."""


@contextlib.contextmanager
def one_core() -> Iterator[bool]:
    """Within, this thread and all that it starts run on one core, by which it gives whether that is so.

    It is one that no other table of this machine has taken, while there is one.
    """
    before = os.sched_getaffinity(0)
    with contextlib.ExitStack() as stack:
        core = taken(stack, sorted(before))
        try:
            os.sched_setaffinity(0, {core})
            stack.callback(os.sched_setaffinity, 0, before)
        except OSError:  # forbidden in some containers
            yield False
        else:
            yield os.sched_getaffinity(0) == {core}


def taken(stack: contextlib.ExitStack, cores: list[int]) -> int:
    """Take a core until the stack closes; where all are taken, share one."""
    first = os.getpid() % len(cores)
    for core in cores[first:] + cores[:first]:
        held = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        try:
            held.bind(NAME.format(core))
        except OSError:
            held.close()
        else:
            stack.enter_context(held)
            return core
    return cores[first]
