"""Whole leagues by the command line, with real bots: submitted, played, killed, gone on with, looked at."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections import Counter
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

    assert [word for word in Wish.__struct_fields__ if getattr(wish, word) in (None, (), {})] == []


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
