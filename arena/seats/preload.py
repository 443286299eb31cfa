"""Imported by the fork server alone: does once what every warden would otherwise do at its start."""

import contextlib

from arena.sandbox import BACKENDS, SandboxError
from arena.seats import warden

__all__ = ["warden"]

for _backend in BACKENDS.values():
    with contextlib.suppress(SandboxError):  # said where the backend is used, if it is
        _backend.prepare()
