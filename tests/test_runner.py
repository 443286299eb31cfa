"""Runs that are disturbed come to the same results: real processes, tables without bots."""

import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from hashlib import sha256
from pathlib import Path

import pytest

from arena.league import runner
from arena.league.runner import LeagueStopped, Progress
from arena.league.schedule import size_of
from arena.model import Clock, Entrant, Extension, League, UserError
from arena.store import Store
from tests import league_fakes as fakes

pytestmark = pytest.mark.process

ROOT = Path(__file__).parent.parent
BOUND_S = 30

BOTS = tuple(Entrant(name, sha256(name.encode()).hexdigest()) for name in ("ann", "bea", "cid"))
LEAGUE = League(
    name="test",
    game="idiot",
    players=2,
    options={},
    clock=Clock(),
    block=2,
    sandbox="plain",
    extensions=(Extension(BOTS, 8, b"s" * 32),),
)
TABLES = size_of(LEAGUE).tables


@pytest.fixture
def marks(store: Store) -> Path:
    folder = fakes.marks(store.workspace)
    folder.mkdir()
    return folder


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with fresh(tmp_path / "workspace") as made:
        yield made


@contextmanager
def fresh(workspace: Path) -> Iterator[Store]:
    with Store.open(workspace) as made:
        made.create_league(LEAGUE)
        yield made


def played(store: Store) -> tuple[object, ...]:
    """All that a run promises."""
    return store.league_hash("test"), store.results("test"), sorted(store.finished("test"))


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> tuple[object, ...]:
    with fresh(tmp_path_factory.mktemp("undisturbed")) as store:
        runner.run(store, "test", jobs=1, listener=fakes.Quiet(), play=fakes.play)
        return played(store)


def test_every_table_is_played_and_told(store: Store) -> None:
    listener = fakes.Quiet()

    ran = runner.run(store, "test", jobs=2, listener=listener, play=fakes.play)

    assert not ran.interrupted
    assert listener.done == [(done, TABLES) for done in range(TABLES + 1)]
    assert listener.said == []
    assert store.finished("test") == {job.key for job in fakes.tables(LEAGUE)}


@pytest.mark.parametrize("jobs", [2, 5])
def test_results_do_not_depend_on_the_number_of_workers(
    store: Store, undisturbed: tuple[object, ...], jobs: int
) -> None:
    runner.run(store, "test", jobs=jobs, listener=fakes.Quiet(), play=fakes.play)

    assert played(store) == undisturbed


def test_no_deal_is_played_at_two_tables_at_a_time(
    store: Store, marks: Path, undisturbed: tuple[object, ...]
) -> None:
    listener = fakes.Quiet()

    runner.run(store, "test", jobs=4, listener=listener, play=fakes.play_alone)

    assert listener.said == []
    assert played(store) == undisturbed
    assert list(marks.iterdir()) == []


def test_tables_of_killed_workers_are_played_again(
    store: Store, marks: Path, undisturbed: tuple[object, ...]
) -> None:
    listener = fakes.Quiet()

    runner.run(store, "test", jobs=2, listener=listener, play=fakes.play_killed_once)

    assert played(store) == undisturbed
    assert len(listener.said) == len(list(marks.iterdir())) > 0
    assert all("is played again: WorkerLost: worker process" in sentence for sentence in listener.said)


def test_a_table_that_always_loses_its_worker_stops_the_league(store: Store) -> None:
    with pytest.raises(LeagueStopped, match=r"table 00-.* \(.*\) could not be played in 3 tries: WorkerLost"):
        runner.run(store, "test", jobs=2, listener=fakes.Quiet(), play=fakes.play_always_killed)

    assert store.finished("test") == set()


def test_what_is_ours_is_never_scored_and_names_its_reason(
    store: Store, undisturbed: tuple[object, ...]
) -> None:
    with pytest.raises(LeagueStopped, match="No space left on device: '/tmp/table'"):
        runner.run(store, "test", jobs=1, listener=fakes.Quiet(), play=fakes.play_full_disk)

    runner.run(store, "test", jobs=1, listener=fakes.Quiet(), play=fakes.play)

    assert played(store) == undisturbed


def test_a_full_database_loses_nothing_that_was_reported(
    store: Store, undisturbed: tuple[object, ...]
) -> None:
    listener = fakes.Quiet()
    connection = store._connection
    (pages,) = connection.execute("PRAGMA page_count").fetchone()
    connection.execute(f"PRAGMA max_page_count = {pages + 8}")

    with pytest.raises(LeagueStopped, match="the disk is full"):
        runner.run(store, "test", jobs=2, listener=listener, play=fakes.play)

    assert len(store.finished("test")) == listener.done[-1][0] < TABLES
    connection.execute("PRAGMA max_page_count = 1000000")
    runner.run(store, "test", jobs=2, listener=listener, play=fakes.play)
    assert played(store) == undisturbed


def test_a_league_that_ended_has_nothing_left_to_play(store: Store, undisturbed: tuple[object, ...]) -> None:
    runner.run(store, "test", jobs=1, listener=fakes.Quiet(), play=fakes.play)

    ran = runner.run(store, "test", jobs=1, listener=fakes.Quiet(), play=fakes.play_always_killed)

    assert (ran.progress.done, ran.progress.played) == (TABLES, 0)
    assert played(store) == undisturbed


def test_a_league_is_run_by_one_process_at_a_time(store: Store) -> None:
    with store.running("test"), pytest.raises(UserError, match="is being run by process"):
        runner.run(store, "test", jobs=1, listener=fakes.Quiet(), play=fakes.play)


def test_an_unknown_league_is_told_with_those_there_are(store: Store) -> None:
    with pytest.raises(UserError, match=r"'other'; the leagues in .* are: test"):
        runner.run(store, "other", jobs=1, listener=fakes.Quiet(), play=fakes.play)


def test_progress_knows_the_rate_and_the_time_left() -> None:
    progress = Progress(done=30, total=50, played=10, elapsed_s=5.0)

    assert (progress.tables_per_s, progress.left_s) == (2.0, 10.0)
    assert Progress(done=3, total=5, played=0, elapsed_s=0.0).left_s is None


@contextmanager
def coordinator(workspace: Path, function: str) -> Iterator["subprocess.Popen[str]"]:
    with subprocess.Popen(
        [sys.executable, "-m", "tests.league_fakes", str(workspace), "test", "2", function],
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def until(true: Callable[[], bool], what: str) -> None:
    deadline = time.monotonic() + BOUND_S
    while not true():
        assert time.monotonic() < deadline, what
        threading.Event().wait(0.01)


def lines(process: "subprocess.Popen[str]") -> list[str]:
    assert process.stdout is not None
    return process.stdout.read().split("\n")[:-1]


def test_a_killed_league_goes_on_where_it_stopped(store: Store, undisturbed: tuple[object, ...]) -> None:
    with coordinator(store.workspace, "play") as process:
        assert process.stdout is not None
        reported = [process.stdout.readline() for _ in range(4)]
        process.kill()

    done = len(store.finished("test"))
    assert reported[-1] == "done 3\n"
    assert done >= 3
    ran = runner.run(store, "test", jobs=2, listener=fakes.Quiet(), play=fakes.play)

    assert ran.progress.played == TABLES - done
    assert played(store) == undisturbed


def test_the_first_interrupt_finishes_the_running_tables(
    store: Store, marks: Path, undisturbed: tuple[object, ...]
) -> None:
    with coordinator(store.workspace, "play_gated") as process:
        until(lambda: len(list(marks.iterdir())) == 2, "two running tables")
        process.send_signal(signal.SIGINT)
        assert process.stdout is not None
        told = [process.stdout.readline() for _ in range(2)]
        running = {path.name for path in marks.iterdir()}
        (store.workspace / "go").touch()
        rest = lines(process)

    assert told == ["done 0\n", "finishing 2 running tables; Ctrl-C again discards them\n"]
    assert rest == ["done 1", "done 2", "interrupted"]
    assert store.finished("test") == running
    runner.run(store, "test", jobs=2, listener=fakes.Quiet(), play=fakes.play)
    assert played(store) == undisturbed


def test_the_second_interrupt_discards_the_running_tables(
    store: Store, marks: Path, undisturbed: tuple[object, ...]
) -> None:
    with coordinator(store.workspace, "play_gated") as process:
        until(lambda: len(list(marks.iterdir())) == 2, "two running tables")
        process.send_signal(signal.SIGINT)
        assert process.stdout is not None
        told = [process.stdout.readline() for _ in range(2)]
        process.send_signal(signal.SIGINT)
        rest = lines(process)

    assert "Ctrl-C again" in told[1]
    assert rest == ["interrupted"]
    assert store.finished("test") == set()
    runner.run(store, "test", jobs=2, listener=fakes.Quiet(), play=fakes.play)
    assert played(store) == undisturbed


def test_a_locked_database_is_told_and_loses_nothing(store: Store, undisturbed: tuple[object, ...]) -> None:
    store._connection.execute("PRAGMA busy_timeout = 10")
    listener = fakes.Quiet()

    with closing(sqlite3.connect(store.workspace / "arena.db", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(LeagueStopped, match="another process has been writing"):
            runner.run(store, "test", jobs=1, listener=listener, play=fakes.play)

    assert listener.done == [(0, TABLES)]
    runner.run(store, "test", jobs=1, listener=listener, play=fakes.play)
    assert played(store) == undisturbed
