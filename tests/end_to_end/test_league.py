"""Whole leagues by the command line, with real bots: submitted, played, killed, gone on with, looked at."""

import os
import re
import shlex
import shutil
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from arena.league.config import Wish, read
from arena.store import Store

ROOT = Path(__file__).parents[2]
ARENA = Path(sys.executable).with_name("arena")
PAGE = (ROOT / "docs" / "leagues.md").read_text("utf-8")
BOUND_S = 60


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)


def workplace(folder: Path) -> Path:
    """Where a user stands: the sample bots, and no workspace yet."""
    folder.mkdir(exist_ok=True)
    (folder / "sample_bots").symlink_to(ROOT / "sample_bots")
    return folder


def arena(folder: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [ARENA, *words],
        cwd=folder,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=BOUND_S,
        check=False,
    )


def environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name != "ARENA_WORKSPACE"}


@pytest.mark.process
@pytest.mark.box
def test_every_command_of_the_page_runs(tmp_path: Path) -> None:
    folder = workplace(tmp_path)
    (folder / "sunday.toml").write_text(blocks("toml")[0], "utf-8")
    commands = [line.removeprefix("$ ") for block in blocks("console") for line in block.splitlines()]

    for command in commands:
        program, *words = shlex.split(command)
        assert program == "arena"
        ran = arena(folder, *words)
        assert ran.returncode == 0, (command, ran.stderr)

    with Store.open(folder / "results", read_only=True) as store:
        played = {league.name: store.results(league.name) for league in store.leagues()}
    assert {name: len(results) for name, results in played.items()} == {"friday": 18, "sunday": 4}
    assert not any(kinds for results in played.values() for result in results for kinds in result.faults)


def test_the_file_of_the_page_names_every_key_but_those_it_comments_out(tmp_path: Path) -> None:
    path = tmp_path / "sunday.toml"
    path.write_text(re.sub(r"^# ", "", blocks("toml")[0], flags=re.MULTILINE), "utf-8")

    wish = read(path)

    assert [word for word in Wish.__struct_fields__ if not getattr(wish, word)] == []


def submitted(folder: Path) -> Path:
    for bot in ("random", "idiot_thumb"):
        ran = arena(folder, "submit", f"sample_bots/{bot}", "--sandbox", "plain")
        assert ran.returncode == 0, ran.stderr
    return folder


LEAGUE = (
    "run",
    "test",
    "--game",
    "idiot",
    "--boards",
    "6",
    "--block",
    "1",
    "--seed",
    "s",
    "--sandbox",
    "plain",
)


def until(true: Callable[[], bool], what: str) -> None:
    deadline = time.monotonic() + BOUND_S
    while not true():
        assert time.monotonic() < deadline, what
        threading.Event().wait(0.01)


def played(folder: Path) -> tuple[str, object]:
    with Store.open(folder / "results", read_only=True) as store:
        return store.league_hash("test"), store.results("test")


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


@pytest.mark.process
def test_a_league_killed_in_the_middle_ends_as_one_that_was_not(tmp_path: Path) -> None:
    here, there = (submitted(workplace(tmp_path / name)) for name in ("here", "there"))
    whole = arena(here, *LEAGUE, "--jobs", "1")

    with subprocess.Popen(
        [ARENA, *LEAGUE], cwd=there, env=environment(), stderr=subprocess.DEVNULL
    ) as process:
        until(lambda: finished(there) >= 2, "two tables")
        process.kill()
    done = finished(there)
    until(lambda: not processes_of(there), "the end of the bots of the killed league")
    rest = arena(there, "run", "test")

    assert whole.returncode == rest.returncode == 0
    assert f"all 12 tables are played, {12 - done} of them now" in rest.stderr
    assert played(there) == played(here)
    assert rest.stdout == whole.stdout


@pytest.mark.process
def test_an_adaptive_league_killed_in_the_middle_ends_as_one_that_was_not(tmp_path: Path) -> None:
    here, there = (submitted(workplace(tmp_path / name)) for name in ("here", "there"))
    for folder in (here, there):
        assert arena(folder, "submit", "sample_bots/awk", "--sandbox", "plain").returncode == 0
    words = ("run", "test", "--game", "idiot", "--until", "20 matches", "--block", "1", "--seed", "s")
    whole = arena(here, *words, "--sandbox", "plain", "--jobs", "1")

    with subprocess.Popen(
        [ARENA, *words, "--sandbox", "plain"], cwd=there, env=environment(), stderr=subprocess.DEVNULL
    ) as process:
        until(lambda: finished(there) >= 8, "eight tables, two of them of the second batch")
        process.kill()
    until(lambda: not processes_of(there), "the end of the bots of the killed league")
    rest = arena(there, "run", "test")

    assert whole.returncode == rest.returncode == 0
    assert "of them now: 20 matches are played" in rest.stderr
    assert played(there) == played(here)
    assert rest.stdout == whole.stdout


def pairs_submitted(folder: Path) -> Path:
    """Four bots for Mpirimpa: two programs, each under two names and with two contents."""
    for name in ("random", "mpirimpa_thumb"):
        for copy in ("one", "two"):
            bot = folder / f"{name}_{copy}"
            shutil.copytree(ROOT / "sample_bots" / name, bot)
            (bot / "copy.txt").write_text(copy, "utf-8")
            ran = arena(folder, "submit", bot.name, "--name", bot.name, "--game", "mpirimpa")
            assert ran.returncode == 0, ran.stderr
    return folder


@pytest.mark.process
@pytest.mark.box
def test_partners_are_two_processes_of_one_bot_or_two_bots(tmp_path: Path) -> None:
    folder = pairs_submitted(workplace(tmp_path))
    short = ("--game", "mpirimpa", "--players", "4", "--boards", "1", "--seed", "s")
    short += ("--option", "max_turns=24", "--option", "max_rounds=1")
    copies = ("--bots", "random_one,mpirimpa_thumb_one")

    ran = [
        arena(folder, "run", "same", *short, *copies),
        arena(folder, "run", "mixed", *short, "--partners", "mixed"),
    ]
    shown = arena(folder, "show", "1")

    assert [each.returncode for each in ran] == [0, 0], [each.stderr for each in ran]
    assert "3 line-ups, 12 tables, 12 matches" in ran[1].stderr
    with Store.open(folder / "results", read_only=True) as store:
        same, mixed = store.results("same"), store.results("mixed")
    assert [len(set(side)) for row in same for side in row.sides] == [1, 1] * 2
    assert [len(set(side)) for row in mixed for side in row.sides] == [2, 2] * 12
    assert Counter(row.board for row in mixed) == dict.fromkeys({row.board for row in mixed}, 4)
    assert not any(kinds for row in same + mixed for kinds in row.faults)
    assert len(re.findall(r"^ +\d  (random|mpirimpa_thumb)_one ", shown.stdout, re.MULTILINE)) == 4
