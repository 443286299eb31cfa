"""The walls from inside: what a hostile bot tries in a real box, and what it gets."""

import errno
import os
import signal
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

import boxes
import pytest

from arena.sandbox import BACKENDS, Limits, seccomp

ROOT = Path(__file__).parent.parent
pytestmark = [pytest.mark.process, pytest.mark.box]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "bot"


def tried(folder: Path, text: str, **changes: object) -> list[str]:
    """The lines that a Python bot says in a box, before it ends well."""
    prelude = (
        "import errno, os, sys\n"
        "def attempt(action, *arguments):\n"
        "    try:\n"
        "        action(*arguments)\n"
        "    except OSError as error:\n"
        "        return errno.errorcode[error.errno]\n"
        "    return 'allowed'\n"
    )
    ended = boxes.run(boxes.program(folder, prelude + text, **changes))
    assert ended.code == 0, ended.said
    return ended.said.splitlines()


def test_files_of_the_host_are_not_there(folder: Path, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("secret")
    folder.mkdir()
    (folder / "link").symlink_to("/etc/shadow")
    paths = [
        secret,
        tmp_path,
        ROOT / "pyproject.toml",
        "/etc/shadow",
        "/home",
        Path("~root/.profile").expanduser(),
        "/bot/link",
    ]

    said = tried(folder, f"for path in {[str(path) for path in paths]}: print(attempt(os.stat, path))\n")

    assert said == ["ENOENT"] * len(paths)


def test_what_an_administrator_installed_is_not_there(folder: Path) -> None:
    said = tried(
        folder, "print(*(sorted(os.listdir(p)) for p in ('/usr/local', '/usr/src') if os.path.isdir(p)))"
    )

    prefix = Path(sys.base_prefix)
    assert prefix.is_relative_to("/usr/local") or set(" ".join(said)) <= set("[] ")


def test_a_secret_in_our_environment_is_not_seen(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("API_KEY", "sesame")
    text = """
print(*sorted(part.split("=")[0] for part in open("/proc/self/environ").read().split("\\0")), flush=True)
sys.stdin.read()
"""
    with boxes.launched(boxes.program(folder, text, env={"PATH": "/usr/bin"}), "bwrap") as (boxed, reader):
        of_the_bot = boxes.line(reader).split()
        of_its_first = Path(f"/proc/{boxes.pid_of(boxed)}/environ").read_text().rstrip("\0").split("\0")

    assert of_the_bot == ["ARENA_ENDPOINT", "PATH", "PWD"]
    assert of_its_first == ["PATH=/usr/bin:/bin"]


def test_the_first_process_of_a_box_cannot_be_looked_into_or_limited(folder: Path) -> None:
    """It has the bot's uid and none of its limits: whoever can write into it is rid of them."""
    text = """
import resource
print(os.listdir("/proc/1"), attempt(os.open, "/proc/1/mem", os.O_RDWR), attempt(os.mkdir, "/proc/1/x"))
for pid in (1, os.getpid()):
    print(attempt(resource.prlimit, pid, resource.RLIMIT_CPU, (1, 1)))
print(attempt(resource.setrlimit, resource.RLIMIT_NOFILE, (32, 32)))
"""

    said = tried(folder, text)

    assert said == ["[] ENOENT EROFS", "EPERM", "EPERM", "allowed"]


def test_only_unix_sockets_can_be_made(folder: Path) -> None:
    text = """
import socket
made = {family: attempt(socket.socket, family, kind) for family in range(46) for kind in (1, 2, 3, 5)}
print({family for family, result in made.items() if result != "EAFNOSUPPORT"}, attempt(socket.socketpair, 2))
"""

    said = tried(folder, text)

    assert said == ["{1} EAFNOSUPPORT"]


def test_nothing_urgent_goes_over_unix_sockets(folder: Path) -> None:
    text = """
import socket
near, far = socket.socketpair()
print(attempt(near.send, b"x"), attempt(far.recv, 1), attempt(near.sendmsg, [b"x"]), attempt(far.recvmsg, 1))
out_of_band = socket.MSG_OOB | socket.MSG_DONTWAIT
print(attempt(near.send, b"x", out_of_band), attempt(far.recv, 1, out_of_band))
print(attempt(near.sendmsg, [b"x"], [], out_of_band), attempt(far.recvmsg, 1, 0, out_of_band))
"""

    said = tried(folder, text)

    assert said == ["allowed allowed allowed allowed", "EPERM EPERM", "EPERM EPERM"]


def test_sockets_of_the_host_cannot_be_reached(folder: Path) -> None:
    with (
        tempfile.TemporaryDirectory() as near,
        socket.socket(socket.AF_UNIX) as first,
        socket.socket(socket.AF_UNIX) as second,
    ):
        abstract, path = f"\0arena-test-{os.getpid()}", f"{near}/outside"
        for listener, address in ((first, abstract), (second, path)):
            listener.bind(address)
            listener.listen()
        text = f"""
import socket
for address in ({abstract!r}, {path!r}):
    print(attempt(socket.socket(socket.AF_UNIX).connect, address))
"""

        said = tried(folder, text)

    assert said == ["ECONNREFUSED", "ENOENT"]


def test_processes_of_the_host_can_be_neither_seen_nor_signalled(folder: Path) -> None:
    text = f"""
print(sorted(name for name in os.listdir("/proc") if name.isdigit()))
print(attempt(os.kill, {os.getpid()}, 0), attempt(os.kill, -1, 0), os.getppid())
os.kill(1, 9)
print(os.path.exists("/proc/1"))
"""

    said = tried(folder, text)

    assert said == ["['1', '2']", "ESRCH ESRCH 1", "True"]


def test_every_denied_call_is_refused(folder: Path) -> None:
    import pyseccomp

    native = {name: pyseccomp.resolve_syscall(pyseccomp.Arch.NATIVE, name) for name in seccomp.DENIED}
    numbers = {name: number for name, number in native.items() if number >= 0} | seccomp.DENIED_NUMBERS
    text = f"""
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
for name, number in {numbers}.items():
    result = libc.syscall(ctypes.c_long(number), *[ctypes.c_long(-1)] * 6)
    print(name, result, errno.errorcode[ctypes.get_errno()])
"""

    said = tried(folder, text)

    assert len(numbers) > 60
    assert said == [f"{name} -1 EPERM" for name in numbers]


def test_pages_of_a_shared_file_can_be_neither_dropped_nor_looked_for(folder: Path) -> None:
    text = """
import mmap
data = os.open("main.py", os.O_RDONLY)
page = mmap.mmap(data, 0, prot=mmap.PROT_READ)
print(attempt(os.posix_fadvise, data, 0, 0, os.POSIX_FADV_DONTNEED))
print(attempt(os.preadv, data, [bytearray(1)], 0, os.RWF_NOWAIT))
print(*[attempt(page.madvise, advice) for advice in (20, 21)])
"""

    assert tried(folder, text) == ["EPERM", "EPERM", "EPERM EPERM"]


def test_new_namespaces_are_refused_to_clone_too(folder: Path) -> None:
    import pyseccomp

    clone, clone3 = (pyseccomp.resolve_syscall(pyseccomp.Arch.NATIVE, name) for name in ("clone", "clone3"))
    text = f"""
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
for flag in {seccomp.NEW_NAMESPACE}:
    print(libc.syscall({clone}, ctypes.c_long(flag | 17), 0, 0, 0, 0), errno.errorcode[ctypes.get_errno()])
print(libc.syscall({clone3}, 0, 0), errno.errorcode[ctypes.get_errno()])
"""

    said = tried(folder, text)

    assert said == ["-1 EPERM"] * 7 + ["-1 ENOSYS"]


def test_calls_of_newer_kernels_and_of_x32_do_not_exist(folder: Path) -> None:
    text = """
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
for number in (*range(451, 480), 1000, 0x40000000 + 39, 0x40000000 + 520):
    assert libc.syscall(ctypes.c_long(number), *[ctypes.c_long(-1)] * 6) == -1, number
    assert ctypes.get_errno() == errno.ENOSYS, number
"""

    assert tried(folder, text) == []


@pytest.mark.skipif(os.uname().machine != "x86_64", reason="int 0x80 is a door of x86_64 alone")
def test_the_door_of_32_bit_programs_is_shut(folder: Path) -> None:
    text = """
import ctypes, mmap
page = mmap.mmap(-1, 4096, prot=7)
for number in (20, 310):  # getpid and unshare
    page.seek(0)
    page.write(b"\\xb8" + number.to_bytes(4, "little") + b"\\xcd\\x80\\xc3")
    print(ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(page)))())
"""

    assert tried(folder, text) == [str(-errno.ENOSYS)] * 2


def test_locks_leases_and_typing_on_a_terminal_are_refused(folder: Path) -> None:
    text = """
import ctypes, fcntl
libc = ctypes.CDLL(None, use_errno=True)
file = open("/usr/bin/env")
for command in (5, 6, 7, 36, 37, 38, 1024, 1026, 1031):
    print(attempt(fcntl.fcntl, file, command, bytes(32)), end=" ")
for request in (0x5412, 0x541C, 0x5423, 0x5412 | 1 << 32):
    libc.ioctl(0, ctypes.c_ulong(request), b"x")
    print(errno.errorcode[ctypes.get_errno()], end=" ")
print(attempt(open, "/dev/tty"))
"""

    assert tried(folder, text) == ["EPERM " * 13 + "ENXIO"]


def test_devices_are_the_harmless_ones_and_no_other_can_be_made(folder: Path) -> None:
    text = """
print(*sorted(os.listdir("/dev")))
for kind in (0o60600, 0o20600):
    print(attempt(os.mknod, "/tmp/device", kind, os.makedev(1, 1)))
"""

    said = tried(folder, text)

    devices = "core fd full null ptmx pts random shm stderr stdin stdout tty urandom zero"
    assert said == [devices, "EPERM", "EPERM"]


def test_terminals_of_which_a_machine_has_some_thousand_cannot_be_made(folder: Path) -> None:
    text = """
print(os.listdir("/dev/pts"), attempt(os.open, "/dev/ptmx", os.O_RDWR), attempt(os.openpty))
"""

    assert tried(folder, text) == ["[] ENOENT ENOENT"]


def test_a_bot_is_nobody_with_no_capability_and_cannot_get_one(folder: Path) -> None:
    text = """
status = dict(line.split(":\\t") for line in open("/proc/self/status").read().splitlines() if ":\\t" in line)
print(os.getuid(), os.getgid(), {status[name] for name in status if name.startswith("Cap")})
print(status["Seccomp"], status["NoNewPrivs"], os.uname().nodename)
print(attempt(os.setuid, 0), attempt(os.chroot, "/tmp"))
"""

    said = tried(folder, text)

    assert said == ["65534 65534 {'0000000000000000'}", "2 1 bot", "EINVAL EPERM"]


def test_everything_but_tmp_is_read_only(folder: Path) -> None:
    text = """
for folder in "/ /bot /dev /etc /opt /opt/arena /run /usr /usr/bin /usr/local /usr/src /var".split():
    if os.path.isdir(folder):
        result = attempt(os.mkdir, f"{folder}/probe")
        assert result == "EROFS", (folder, result)
for file in ("/etc/passwd", "/bot/main.py", "/usr/bin/env", "/proc/self/oom_score_adj"):
    assert attempt(open, file, "a") in ("EROFS", "EACCES"), file
print(attempt(os.mkdir, "/tmp/x"), attempt(os.mkdir, "/var/tmp/y"), attempt(os.mkdir, "/dev/shm/z"))
"""

    assert tried(folder, text) == ["allowed allowed allowed"]


FILL = """
def fill(path, step=2**16):
    done = 0
    try:
        with open(path, "wb", buffering=0) as file:
            while done < 2**26:
                done += file.write(bytes(step))
    except OSError as error:
        return done, errno.errorcode[error.errno]
    return done, "full"
"""


def test_the_disk_of_a_bot_is_small(folder: Path) -> None:
    text = FILL + 'print(fill("/tmp/a"), fill("/dev/shm/a"))\n'

    said = tried(folder, text, limits=Limits(cpu_s=20, tmp_mib=2))

    assert said == ["(2097152, 'ENOSPC') (65536, 'ENOSPC')"]


def test_one_file_is_as_large_as_allowed(folder: Path) -> None:
    said = tried(folder, FILL + 'print(fill("/tmp/a"))\n', limits=Limits(cpu_s=20, file_mib=1))

    assert said == ["(1048576, 'EFBIG')"]


def test_forks_and_threads_are_counted_together(folder: Path) -> None:
    text = """
import threading, time
children = 0
try:
    while children < 100:
        if os.fork() == 0:
            time.sleep(60)
        children += 1
except OSError as error:
    print(children, errno.errorcode[error.errno])
try:
    threading.Thread(target=print).start()
except RuntimeError as error:
    print(error)
"""

    said = tried(folder, text, limits=Limits(cpu_s=20, processes=12))

    assert said == ["10 EAGAIN", "can't start new thread"]


def test_memory_over_the_limit_is_refused(folder: Path) -> None:
    text = """
held = []
try:
    while len(held) < 300:
        held.append(bytearray(2**20))
except MemoryError:
    pass
print(30 < len(held) < 64)
"""

    assert tried(folder, text, limits=Limits(cpu_s=20, memory_mib=64)) == ["True"]


def test_nobody_takes_a_core_from_the_others(folder: Path) -> None:
    text = """
import resource
print(resource.getrlimit(resource.RLIMIT_RTPRIO), resource.getrlimit(13))
print(attempt(os.nice, -1), attempt(os.sched_setscheduler, 0, os.SCHED_FIFO, os.sched_param(1)))
"""

    assert tried(folder, text) == ["(0, 0) (0, 0)", "EPERM EPERM"]


def test_nobody_steps_back_to_where_a_busy_machine_lets_it_neither_run_nor_die(folder: Path) -> None:
    text = """
usual, idle = os.sched_param(0), os.SCHED_IDLE
for process in (0, 1, os.getpid()):
    asked = [(process, idle), (process, idle | os.SCHED_RESET_ON_FORK), (process, os.SCHED_OTHER)]
    print(*[attempt(os.sched_setscheduler, *how, usual) for how in asked], end=" ")
    print(attempt(os.setpriority, os.PRIO_PROCESS, process, 19))
print(os.path.exists("/proc/self/autogroup") and attempt(open, "/proc/self/autogroup", "w"))
"""

    said = tried(folder, text)

    assert said[:-1] == ["EPERM EPERM allowed EPERM"] * 3
    assert said[-1] in ("EROFS", "False")


def test_open_files_are_limited(folder: Path) -> None:
    text = """
held = []
try:
    while True:
        held.append(open("/dev/null"))
except OSError as error:
    last = max(file.fileno() for file in held)
print(last, errno.errorcode[error.errno] if "error" in dir() else "")
"""

    assert tried(folder, text, limits=Limits(cpu_s=20, files=20))[0].split()[0] == "19"


def test_a_bot_that_spins_is_ended_by_the_cpu_limit(folder: Path) -> None:
    ended = boxes.run(boxes.shell(folder, "while :; do :; done", limits=Limits(cpu_s=1)))

    assert ended == (-signal.SIGXCPU, "")


def test_a_crash_leaves_no_core_file(folder: Path) -> None:
    text = "ulimit -H -c; cd /tmp; bash -c 'kill -ABRT $$'; echo $? *"

    ended = boxes.run(boxes.shell(folder, text))

    assert ended.said.splitlines()[0] == "0"  # in blocks: the one byte allowed holds no core
    assert ended.said.splitlines()[-1] == "134 *"


DAEMONS = """
import os, signal, time
for number in range(8):
    if os.fork() == 0:
        os.setsid()
        for ignored in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
            signal.signal(ignored, signal.SIG_IGN)
        if os.fork() == 0:
            while True:
                time.sleep(60)
        os._exit(0)
print("up", flush=True)
"""


def test_what_a_bot_leaves_behind_ends_with_it(folder: Path) -> None:
    ended = boxes.run(boxes.program(folder, DAEMONS))  # reads until the last holder of stdout is gone

    assert ended == (0, "up\n")


def test_a_kill_takes_everything_within_a_second(folder: Path) -> None:
    with boxes.launched(boxes.program(folder, DAEMONS + "time.sleep(60)"), "bwrap") as (boxed, reader):
        assert boxes.line(reader) == "up"
        boxed.kill()

        assert boxes.gone(boxed, 1.0)
        assert boxes.everything(reader) == ""
        assert boxed.poll() == -signal.SIGKILL


def test_a_bot_without_descriptors_ends_with_its_own_code(folder: Path) -> None:
    assert boxes.run(boxes.shell(folder, "exec <&- >&- 2>&-; exit 7")) == (7, "")


def test_nothing_is_left_for_the_next_box(folder: Path) -> None:
    text = "ls -A /tmp /dev/shm; touch /tmp/note /dev/shm/note"

    first = boxes.run(boxes.shell(folder, text))
    second = boxes.run(boxes.shell(folder, text))

    assert (first, second) == ((0, "/dev/shm:\n\n/tmp:\n"),) * 2


def test_a_box_dies_with_its_launcher(folder: Path) -> None:
    reader, writer = os.pipe()
    text = f"""
import os, sys, time
sys.path[:0] = {[str(ROOT), str(ROOT / "tests")]!r}
from pathlib import Path
import boxes
from arena.sandbox import BACKENDS
box = boxes.shell(Path({str(folder)!r}), "setsid sleep 60 & echo up; wait")
boxed = BACKENDS["bwrap"].launch(box, stdin=0, stdout={writer}, stderr={writer})
time.sleep(60)
"""
    launcher = subprocess.Popen([sys.executable, "-c", text], stdin=subprocess.DEVNULL, pass_fds=[writer])
    os.close(writer)
    up = boxes.line(reader)
    launcher.kill()
    launcher.wait(boxes.WAIT_S)
    rest = boxes.everything(reader)
    os.close(reader)
    BACKENDS["bwrap"].tidy()  # as the next table does

    assert (up, rest) == ("up", "")
