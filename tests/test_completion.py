"""The Tab key: asked as the shells ask."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from arena.cli import COMMANDS, group
from arena.cli.completion import OFFERS, OWN
from arena.store import Store
from tests.replays import NOON, league

ARENA = Path(sys.executable).with_name("arena")
BOUND_S = 60

HOSTILE = ("$(touch pwned)", "`touch pwned`", "anna; touch pwned", "an\x1b[2J", "two words")


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    with Store.open(tmp_path_factory.mktemp("completion")) as store:
        league(store, ("ann", "Anton", "bea"))
        for number, name in enumerate(HOSTILE):
            store.add_version(name, f"{number}" * 64, games=["idiot"], submitted=NOON, sandbox="plain")
        return store.workspace


def asked(workspace: Path, shell: str, words: str, at: str) -> list[str]:
    """What the program answers; the environment is the one that its own lines for the shell set up."""
    env = {
        "_ARENA_COMPLETE": f"{shell}_complete",
        "COMP_WORDS": words,
        "COMP_CWORD": at,
        "ARENA_WORKSPACE": str(workspace),
    }
    ran = CliRunner().invoke(group, env=env, prog_name="arena")
    assert (ran.exit_code, ran.stderr) == (0, "")
    return ran.stdout.split()


def offered(workspace: Path, line: str) -> list[str]:
    words = line.split(" ")
    found = asked(workspace, "bash", line, str(len(words) - 1))
    assert all(word.startswith("plain,") for word in found), found
    return [word.removeprefix("plain,") for word in found]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("arena lea", ["leagues", "leaderboard"]),
        ("arena leaderboard ", ["cup"]),
        ("arena run c", ["cup"]),
        ("arena run --game imp", ["imp", "imperial"]),
        ("arena rules i", ["idiot", "imp", "imperial"]),
        ("arena history an", ["ann", "Anton"]),
        ("arena run --bots ann,an", ["ann,Anton"]),
        ("arena match idiot h", ["house"]),
        ("arena delete bot b", ["bea"]),
        ("arena delete league ", ["cup"]),
        ("arena leaderboard --columns elo,err", ["elo,error"]),
        ("arena run --schedule s", ["swiss"]),
        ("arena new x --language ja", ["javascript", "java"]),
        ("arena bots --style git", ["github"]),
        ("arena status --workspace /nowhere ", []),
    ],
)
def test_names_and_words_are_offered(workspace: Path, line: str, expected: list[str]) -> None:
    assert offered(workspace, line) == expected


@pytest.mark.process
def test_bash_completes_by_the_line_of_the_page(workspace: Path) -> None:
    page = (Path(__file__).parents[1] / "docs" / "cli.md").read_text("utf-8")
    line = next(text for text in page.splitlines() if text.startswith("eval ") and "bash_source" in text)
    tab = "COMP_WORDS=(arena leaderboard c); COMP_CWORD=2; _arena_completion arena"
    program = f'{line}\n{tab}\necho "${{COMPREPLY[@]}}"'
    path = f"{ARENA.parent}:{os.environ['PATH']}"

    ran = subprocess.run(
        ["bash", "-c", program],
        env={**os.environ, "PATH": path, "ARENA_WORKSPACE": str(workspace)},
        capture_output=True,
        text=True,
        timeout=BOUND_S,
        check=True,
    )

    assert (ran.stdout, ran.stderr) == ("cup\n", "")


def test_zsh_and_fish_are_answered_in_their_forms(workspace: Path) -> None:
    assert asked(workspace, "zsh", "arena leaderboard c", "2") == ["plain", "cup", "_"]
    assert asked(workspace, "fish", "arena leaderboard", "c") == ["plain,cup"]


@pytest.mark.parametrize("line", ["arena history ", "arena run --bots ", "arena retire "])
def test_a_name_that_a_shell_could_run_is_not_offered(workspace: Path, line: str) -> None:
    assert set(offered(workspace, line)) - {"house"} == {"ann", "Anton", "bea"}


def test_every_parameter_that_is_offered_something_is_there() -> None:
    found = {
        (name, str(parameter.name)) for name in COMMANDS for parameter in group.get_command(None, name).params
    }

    assert set(OWN) <= found
    assert set(OFFERS) <= {parameter for _, parameter in found}
