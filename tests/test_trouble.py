"""Leagues on full, read-only and vanishing disks, and beside other processes: real processes and real disks.

Whatever stops a league says what to do about it, and afterwards it ends as one that was not disturbed.
"""

import os
import re
import resource
import shlex
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from arena.league import runner
from arena.league.runner import LeagueStopped
from arena.store import Store, StoreError
from tests import league_fakes as fakes
from tests.test_runner import BOUND_S, LEAGUE, TABLES, coordinator, fresh, played, until

pytestmark = pytest.mark.process

ROOT = Path(__file__).parent.parent
ARENA = """
import functools, sys
from arena.cli import league, main
from arena.league import runner
from tests import league_fakes as fakes
league.planning.require = lambda name: None
league.planning.check_kept = lambda folder, entrants: None
league.planning.check_built = lambda folder, entrants, sandbox: None
league.runner.run = functools.partial(runner.run, play=fakes.play)
if __name__ == "__main__":
    main(sys.argv[1:])
"""
"""The command line with tables that no bot plays."""


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> tuple[object, ...]:
    with fresh(tmp_path_factory.mktemp("undisturbed")) as store:
        runner.run(store, "test", jobs=1, listener=fakes.Quiet(), play=fakes.play)
        return played(store)


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """With a league that was not begun."""
    with fresh(tmp_path / "results"):
        return tmp_path / "results"


@pytest.fixture
def program(tmp_path: Path) -> Path:
    path = tmp_path / "program.py"
    path.write_text(ARENA, "utf-8")
    return path


def command(*words: object, before: Callable[[], object] | None = None) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [*map(str, words)],
        env={**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "1000"},
        text=True,
        capture_output=True,
        timeout=BOUND_S,
        check=False,
        preexec_fn=before,
    )


def result(workspace: Path) -> tuple[object, ...]:
    with Store.open(workspace, read_only=True) as store:
        return played(store)


# A disk that is full


def test_where_files_may_not_grow_the_league_stops_and_goes_on_later(workspace, program, undisturbed):
    words = (sys.executable, program, "run", "test", "--workspace", workspace)
    most = (workspace / "arena.db").stat().st_size + 40_000

    full = command(*words, before=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (most, -1)))

    assert full.returncode == 1, full.stderr
    assert re.search(r"Error: table \S+ could not be written: database .*/arena.db: the disk ", full.stderr)
    assert f"when that is put right, to go on type: arena run test --workspace {workspace}" in full.stderr
    with Store.open(workspace, read_only=True) as store:
        assert 0 < len(store.finished("test")) < TABLES
    assert command(*words).returncode == 0
    assert result(workspace) == undisturbed


def private_mounts() -> list[str]:
    """A command that may mount what nobody else sees; skips where this user may not."""
    for words in (["unshare", "--mount"], ["unshare", "--mount", "--user", "--map-root-user"]):
        try:
            done = subprocess.run(
                [*words, "mount", "-t", "tmpfs", "none", "/mnt"], capture_output=True, check=False
            )
        except FileNotFoundError:
            break
        if done.returncode == 0:
            return words
    pytest.skip("this user may mount nothing here, not even privately")


SMALL_DISK = """
mount -t tmpfs -o size=500k none {disk} && cp -r {workspace}/. {disk}/ || exit 9
{run}; echo code $?; {run}; echo code $?
mount -o remount,size=50m {disk} || exit 9
{run}; echo code $?
cp -r {disk}/. {workspace}/
"""


def test_a_disk_that_is_full_stops_the_league_until_there_is_room(workspace, program, undisturbed):
    mounts = private_mounts()
    disk = workspace.parent / "disk"
    disk.mkdir()
    run = shlex.join([sys.executable, str(program), "run", "test", "--workspace", str(disk)])

    ran = command(*mounts, "sh", "-c", SMALL_DISK.format(disk=disk, workspace=workspace, run=run))

    assert re.findall(r"^code (\d)$", ran.stdout, re.MULTILINE) == ["1", "1", "0"], ran.stderr
    assert ran.stderr.count("the disk is full; make room and type the command again") == 2
    assert "Traceback" not in ran.stderr
    assert result(workspace) == undisturbed


# A disk that is only read


@pytest.mark.parametrize("closed", ["file", "folder"])
def test_what_may_not_be_written_is_told_and_can_be_read(workspace, program, closed):
    path = workspace / "arena.db" if closed == "file" else workspace
    mode = path.stat().st_mode & 0o777
    as_everybody = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"] if os.geteuid() == 0 else []
    words = (*as_everybody, sys.executable, program)

    path.chmod(mode & ~0o222)
    try:
        refused = command(*words, "run", "test", "--workspace", workspace)
        shown = command(*words, "leaderboard", "test", "--workspace", workspace)
    finally:
        path.chmod(mode)

    assert refused.returncode == 2, refused.stderr
    what = {
        "file": "arena.db may only be read; look at the permissions",
        "folder": "arena.db: it cannot be opened for this; look at the permissions",
    }
    assert f"{workspace}/{what[closed]}" in refused.stderr
    assert (shown.returncode, shown.stderr) == (0, "")


READ_ONLY = """
mount --bind {workspace} {workspace} && mount -o remount,bind,ro {workspace} || exit 9
{arena} run test --workspace {workspace}; echo code $?
{arena} leaderboard test --workspace {workspace} >/dev/null; echo code $?
"""


def test_a_disk_that_is_only_read_is_told_and_can_be_read(workspace, program):
    mounts = private_mounts()
    arena = shlex.join([sys.executable, str(program)])

    ran = command(*mounts, "sh", "-c", READ_ONLY.format(arena=arena, workspace=workspace))

    assert ran.stdout.splitlines() == ["code 2", "code 0"], ran.stderr
    assert f"Error: {workspace}/arena.lock: Read-only file system" in ran.stderr


# A workspace that goes away


class Mover(fakes.Quiet):
    """Moves the workspace away when three tables were told as finished."""

    def __init__(self, workspace: Path) -> None:
        super().__init__()
        self.workspace = workspace

    def progress(self, progress: runner.Progress) -> None:
        super().progress(progress)
        if progress.done == 3:
            self.workspace.rename(self.workspace.with_name("moved"))


def test_a_workspace_that_is_moved_away_stops_the_league_at_once(workspace, undisturbed):
    listener = Mover(workspace)

    with Store.open(workspace) as store, pytest.raises(LeagueStopped, match="was moved, removed or replaced"):
        runner.run(store, "test", jobs=2, listener=listener, play=fakes.play)

    assert listener.done[-1] == (3, TABLES)
    assert listener.said == []
    (workspace.with_name("moved")).rename(workspace)
    with Store.open(workspace) as store:
        assert len(store.finished("test")) == 3
        runner.run(store, "test", jobs=2, listener=fakes.Quiet(), play=fakes.play)
    assert result(workspace) == undisturbed


def test_a_database_that_was_replaced_is_not_written(workspace):
    with Store.open(workspace) as store:
        path = workspace / "arena.db"
        path.rename(workspace / "old.db")
        path.write_bytes((workspace / "old.db").read_bytes())

        with pytest.raises(StoreError, match=r"replaced while it was open.*put that back"):
            store.create_league(msgspec.structs.replace(LEAGUE, name="other"))


# Other processes


def test_a_league_that_runs_is_not_run_twice_but_can_be_looked_at(workspace, program):
    fakes.marks(workspace).mkdir()
    with coordinator(workspace, "play_gated") as process:
        until(lambda: len(list(fakes.marks(workspace).iterdir())) == 2, "two running tables")

        second = command(sys.executable, program, "run", "test", "--workspace", workspace)
        looks = [
            command(sys.executable, program, word, "--workspace", workspace)
            for word in ("leaderboard", "status")
        ]
        (workspace / "go").touch()
        process.communicate(timeout=BOUND_S)

    assert second.returncode == 2
    assert (
        f"'test' is being run by process {process.pid}; wait for it, or type `kill {process.pid}`"
        in second.stderr
    )
    assert [look.returncode for look in looks] == [0, 0]
    with Store.open(workspace, read_only=True) as store:
        assert len(store.finished("test")) == TABLES


DIES = """
import os, resource, signal, sys
from pathlib import Path
from arena.league.course import Course
from arena.store import Store
from tests import league_fakes as fakes

signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
workspace = Path(sys.argv[1])
for size in range(1, 1 << 20, 997):
    child = os.fork()
    if not child:
        with Store.open(workspace) as store:
            league = store.chosen_league("test")
            (jobs,) = map(list, Course(league, finished=(), results=lambda before: ()).batches())
            resource.setrlimit(resource.RLIMIT_FSIZE, (size, -1))
            store.commit("test", jobs[0], fakes.play(jobs[0]))
        os._exit(0)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    with Store.open(workspace, read_only=True) as store:
        tables, matches = len(store.finished("test")), len(store.matches("test"))
    print(code, tables, matches)
    if tables:
        break
"""
"""Commits one table again and again, and is ended by the kernel ever further on in what it writes."""


def test_a_commit_that_is_killed_at_any_byte_is_whole_or_not_there(workspace):
    ran = command(sys.executable, "-c", DIES, workspace)

    lines = [tuple(map(int, line.split())) for line in ran.stdout.splitlines()]
    assert ran.stderr == ""
    assert len(lines) > 10
    assert lines[:-1] == [(-signal.SIGXFSZ, 0, 0)] * (len(lines) - 1)
    assert lines[-1][1:] == (1, 2)
