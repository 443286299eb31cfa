"""What a box may use as a whole: its memory, its stop, and the control groups that it leaves: none."""

import contextlib
import os
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

import boxes
import pytest

from arena.sandbox import BACKENDS, Boxed, Limits, bwrap, cgroups, memory, mounts, watchdog
from tests.tables import wait_until

ROOT = Path(__file__).parent.parent
SMALL = Limits(cpu_s=20, memory_mib=64)
pytestmark = pytest.mark.process
needs_freezer = pytest.mark.skipif(
    cgroups.FREEZER not in cgroups.places(), reason="no control group of version 2 can be written"
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "bot"


@pytest.fixture(params=["cgroup", "watchdog"])
def layer(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Whoever bounds the memory of boxes that this process launches."""
    if request.param == "cgroup" and cgroups.MEMORY not in cgroups.places():
        pytest.skip("no control group for memory can be written")
    if request.param == "watchdog":
        if not watchdog.possible():
            pytest.skip("this root may not look into boxes")
        monkeypatch.setattr(cgroups, "places", dict)
    return str(request.param)


SHARED = """
import mmap
held = []
while True:
    held.append(mmap.mmap(-1, 1 << 20))
    held[-1].write(bytes(1 << 20))
"""
HIDDEN = (
    """
import ctypes
assert ctypes.CDLL(None).prctl(4, 0, 0, 0, 0) == 0  # not to be looked into, as setuid programs
"""
    + SHARED
)
TABLES = """
import mmap
view = mmap.mmap(-1, 1 << 38, flags=mmap.MAP_PRIVATE | 0x4000, prot=mmap.PROT_READ)  # MAP_NORESERVE
for place in range(0, 1 << 38, 1 << 21):
    view[place]  # no page of its own, and 4 KiB of the kernel's to say so
"""
CHILDREN = """
import os
for _ in range(8):
    if os.fork() == 0:
        held = bytearray(15 << 20)
        held[::4096] = b"x" * len(held[::4096])
        break
while True:
    pass
"""
NAMES = """
for number in range(10_000_000):
    open(f"/tmp/{number}", "w").close()
"""
FILES_TOO = """
import os
with open("/tmp/fill", "wb", buffering=0) as file:
    try:
        while True:
            file.write(bytes(1 << 20))
    except OSError:
        pass
os.fork()
held = bytearray(26 << 20)
held[::4096] = b"x" * len(held[::4096])
while True:
    pass
"""


@pytest.mark.box
@pytest.mark.parametrize(
    "text",
    [SHARED, HIDDEN, TABLES, CHILDREN, NAMES, FILES_TOO],
    ids=["shared", "hidden", "page tables", "children", "names", "files too"],
)
def test_a_box_that_takes_too_much_memory_is_found_out(folder: Path, layer: str, text: str) -> None:
    with boxes.launched(boxes.program(folder, text, limits=SMALL), "bwrap") as (boxed, _):
        found = guarded(boxed)
        boxed.kill()

        assert boxes.gone(boxed)

    assert found is not None
    assert found.startswith("found ")
    assert found.endswith(" at most 64 MiB allowed")
    assert layer == "watchdog" or "found 64 MiB in its box and more asked for" in found


def guarded(boxed: Boxed) -> str | None:
    """What is found while a box runs, by asking as often as it wants to be asked, and at its end."""
    deadline = time.monotonic() + boxes.WAIT_S
    while time.monotonic() < deadline:
        ended = boxes.gone(boxed, (boxed.watch_ms or 10) / 1_000)
        found = boxed.over_memory()
        if found is not None or ended:
            return found
    return None


@pytest.mark.box
def test_what_processes_share_is_counted_once(folder: Path, layer: str) -> None:
    text = """
import os
held = bytearray(30 << 20)
held[::4096] = b"x" * len(held[::4096])
for _ in range(4):
    if os.fork() == 0:
        break
else:
    print("up", flush=True)
sum(held[::4096])
while True:
    pass
"""
    with boxes.launched(boxes.program(folder, text, limits=SMALL), "bwrap") as (boxed, reader):
        assert boxes.line(reader) == "up"
        wait_until(lambda: (boxed.cpu_ms() or 0) > 100)

        assert boxed.over_memory() is None
        assert not boxes.gone(boxed, 0)


@pytest.mark.box
def test_the_memory_of_an_ended_box_is_nobodys(folder: Path, layer: str) -> None:
    with boxes.launched(boxes.shell(folder, "exit 0"), "bwrap") as (boxed, _):
        assert boxes.gone(boxed)

        assert boxed.over_memory() is None
    assert boxed.over_memory() is None


# The stop


def used_ms(boxed: Boxed, wall_s: float) -> float:
    """CPU time that a bot uses in the next moments."""
    before = boxed.cpu_ms()
    select.select([boxed.pidfd], [], [], wall_s)
    after = boxed.cpu_ms()
    assert before is not None
    assert after is not None
    return after - before


@pytest.mark.box
@needs_freezer
def test_a_stopped_box_uses_no_cpu_until_it_goes_on(folder: Path) -> None:
    with boxes.launched(boxes.shell(folder, "while :; do :; done"), "bwrap") as (boxed, _):
        wait_until(lambda: used_ms(boxed, 0.01) > 1)

        assert boxed.freeze()
        wait_until(lambda: used_ms(boxed, 0.02) == 0)  # it stands when the kernel gets to it
        assert used_ms(boxed, 0.1) == 0
        boxed.thaw()
        wait_until(lambda: used_ms(boxed, 0.01) > 1)


@pytest.mark.box
@needs_freezer
def test_a_stopped_box_can_be_killed(folder: Path) -> None:
    with boxes.launched(boxes.shell(folder, "sleep 60"), "bwrap") as (boxed, _):
        assert boxed.freeze()
        boxed.kill()

        assert boxes.gone(boxed)
    assert boxed.poll() == -signal.SIGKILL
    assert not boxed.freeze()


def test_a_bot_without_walls_is_never_stopped(folder: Path) -> None:
    with boxes.launched(boxes.shell(folder, "read"), "plain") as (boxed, _):
        assert not boxed.freeze()
        boxed.thaw()

        assert boxes.gone(boxed)
    assert not BACKENDS["plain"].freezes()


# What is left


def groups_of(pid: int) -> list[Path]:
    """Control groups that a process has made."""
    folders = {Path(place.folder) for place in cgroups.places().values()}
    return [group for folder in folders for group in folder.glob(f"{cgroups.PREFIX}{pid}-*")]


@pytest.mark.box
def test_a_box_takes_its_control_groups_along(folder: Path) -> None:
    with boxes.launched(boxes.shell(folder, "sleep 60"), "bwrap"):
        during = len(groups_of(os.getpid()))

    assert during == len({place.folder for place in cgroups.places().values()})
    assert groups_of(os.getpid()) == []


LAUNCHER = """
import sys
from pathlib import Path
sys.path[:0] = {path!r}
import boxes
with boxes.launched(boxes.shell(Path({folder!r}), "echo up; exec sleep 60"), "bwrap") as (boxed, reader):
    boxed.freeze()
    print("up", flush=True)
    boxes.gone(boxed)
"""


@pytest.mark.box
@pytest.mark.skipif(not cgroups.places(), reason="no control group can be written")
def test_the_groups_of_a_killed_launcher_are_swept_and_no_others(folder: Path) -> None:
    text = LAUNCHER.format(path=[str(ROOT), str(ROOT / "tests")], folder=str(folder))
    with (
        boxes.launched(boxes.shell(folder, "sleep 60"), "bwrap"),
        subprocess.Popen([sys.executable, "-c", text], stdout=subprocess.PIPE) as launcher,
    ):
        assert launcher.stdout is not None
        assert launcher.stdout.readline() == b"up\n"
        kept, left = groups_of(os.getpid()), groups_of(launcher.pid)
        launcher.kill()
        launcher.wait()

        BACKENDS["bwrap"].tidy()

        assert left != []
        assert groups_of(launcher.pid) == []
        assert groups_of(os.getpid()) == kept != []


def state_of(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/stat").read_text("ascii", "replace").rpartition(")")[2].split()[0]
    except OSError:
        return "X"


@pytest.mark.box
def test_a_box_that_lost_its_outer_process_is_reaped_and_no_other(folder: Path) -> None:
    held, hold = os.pipe()
    with (
        boxes.launched(boxes.shell(folder, "sleep 60"), "bwrap") as (living, _),
        subprocess.Popen(
            (
                *(bwrap.tool(), "--unshare-user", "--unshare-pid", "--ro-bind", "/", "/"),
                *("--setenv", "ARENA_ENDPOINT", "none", "--block-fd", str(held), "--", "/bin/true"),
            ),
            pass_fds=[held],
        ) as outer,
    ):
        children = Path(f"/proc/{outer.pid}/task/{outer.pid}/children")
        wait_until(lambda: children.read_text() != "")
        lost = int(children.read_text())
        outer.kill()
        outer.wait()

        BACKENDS["bwrap"].tidy()

        wait_until(lambda: state_of(lost) in "ZX")
        assert not boxes.gone(living, 0)
    for descriptor in (held, hold):
        os.close(descriptor)


def test_a_group_is_known_by_its_maker_and_not_by_a_number_alone() -> None:
    mine = f"card-arena-{os.getpid()}-{cgroups.started(os.getpid())}.1"

    assert cgroups.has_maker(mine)
    assert not cgroups.has_maker(f"card-arena-{os.getpid()}-1.1")
    assert cgroups.has_maker("card-arena-of-somebody-else")


# Which layers there are


def test_control_groups_can_be_switched_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ARENA_CGROUPS", "no")

    assert cgroups.places.__wrapped__() == {}


def test_the_layers_name_what_bounds_and_stops_a_box(layer: str) -> None:
    layers = bwrap.BWRAP.layers()

    named = [name for name in layers if name.startswith(("memory:", "processes:", "freezer:"))]
    if layer == "watchdog":
        assert named == ["memory: watchdog"]
    else:
        assert named[0] == f"memory: cgroup v{cgroups.places()['memory'].version}"
    assert bwrap.BWRAP.freezes() == any(name.startswith("freezer:") for name in layers)


def test_version_1_tells_its_own_bound_from_a_machine_that_is_full(tmp_path: Path) -> None:
    """On plain files. A box that was swapped out in part meets the bound of both together."""
    for name in ("memory.limit_in_bytes", "memory.memsw.limit_in_bytes"):
        (tmp_path / name).touch()

    bounded = memory.version1(tmp_path, 64)
    verdicts = []
    for resident, swapped_too, kills in ((64, 64, 1), (40, 64, 1), (40, 40, 1), (64, 64, 0)):
        for name, peak in zip(memory.PEAKS, (resident, swapped_too), strict=True):
            (tmp_path / name).write_text(str(peak << 20))
        (tmp_path / "memory.oom_control").write_text(f"under_oom 0\noom_kill {kills}\n")
        verdicts.append((bounded.over() is not None, bounded.robbed()))

    assert verdicts == [(True, False), (True, False), (False, True), (False, False)]


def test_version_2_bounds_memory_without_swap_and_ends_the_whole_box(tmp_path: Path) -> None:
    """On plain files: the kernel of a machine has the controller in one version only."""
    for name in ("memory.max", "memory.oom.group", "memory.swap.max"):
        (tmp_path / name).touch()
    events = tmp_path / "memory.events"

    bounded = memory.version2(tmp_path, 64)
    verdicts = []
    for oom, kills in ((0, 0), (3, 0), (3, 1), (0, 1)):
        events.write_text(f"low 0\nhigh 0\nmax 9\noom {oom}\noom_kill {kills}\noom_group_kill 0\n")
        verdicts.append((bounded.over() is not None, bounded.robbed()))

    written = [
        (tmp_path / name).read_text() for name in ("memory.max", "memory.oom.group", "memory.swap.max")
    ]
    assert written == [str(64 << 20), "1", "0"]
    assert verdicts == [(False, False), (False, False), (True, False), (False, True)]
    assert bounded.watch_ms is None


GIVEN = """
import subprocess, sys
sys.path[:0] = {path!r}
from pathlib import Path
import boxes
from arena.sandbox import cgroups
places = cgroups.places()
print(places["freezer"].version, places["freezer"].folder, sorted(places) == ["freezer"], flush=True)
child = "import sys; sys.path[:0] = {path!r}; from arena.sandbox import cgroups"
child += "; print(cgroups.places()['freezer'].folder)"
subprocess.run([sys.executable, "-c", child], check=True)
with boxes.launched(boxes.shell(Path({folder!r}), "while :; do :; done"), "bwrap") as (boxed, _):
    print(boxed.freeze())
"""


@pytest.mark.box
@needs_freezer
@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a group away")
def test_an_ordinary_user_uses_the_group_that_was_given_to_it(tmp_path: Path) -> None:
    uid, home = 65_533, tmp_path / "home"
    home.mkdir()
    os.chown(home, uid, uid)
    paths = {sys.base_prefix, sys.prefix, str(ROOT), str(home)}
    text = GIVEN.format(path=[str(ROOT), str(ROOT / "tests")], folder=str(home / "bot"))
    with given_group(uid) as group, mounts.reachable((os.path.realpath(path) for path in paths), uid):
        first = f"echo $$ > {group}/cgroup.procs; exec setpriv --reuid={uid} --regid={uid} --clear-groups"
        ended = subprocess.run(
            ["/bin/sh", "-c", f'{first} "$@"', "sh", sys.executable, "-c", text],
            cwd="/",
            env={"PATH": "/usr/bin:/bin", "HOME": str(home)},
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        left = [path.name for path in group.iterdir() if path.is_dir()]

    assert ended.stdout.splitlines() == [f"2 {group} True", str(group), "True"], ended.stderr
    assert left == ["card-arena"]


@contextlib.contextmanager
def given_group(uid: int):
    """A group of version 2 that belongs to a user, as systemd gives one with Delegate=yes."""
    group = Path(cgroups.places()[cgroups.FREEZER].folder, f"test-{os.getpid()}")
    group.mkdir()
    try:
        for path in (group, group / "cgroup.procs", group / "cgroup.subtree_control"):
            os.chown(path, uid, uid)
        yield group
    finally:
        for path in (group / "card-arena", group):
            with contextlib.suppress(FileNotFoundError):
                path.rmdir()
