"""The walls tried by a canary that wants out: what the doctor prints."""

import contextlib
import json
import os
import select
import socket
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from arena.sandbox.base import Backend, Box, Check

ANSWER_WAIT_S = 20.0
DEATH_S = 1.0
"""Within this a killed box is to be gone, whatever its processes ignore."""
SECRET = "ARENA_DOCTOR_SECRET"  # noqa: S105 - the name of a variable
BROKEN = "the walls stand and do not hold: please report this, and let no untrusted bot play here"


def tried(backend: Backend, canary: Box, *, workspace: Path) -> tuple[Check, ...]:
    """Let the canary try every wall, then kill it. Raises `SandboxError` when the box cannot be put up."""
    with contextlib.ExitStack() as stack:
        wanted = bait(stack, canary, workspace)
        request, answer = pipe(stack), pipe(stack)
        boxed = backend.launch(canary, stdin=request[0], stdout=answer[1], stderr=2)
        stack.callback(boxed.close)
        os.write(request[1], json.dumps(wanted).encode() + b"\n")
        said = line(answer[0], time.monotonic() + ANSWER_WAIT_S)
        uid = uid_of(boxed.pidfd)
        began = time.monotonic()
        boxed.kill()
        gone = bool(select.select([boxed.pidfd], [], [], DEATH_S)[0])
        took_ms = (time.monotonic() - began) * 1_000
    death = Check("kill", gone, f"box of 6 processes gone after {took_ms:.0f} ms", "" if gone else BROKEN)
    outside = Check("uid", uid != 0, f"uid {uid} of the host", "" if uid != 0 else BROKEN)
    return (*found(said), outside, death)


def uid_of(pidfd: int) -> int:
    """Give the uid that a process has for the host."""
    described = Path(f"/proc/self/fdinfo/{pidfd}").read_text("ascii")
    pid = next(part.split()[1] for part in described.splitlines() if part.startswith("Pid:"))
    status = Path(f"/proc/{pid}/status").read_text("utf-8", "replace")
    return next(int(part.split()[1]) for part in status.splitlines() if part.startswith("Uid:"))


def found(said: bytes) -> Iterator[Check]:
    """Read the canary's report."""
    try:
        report: dict[str, tuple[bool, str]] = json.loads(said)
    except ValueError:
        yield Check("canary", ok=False, found=f"no report but {said[-200:]!r}", remedy=BROKEN)
        return
    for layer, (ok, text) in report.items():
        yield Check(layer, ok, text, "" if ok else BROKEN)


def bait(stack: contextlib.ExitStack, canary: Box, workspace: Path) -> dict[str, Any]:
    """Lay out what the canary is to look for, until the stack closes."""
    folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="arena-doctor-"))
    secret = os.urandom(16).hex()
    os.environ[SECRET] = secret
    stack.callback(os.environ.pop, SECRET)
    hidden = Path(folder, "secret")
    hidden.write_text(secret, "ascii")
    return {
        "secret": secret,
        "paths": [str(hidden), str(workspace.resolve()), *(str(path) for path in own_things(canary))],
        "port": listener(stack, socket.AF_INET, ("127.0.0.1", 0)).getsockname()[1],
        "abstract": listener(stack, socket.AF_UNIX, f"\0arena-doctor-{secret}").getsockname()[1:].decode(),
        "unix": listener(stack, socket.AF_UNIX, f"{folder}/listener").getsockname(),
        "pid": os.getpid(),
        "processes": canary.limits.processes,
        "memory_mib": canary.limits.memory_mib,
        "tmp_mib": canary.limits.tmp_mib,
    }


def own_things(canary: Box) -> list[Path]:
    """Give what lies in the home of whoever asks, but for the way to what the box needs."""
    needed = [Path(bind.host) for bind in canary.binds]
    with contextlib.suppress(OSError, RuntimeError):
        things = sorted(Path.home().iterdir())
        return [thing for thing in things if not any(need.is_relative_to(thing) for need in needed)]
    return []


def listener(stack: contextlib.ExitStack, family: int, address: object) -> socket.socket:
    """Open a socket of the host that would take a connection."""
    opened = stack.enter_context(socket.socket(family, socket.SOCK_STREAM))
    opened.bind(address)  # type: ignore[arg-type] # its form goes by the family
    opened.listen()
    return opened


def pipe(stack: contextlib.ExitStack) -> tuple[int, int]:
    """Open a pipe that the stack closes."""
    ends = os.pipe()
    for end in ends:
        stack.callback(os.close, end)
    return ends


def line(descriptor: int, deadline: float) -> bytes:
    """Read to the end of a line, of the stream, or of the time."""
    data = b""
    while not data.endswith(b"\n"):
        if not select.select([descriptor], [], [], max(0.0, deadline - time.monotonic()))[0]:
            break
        more = os.read(descriptor, 65_536)
        if not more:
            break
        data += more
    return data
