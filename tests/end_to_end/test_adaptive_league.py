"""A real league that looks at its results, killed and gone on with."""

import subprocess
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from arena.store import Store
from tests.end_to_end.test_league import ARENA, BOUND_S, arena, environment, workplace

LEAGUE = ("run", "test", "--game", "idiot", "--until", "20 matches", "--block", "1", "--seed", "s")
LEAGUE += ("--sandbox", "plain")


def submitted(folder: Path) -> Path:
    for bot in ("random", "idiot_thumb", "awk"):
        ran = arena(folder, "submit", f"sample_bots/{bot}", "--sandbox", "plain")
        assert ran.returncode == 0, ran.stderr
    return folder


def finished(folder: Path) -> int:
    with Store.open(folder / "results", read_only=True) as store:
        return len(store.finished("test")) if store.league("test") else 0


def processes_of(folder: Path) -> list[str]:
    """What still runs there: coordinator, workers, wardens and bots."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            where = str((process / "cwd").readlink())
            if where.startswith(str(folder)):
                found.append(f"{process.name} {where}")
        except OSError:  # it ended, or belongs to somebody else
            continue
    return found


def wait_until(true: Callable[[], bool], what: str) -> None:
    deadline = time.monotonic() + BOUND_S
    while not true():
        assert time.monotonic() < deadline, what
        threading.Event().wait(0.01)


def played(folder: Path) -> tuple[str, object]:
    with Store.open(folder / "results", read_only=True) as store:
        return store.league_hash("test"), store.results("test")


@pytest.mark.process
def test_an_adaptive_league_killed_in_the_middle_ends_as_one_that_was_not(tmp_path: Path) -> None:
    here, there = (submitted(workplace(tmp_path / name)) for name in ("here", "there"))
    whole = arena(here, *LEAGUE, "--jobs", "1")

    with subprocess.Popen(
        [ARENA, *LEAGUE], cwd=there, env=environment(), stderr=subprocess.DEVNULL
    ) as process:
        wait_until(lambda: finished(there) >= 8, "eight tables, two of them of the second batch")
        process.kill()
    wait_until(lambda: not processes_of(there), "the end of the bots of the killed league")
    rest = arena(there, "run", "test")

    assert whole.returncode == rest.returncode == 0
    assert "of them now: 20 matches are played" in rest.stderr
    assert played(there) == played(here)
    assert rest.stdout == whole.stdout
