"""The backends that start bots. One is added with a file here and a line in `BACKENDS`."""

import functools

from arena.sandbox.base import Backend, Bind, Box, Boxed, Check, Limits, SandboxError
from arena.sandbox.bwrap import BWRAP
from arena.sandbox.plain import PLAIN
from arena.sandbox.remedies import WITHOUT_WALLS

BACKENDS: dict[str, Backend] = {"bwrap": BWRAP, "plain": PLAIN}


@functools.cache
def require(name: str) -> None:
    """Raise `SandboxError` when this machine lacks what the backend needs; asked before bots are run.

    Also removes what killed launchers left here earlier.
    Takes some milliseconds the first time, nothing after it was found.
    """
    if name not in BACKENDS:
        raise SandboxError(f"unknown sandbox {name!a:.40}; known are {', '.join(BACKENDS)}")
    BACKENDS[name].tidy()
    for check in BACKENDS[name].check():
        if not check.ok:
            remedy = f"{check.remedy}; {WITHOUT_WALLS}" if check.remedy else WITHOUT_WALLS
            raise SandboxError(f"{check.layer}: {check.found}", remedy=remedy)


__all__ = ["BACKENDS", "Backend", "Bind", "Box", "Boxed", "Check", "Limits", "SandboxError", "require"]
