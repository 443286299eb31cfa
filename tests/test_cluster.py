"""Leagues on a Dask cluster: a real scheduler and real workers, on this machine."""

import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from threading import Event, Thread
from uuid import uuid4

import pytest
from click.testing import CliRunner, Result

pytest.importorskip("distributed", reason="Dask is not installed: pip install 'card-arena[cluster]'")

from arena.cli import group
from arena.league import runner
from arena.league.cluster import USUAL, Cluster, Patience
from arena.league.hired import Hiring, edition
from arena.league.runner import LeagueStopped, Tell
from arena.store import Store
from tests import clusters
from tests import league_fakes as fakes
from tests.clusters import ROOT, WORKER, at, killed, scheduler, started, until
from tests.test_runner import LEAGUE, TABLES, fresh, played

pytestmark = pytest.mark.process

SHORT = Patience(scheduler_s=0.3, workers_s=0.3)
LIGHT = ("--no-nanny", "--nthreads", "1")
"""For what does not hang on nannies: they start a second Python."""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(clusters.MARKS, str(tmp_path))
    return tmp_path


@pytest.fixture
def store(folder: Path) -> Iterator[Store]:
    with fresh(folder / "workspace") as made:
        yield made


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> tuple[object, ...]:
    with fresh(tmp_path_factory.mktemp("undisturbed")) as store:
        runner.run(store, "test", jobs=1, listener=fakes.Quiet(), play=fakes.play)
        return played(store)


def crew(
    address: str, store: Store, *, sandbox: str = "plain", patience: Patience = USUAL
) -> Callable[[int, Tell], Cluster]:
    """Whoever plays without bots."""
    edition.cache_clear()
    hiring = Hiring(uuid4().hex, "the league", sandbox, ())

    def hire(jobs: int, tell: Tell) -> Cluster:
        return Cluster(
            address, hiring, submissions=store.submissions, jobs=jobs, tell=tell, patience=patience
        )

    return hire


@contextmanager
def running(
    store: Store, listener: fakes.Quiet, hired: Callable[[int, Tell], Cluster]
) -> Iterator[list[str]]:
    """A league of gated tables that is played in another thread; what it came to."""
    ended: list[str] = []

    def run() -> None:
        with Store.open(store.workspace) as own:
            try:
                ran = runner.run(own, "test", jobs=4, listener=listener, play=clusters.play_gated, crew=hired)
            except LeagueStopped as stopped:
                ended.append(str(stopped))
            else:
                ended.append(ran.end or "interrupted")

    thread = Thread(target=run)
    thread.start()
    try:
        yield ended
    finally:
        clusters.marks("go").touch()
        thread.join(clusters.BOUND_S)
        assert not thread.is_alive()


def hears(listener: fakes.Quiet, words: str, times: int = 1) -> None:
    """Wait until it was told so often."""
    heard = Event()
    deadline = time.monotonic() + clusters.BOUND_S
    while sum(words in sentence for sentence in listener.said) < times:
        assert time.monotonic() < deadline, listener.said
        heard.wait(0.02)


def held() -> list[Path]:
    return list(clusters.marks().glob("deal-*"))


def test_tables_of_a_killed_worker_are_played_elsewhere_and_stand_once(
    folder: Path, store: Store, undisturbed: tuple[object, ...]
) -> None:
    listener = fakes.Quiet()

    with scheduler(folder) as (address, _), ExitStack() as stack:
        first = stack.enter_context(started(at(WORKER, address), folder, *LIGHT))
        with running(store, listener, crew(address, store)) as ended:
            until(lambda: len(held()) == LEAGUE.block, "a table on the first worker")
            stack.enter_context(started(at(WORKER, address), folder, *LIGHT))
            until(lambda: len(held()) == 2 * LEAGUE.block, "a table on the one that came later")
            killed(first)
            hears(listener, "is played again")

    assert ended == ["every line-up has played its boards"]
    assert played(store) == undisturbed
    assert listener.done == [(done, TABLES) for done in range(TABLES + 1)]
    (again,) = [said for said in listener.said if "is played again" in said]
    assert "WorkerLost: worker tcp://127.0.0.1:" in again
    assert sum("plays 1 table at a time" in said for said in listener.said) == 2


def test_a_league_whose_scheduler_is_lost_stops_and_goes_on_here(
    folder: Path, store: Store, undisturbed: tuple[object, ...]
) -> None:
    listener = fakes.Quiet()

    with (
        scheduler(folder) as (address, process),
        started(at(WORKER, address), folder, *LIGHT),
        running(store, listener, crew(address, store)) as ended,
    ):
        until(lambda: len(held()) == LEAGUE.block, "a table")
        killed(process)
        until(lambda: ended, "the end of the league")
        until(lambda: not held(), "the end of its table on the worker")
    runner.run(store, "test", jobs=1, listener=fakes.Quiet(), play=fakes.play)

    assert ended == [f"the scheduler at {address} is gone, and with it the workers"]
    assert played(store) == undisturbed


COORDINATOR = """
import sys
from pathlib import Path
from arena.store import Store
from arena.league import runner
from tests import clusters, league_fakes as fakes, test_cluster

workspace, address = sys.argv[1:]
with Store.open(Path(workspace)) as store:
    hired = test_cluster.crew(address, store)
    runner.run(store, "test", jobs=4, listener=fakes.Aloud(), play=clusters.play_gated, crew=hired)
"""


def kill(coordinator: "subprocess.Popen[str]") -> None:
    coordinator.kill()


def interrupt_twice(coordinator: "subprocess.Popen[str]") -> None:
    coordinator.send_signal(signal.SIGINT)
    assert coordinator.stdout is not None
    until(lambda: "finishing 1 running tables" in coordinator.stdout.readline(), "word of the first")
    coordinator.send_signal(signal.SIGINT)


@pytest.mark.parametrize("end", [kill, interrupt_twice])
def test_the_tables_of_a_coordinator_that_is_gone_end_before_they_are_played_again(
    folder: Path,
    store: Store,
    undisturbed: tuple[object, ...],
    end: Callable[["subprocess.Popen[str]"], None],
) -> None:
    with scheduler(folder) as (address, _), started(at(WORKER, address), folder, *LIGHT):
        with subprocess.Popen(
            [sys.executable, "-c", COORDINATOR, str(store.workspace), address],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            text=True,
        ) as coordinator:
            until(lambda: len(held()) == LEAGUE.block, "a table")
            end(coordinator)
            coordinator.wait(clusters.BOUND_S)
        listener = fakes.Quiet()
        with running(store, listener, crew(address, store)) as ended:
            hears(listener, "plays 1 table")

    assert ended == ["every line-up has played its boards"]
    assert played(store) == undisturbed
    assert not any("is played again" in said for said in listener.said)


def test_a_scheduler_that_cannot_be_reached_is_told_in_time(store: Store) -> None:
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        address = f"tcp://127.0.0.1:{nobody.getsockname()[1]}"

        with pytest.raises(LeagueStopped, match=f"no scheduler .* reached at {address} within 0 s"):
            runner.run(
                store, "test", jobs=1, listener=fakes.Quiet(), crew=crew(address, store, patience=SHORT)
            )

    assert store.finished("test") == set()


@pytest.mark.parametrize("address", ["", "nonsense://x", "tls://127.0.0.1:1", "127.0.0.1:0", "tcp://[::1"])
def test_an_address_of_any_kind_is_a_sentence(store: Store, address: str) -> None:
    with pytest.raises(LeagueStopped, match="no scheduler of a Dask cluster could be reached"):
        runner.run(store, "test", jobs=1, listener=fakes.Quiet(), crew=crew(address, store, patience=SHORT))


def test_workers_that_refuse_say_why_and_the_others_play(
    folder: Path, store: Store, undisturbed: tuple[object, ...]
) -> None:
    old = folder / "old"
    for package in ("arena", "protocol"):
        shutil.copytree(ROOT / package, old / package, ignore=shutil.ignore_patterns("__pycache__"))
    (old / "arena" / "games" / "more.py").touch()
    nothing, listener = folder / "nothing", fakes.Quiet()
    (nothing / "arena").mkdir(parents=True)
    (nothing / "arena" / "__init__.py").touch()

    with scheduler(folder) as (address, _):
        with pytest.raises(LeagueStopped) as nobody:
            runner.run(
                store, "test", jobs=1, listener=fakes.Quiet(), crew=crew(address, store, patience=SHORT)
            )
        with ExitStack() as stack:
            for place in (old, nothing):
                line = at(WORKER, address)
                stack.enter_context(started(line, folder, *LIGHT, PYTHONPATH=f"{place}:{ROOT}"))
            with running(store, listener, crew(address, store)) as ended:
                hears(listener, "cannot play", times=2)
                stack.enter_context(started(at(WORKER, address), folder, *LIGHT))
                until(held, "a worker that plays")
            with fresh(folder / "other") as other:
                hired = crew(address, other, sandbox="moat", patience=Patience(workers_s=4.0))
                with pytest.raises(LeagueStopped) as walls:
                    runner.run(other, "test", jobs=1, listener=fakes.Quiet(), crew=hired)

    assert "there was no worker at" in str(nobody.value)
    assert f"type: dask worker {address}" in str(nobody.value)
    said = "\n".join(sorted(listener.said, key=lambda each: "it has no" in each))
    assert "cannot play: it has card-arena 0." in said
    assert "cannot play: it has no card-arena 0." in said
    assert said.count("type there: pip install 'card-arena[cluster]==") == 2
    assert ended == ["every line-up has played its boards"]
    assert played(store) == undisturbed
    assert "cannot play: unknown sandbox 'moat'; known are bwrap, plain" in str(walls.value)


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """One with two bots, whose files nobody looks at."""
    with Store.open(tmp_path) as store:
        for bot in LEAGUE.extensions[0].entrants[:2]:
            store.add_version(
                bot.name, bot.version, games=("idiot",), submitted=datetime.now(UTC), sandbox="plain"
            )
    monkeypatch.setattr("arena.league.planning.check_kept", lambda _folder, _entrants: None)
    monkeypatch.setattr("arena.league.cluster.USUAL", SHORT)
    return tmp_path


def arena(workspace: Path, *words: str) -> Result:
    return CliRunner().invoke(group, words, env={"ARENA_WORKSPACE": str(workspace), "COLUMNS": "200"})


def test_a_league_that_finds_no_cluster_stands_and_says_how_to_go_on(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arena.league.planning.require", lambda _: pytest.fail("nothing is played here"))

    ran = arena(workspace, "run", "friday", "--game", "idiot", "--cluster", "tcp://127.0.0.1:1")

    assert ran.exit_code == 1
    assert "sandbox bwrap: tried by every worker before it plays" in ran.output
    assert "Error: no scheduler of a Dask cluster could be reached at tcp://127.0.0.1:1" in ran.output
    assert "to go on type: arena run friday --cluster tcp://127.0.0.1:1\n" in ran.output
    with Store.open(workspace, read_only=True) as store:
        assert [league.name for league in store.leagues()] == ["friday"]


def test_without_dask_the_command_says_what_to_install_and_begins_nothing(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("arena.league.cluster", "arena.league.hired"):
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.setitem(sys.modules, "distributed", None)

    ran = arena(workspace, "run", "friday", "--game", "idiot", "--cluster", "tcp://127.0.0.1:1")

    assert ran.exit_code == 2
    assert "--cluster needs Dask, and there is no module distributed; type: pip install" in ran.output
    with Store.open(workspace, read_only=True) as store:
        assert store.leagues() == []


HERE = """
import sys
from pathlib import Path
import arena.cli.league
from tests import test_runner as t
with t.fresh(Path(sys.argv[1])) as store:
    t.runner.run(store, "test", jobs=1, listener=t.fakes.Quiet(), play=t.fakes.play)
print([name for name in sys.modules if name.split(".")[0] in ("dask", "distributed", "tornado")])
"""


def test_what_is_played_here_imports_nothing_of_dask(tmp_path: Path) -> None:
    said = subprocess.run(
        [sys.executable, "-c", HERE, str(tmp_path / "workspace")],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=clusters.BOUND_S,
        check=True,
    )

    assert said.stdout == "[]\n"
