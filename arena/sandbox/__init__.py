"""The backends that start bots. One is added with a file here and a line in `BACKENDS`."""

from arena.sandbox.base import Backend, Bind, Box, Boxed, Check, Limits, SandboxError
from arena.sandbox.bwrap import BWRAP
from arena.sandbox.plain import PLAIN

BACKENDS: dict[str, Backend] = {"bwrap": BWRAP, "plain": PLAIN}

__all__ = ["BACKENDS", "Backend", "Bind", "Box", "Boxed", "Check", "Limits", "SandboxError"]
