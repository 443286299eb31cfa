"""What dead runs left is found and removed, and nothing of a living one."""

import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from click.testing import CliRunner

from arena.cli import leftovers, tools
from arena.cli.leftovers import Kind
from arena.sandbox import Check, cgroups, orphans
from arena.store.locks import locked
from tests.tables import wait_until

DEAD = "1-0"
"""Process 1 runs, but did not start then."""


def kind_of(names: set[str], *, stays: bool = False) -> Kind:
    return Kind("things", lambda _: list(names), lambda name: None if stays else names.discard(name))


@pytest.mark.parametrize(
    ("reap", "stays", "said"),
    [
        (False, False, Check("leftovers", False, "things: a, b", "type: arena doctor --reap")),
        (True, False, Check("leftovers", True, "removed things: a, b")),
        (True, True, Check("leftovers", False, "could not be removed: things: a, b")),
    ],
)
def test_what_is_left_is_listed_and_removed_when_asked(tmp_path, monkeypatch, reap, stays, said) -> None:
    names = {"a", "b"}
    monkeypatch.setattr(leftovers, "KINDS", (kind_of(set()), kind_of(names, stays=stays)))

    assert leftovers.check(tmp_path, reap=reap) == said
    assert names == (set() if reap and not stays else {"a", "b"})


def test_what_is_about_to_end_is_not_listed(tmp_path, monkeypatch) -> None:
    looks = iter([["a"], ["a"], []])
    monkeypatch.setattr(leftovers, "KINDS", (Kind("things", lambda _: next(looks, []), os.unlink),))

    assert leftovers.check(tmp_path, reap=False).found == "none"


@contextmanager
def sleeper(**env: str) -> Iterator[subprocess.Popen[bytes]]:
    with subprocess.Popen(["sleep", "60"], env={"PATH": "/usr/bin:/bin", **env}) as process:
        wait_until(lambda: Path(f"/proc/{process.pid}/comm").read_text() == "sleep\n")
        try:
            yield process
        finally:
            process.kill()


@pytest.mark.process
def test_the_processes_of_a_dead_run_are_killed_and_of_a_living_one_not(tmp_path, monkeypatch) -> None:
    kinds = [kind for kind in leftovers.KINDS if kind.what == "processes of dead runs"]
    monkeypatch.setattr(leftovers, "KINDS", kinds)
    monkeypatch.setattr(tools, "language_checks", lambda *_, **__: {})
    monkeypatch.setattr(tools.runtimes, "RUNTIMES", {})
    alive = cgroups.maker(os.getpid())
    with (
        sleeper(ARENA_RUN=DEAD, ARENA_ENDPOINT="stdio:") as left,
        sleeper(ARENA_RUN=DEAD) as pager,
        sleeper(ARENA_RUN=alive, ARENA_ENDPOINT="stdio:") as bot,
        sleeper(ARENA_ENDPOINT="stdio:") as stranger,
    ):
        assert {left.pid} == {pager.pid, left.pid, bot.pid, stranger.pid} & set(orphans.of_dead_runs())

        ran = CliRunner().invoke(tools.doctor, ["--reap", "--workspace", str(tmp_path)])

        assert f"{left.pid}" in ran.stdout
        assert left.wait(10) == -signal.SIGKILL
        assert [each.poll() for each in (pager, bot, stranger)] == [None] * 3


def test_a_submission_that_nobody_tries_any_more_is_left_over(tmp_path: Path) -> None:
    staging = tmp_path / "staging"
    (staging / "submissions").mkdir(parents=True)

    with locked(tmp_path / leftovers.TURN, wait_s=1.0):
        assert list(leftovers.unfinished(tmp_path)) == []
    assert list(leftovers.unfinished(tmp_path)) == [str(staging)]
    leftovers.clear(str(staging))

    assert list(leftovers.unfinished(tmp_path)) == []
    assert not staging.exists()
