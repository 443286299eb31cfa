"""What holds for all tests: walls are skipped with a reason or demanded, and nothing outlives them."""

import multiprocessing.util
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest
from hypothesis import HealthCheck, settings

from arena.sandbox import SandboxError, require

RUN = "ARENA_TEST_RUN"
REQUIRE_BOX = "ARENA_REQUIRE_BOX"
"""Set to 1 where the walls are known to work: a box test fails there instead of being skipped."""
HELPERS = (b"multiprocessing.resource_tracker", b"multiprocessing.forkserver")
"""Processes of the standard library that end with the test process itself."""
END_WAIT_S = 10.0
OF_KILLED = "pymp-*"
"""Folders of fork servers. One whose command was killed stays until the next command looks for it."""
AFTER_OWN = -200
"""Later than the folder of our own fork servers is removed, which is at -100."""
ROOM = pytest.StashKey[Path]()

EXAMPLES = int(os.environ.get("ARENA_EXAMPLES", "50"))
"""Of each property that does not say how many it needs."""
settings.register_profile(
    "patient",
    deadline=None,
    max_examples=EXAMPLES,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.load_profile("patient")  # how long an example takes says how loaded the machine is, not what is true


def pytest_configure(config: pytest.Config) -> None:
    """Give all tests and what they start a temporary folder of their own: so what stays there is seen."""
    if hasattr(config, "workerinput"):
        return  # it has its controller's
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", tempfile.gettempdir())  # where `tmp_path` is, kept a while
    config.stash[ROOM] = room = Path(tempfile.mkdtemp(prefix="tests-"))
    room.chmod(0o1777)  # as the system's own
    os.environ["TMPDIR"] = tempfile.tempdir = str(room)
    multiprocessing.util.Finalize(None, shutil.rmtree, (room, True), exitpriority=AFTER_OWN)


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Fail when something stayed there that no kill explains."""
    room = session.config.stash.get(ROOM, None)
    left = [] if room is None else [path.name for path in room.iterdir() if not path.match(OF_KILLED)]
    if left:
        session.config.pluginmanager.getplugin("terminalreporter").write_line(
            f"left behind: {left}", red=True
        )
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_runtest_setup(item: pytest.Item) -> None:
    if item.get_closest_marker("box") is None:
        return
    try:
        require("bwrap")
    except SandboxError as error:
        if os.environ.get(REQUIRE_BOX) == "1":
            pytest.fail(f"{REQUIRE_BOX} is set, and this machine cannot wall bots: {error}", pytrace=False)
        pytest.skip(f"this machine cannot wall bots: {error}")


@pytest.fixture(autouse=True, scope="session")
def no_process_outlives_the_tests() -> Iterator[None]:
    """Find what the tests of this worker left running, by descent and by a mark in the environment."""
    mark = uuid4().hex
    os.environ[RUN] = mark
    yield
    deadline = time.monotonic() + END_WAIT_S
    while left := leftovers(f"{RUN}={mark}".encode()):
        assert time.monotonic() < deadline, f"still running: {left}"
        time.sleep(0.05)


def leftovers(mark: bytes) -> dict[int, bytes]:
    """Pid -> command line of the living processes that descend from us or carry the mark."""
    parents, found = {}, {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            state, parent = (folder / "stat").read_text("ascii", "replace").rpartition(")")[2].split()[:2]
            if state in "ZX":
                continue
            parents[int(folder.name)] = int(parent)
            if mark in (folder / "environ").read_bytes().split(b"\0"):
                found[int(folder.name)] = b""
        except OSError:
            continue  # gone meanwhile, or somebody else's
    us = os.getpid()
    found |= {pid: b"" for pid in parents if us in ancestors(pid, parents)}
    found = {pid: command_line(pid) for pid in found if pid != us}
    return {
        pid: line
        for pid, line in found.items()
        if line and not (parents.get(pid) == us and any(helper in line for helper in HELPERS))
    }


def ancestors(pid: int, parents: dict[int, int]) -> set[int]:
    seen: set[int] = set()
    while (pid := parents.get(pid, 0)) not in (0, *seen):
        seen.add(pid)
    return seen


def command_line(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").strip()
    except OSError:
        return b""
