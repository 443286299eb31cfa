"""A bot that tries to get out, and says what it managed. The doctor runs it; it knows the standard library.

Reads one JSON object from stdin (what to look for) and writes one line of JSON: layer -> [ok, found].
Then it starts a family that ignores signals and waits to be killed with it.
"""

import contextlib
import ctypes
import errno
import functools
import importlib
import json
import mmap
import os
import platform
import signal
import socket
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

MIB = 1024 * 1024
GETPID_I386 = b"\xb8\x14\x00\x00\x00\xcd\x80\xc3"
"""mov eax, 20; int 0x80; ret: getpid by the door of 32-bit programs."""

Finding = tuple[bool, str]
Wanted = dict[str, Any]


def attempt(action: Callable[[], object]) -> str:
    """Name of the error that stopped the action, or "allowed"."""
    try:
        action()
    except OSError as error:
        return errno.errorcode.get(error.errno or 0, str(error))
    return "allowed"


def all_stopped(attempts: dict[str, Callable[[], object]]) -> Finding:
    """Try every one; ok when none went through."""
    results = {name: attempt(action) for name, action in attempts.items()}
    open_ones = [name for name, result in results.items() if result == "allowed"]
    if open_ones:
        return False, f"open: {', '.join(open_ones)}"
    return True, f"{len(results)} ways tried, all shut"


def call(name: str, *arguments: int) -> Callable[[], None]:
    """A function of the C library that raises its errno."""
    function = getattr(ctypes.CDLL(None, use_errno=True), name)

    def run() -> None:
        if function(*arguments) == -1:
            raise OSError(ctypes.get_errno(), name)

    return run


def files(wanted: Wanted) -> Finding:
    """Look for what only the host has."""
    paths = [*wanted["paths"], "/etc/shadow", "/sys/kernel"]
    return all_stopped({path: functools.partial(os.stat, path) for path in paths})


def network(wanted: Wanted) -> Finding:
    """Reach for sockets of the host."""

    def reach(family: int, address: object) -> None:
        with socket.socket(family, socket.SOCK_STREAM) as probe:
            probe.settimeout(0.5)
            probe.connect(address)  # type: ignore[arg-type]

    port = int(wanted["port"])
    return all_stopped(
        {
            "IPv4": lambda: reach(socket.AF_INET, ("127.0.0.1", port)),
            "IPv6": lambda: reach(socket.AF_INET6, ("::1", port)),
            "abstract unix socket": lambda: reach(socket.AF_UNIX, "\0" + wanted["abstract"]),
            "unix socket": lambda: reach(socket.AF_UNIX, wanted["unix"]),
        }
    )


def processes(wanted: Wanted) -> Finding:
    """Look for processes of the host, and signal one."""
    seen = [name for name in os.listdir("/proc") if name.isdigit()]  # noqa: PTH208
    signalled = attempt(lambda: os.kill(int(wanted["pid"]), 0))
    return len(seen) <= 2 and signalled == "ESRCH", f"{len(seen)} seen, a signal to the host: {signalled}"


def environment(wanted: Wanted) -> Finding:
    """Look for a secret that stood in the environment of whoever started the arena."""
    texts = {"its own": repr(dict(os.environ))}
    for pid in ("1", "self"):
        with contextlib.suppress(OSError):
            texts[f"/proc/{pid}"] = Path(f"/proc/{pid}/environ").read_bytes().decode("utf-8", "replace")
    leaks = [name for name, text in texts.items() if wanted["secret"] in text]
    return (
        not leaks,
        f"secret found in {', '.join(leaks)}" if leaks else f"{len(os.environ)} variables, no secret",
    )


def seccomp(_: Wanted) -> Finding:
    """Make calls that the filter denies."""
    mode = dict(line.split(":\t", 1) for line in Path("/proc/self/status").read_text("ascii").splitlines())
    ok, found = all_stopped(
        {
            "unshare": call("unshare", 0x10000000),
            "ptrace": call("ptrace", 0, 0, 0, 0),
            "keyctl": call("syscall", 250 if platform.machine() == "x86_64" else 219, 0, -3, 0),
            "AF_VSOCK": lambda: socket.socket(40, socket.SOCK_STREAM).close(),
            "AF_NETLINK": lambda: socket.socket(16, socket.SOCK_RAW).close(),
            "a call of a newer kernel": call("syscall", 451),
            "int 0x80": other_door,
        }
    )
    return ok and mode["Seccomp"].strip() == "2", f"mode {mode['Seccomp'].strip()}; {found}"


def other_door() -> None:
    """Make a call as a 32-bit program does; raises what stopped it."""
    if platform.machine() != "x86_64":
        raise OSError(errno.ENOSYS, "no such door")
    with mmap.mmap(-1, mmap.PAGESIZE, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC) as page:
        page.write(GETPID_I386)
        start = ctypes.c_char.from_buffer(page)
        result = ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(start))()
        del start
    if result < 0:
        raise OSError(-result, "int 0x80")


def read_only(_: Wanted) -> Finding:
    """Write where a bot has nothing to write."""
    folders = ("/", "/bot", "/dev", "/etc", "/usr", "/usr/bin", "/run", "/proc")
    return all_stopped({folder: Path(folder, "probe").touch for folder in folders if Path(folder).is_dir()})


def disk(wanted: Wanted) -> Finding:
    """Fill /tmp and /dev/shm, and empty them again."""
    allowed, written = int(wanted["tmp_mib"]) * MIB, {}
    for folder in ("/tmp", "/dev/shm"):  # noqa: S108 - the box's own
        files = [Path(folder, f"fill{number}") for number in range(4)]
        written[folder] = sum(fill(file, allowed) for file in files)
        for file in files:
            file.unlink()
    return sum(written.values()) <= 2 * allowed, ", ".join(
        f"{folder} took {size / MIB:.1f} MiB" for folder, size in written.items()
    )


def fill(path: Path, most: int) -> int:
    """Write to a file until it is stopped; gives how many bytes it took."""
    done = 0
    with path.open("wb", buffering=0) as file, contextlib.suppress(OSError):
        while done < most:
            done += file.write(bytes(MIB))
    return done


def forks(wanted: Wanted) -> Finding:
    """Fork until it is stopped."""
    allowed = int(wanted["processes"])
    children: list[int] = []
    try:
        while len(children) < 2 * allowed:
            pid = os.fork()
            if pid == 0:
                time.sleep(60)
                os._exit(0)
            children.append(pid)
    except OSError:
        pass
    for pid in children:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
    return len(children) < allowed, f"stopped after {len(children)} forks, limit {allowed}"


def memory(wanted: Wanted) -> Finding:
    """Take more memory than allowed, without touching it."""
    try:
        bytearray(int(wanted["memory_mib"]) * MIB)
    except MemoryError:
        return True, f"stopped below {wanted['memory_mib']} MiB a process"
    return False, f"took {wanted['memory_mib']} MiB"


def capabilities(_: Wanted) -> Finding:
    """See who it is, and what it may."""
    status = Path("/proc/self/status").read_text("ascii")
    none = all(int(line.split()[1], 16) == 0 for line in status.splitlines() if line.startswith("Cap"))
    return os.getuid() != 0 and none, "no capabilities" if none else "capabilities left"


def libraries(_: Wanted) -> Finding:
    """Import what the arena gives to Python bots."""
    os.environ.pop("ARENA_ENDPOINT")  # at "stdio:" the SDK would take stdout for itself
    try:
        zmq = importlib.import_module("zmq")
        importlib.import_module("protocol.client")
        importlib.import_module("arena.games")
    except ImportError as error:
        return False, str(error)
    return True, f"Python {platform.python_version()}, libzmq {zmq.zmq_version()}"


LAYERS: dict[str, Callable[[Wanted], Finding]] = {
    "files": files,
    "network": network,
    "processes": processes,
    "environment": environment,
    "capabilities": capabilities,
    "system calls": seccomp,
    "read-only": read_only,
    "disk": disk,
    "forks": forks,
    "memory": memory,
    "Python libraries": libraries,
}


def leave_family() -> None:
    """Start processes that leave the session and ignore what can be ignored."""
    for _ in range(5):
        if os.fork() == 0:
            os.setsid()
            for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
                signal.signal(number, signal.SIG_IGN)
            while True:
                time.sleep(60)


def main() -> None:
    """Try every layer, report, and wait for the end."""
    wanted = json.loads(sys.stdin.readline())
    report = {name: probe(wanted) for name, probe in LAYERS.items()}
    leave_family()
    sys.stdout.write(json.dumps(report) + "\n")
    sys.stdout.flush()
    time.sleep(60)


if __name__ == "__main__":
    main()
