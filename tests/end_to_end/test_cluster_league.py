"""A real league on a cluster that was set up line by line as its page says."""

import os
import shutil
from contextlib import ExitStack
from pathlib import Path

import pytest

pytest.importorskip("distributed", reason="Dask is not installed: pip install 'card-arena[cluster]'")

from arena.grid import counted
from arena.store import Store
from tests.clusters import ROOT, RUN, WORKER, at, killed, scheduler, started, until
from tests.end_to_end.test_league import arena
from tests.test_builds import MADE, SPEAKS

PLAYS = f"plays {counted(os.cpu_count() or 1, 'table')} at a time"
BALLAST_BYTES = 11 << 20
"""Of a bot: above what Dask takes without a warning."""


def entered(workspace: Path) -> Path:
    """A bot that is built, a large one, and one of the samples."""
    built, large = workspace / "made", workspace / "large"
    built.mkdir(parents=True)
    (built / "bot.toml").write_text(MADE)
    (built / "bot.in").write_text(SPEAKS)
    shutil.copytree(ROOT / "sample_bots" / "random", large)
    (large / "ballast").write_bytes(bytes(BALLAST_BYTES))
    for words in (
        (str(built),),
        (str(large), "--name", "large"),
        (str(ROOT / "sample_bots" / "idiot_thumb"),),
    ):
        ran = arena(workspace, "submit", *words)
        assert ran.returncode == 0, ran.stderr
    return workspace


def finished(workspace: Path) -> int:
    with Store.open(workspace / "results", read_only=True) as store:
        return len(store.finished("friday")) if store.league("friday") else 0


def played(workspace: Path) -> tuple[object, ...]:
    with Store.open(workspace / "results", read_only=True) as store:
        return store.league_hash("friday"), store.results("friday"), sorted(store.finished("friday"))


@pytest.mark.process
@pytest.mark.box
def test_a_league_on_a_cluster_comes_to_what_it_comes_to_here_though_a_worker_is_killed(tmp_path: Path):
    here = entered(tmp_path / "here")
    there = tmp_path / "there"
    shutil.copytree(here, there)
    shutil.rmtree(there / "results" / "builds")
    more = ("--boards", "3", "--block", "1", "--seed", "s")

    with scheduler(tmp_path) as (address, _), ExitStack() as stack:
        workers = [stack.enter_context(started(at(WORKER, address), tmp_path)) for _ in range(2)]
        with started(at(RUN, address), there, *more) as coordinator:
            log = there / "dask.log"
            until(lambda: finished(there) and log.read_text("utf-8").count(PLAYS) == 2, log.read_text)
            killed(workers[0])
            code = coordinator.wait(60)
    whole = arena(here, "run", "friday", "--game", "idiot", *more)

    said = (there / "dask.log").read_text("utf-8")
    assert (code, whole.returncode) == (0, 0), said
    assert "all 18 tables are played, 18 of them now" in said
    assert whole.stdout in said
    assert played(there) == played(here)
    assert not (there / "results" / "builds").exists()
