"""Every command that a page shows is run as it stands there, in a folder where what it names is there.

What cannot be run here stands in EXCEPTIONS with the reason, and has to be understood by the parser all the
same; what would play for long is made shorter by SHORTER.
"""

import re
import shlex
import shutil
from collections.abc import Iterator
from contextlib import chdir
from pathlib import Path
from typing import Any, TypeVar

import click
import pytest
from click.testing import CliRunner

from arena.cli import COMMANDS, group, screen
from arena.cli.pages import page
from arena.league import planning
from arena.league.config import Wish
from arena.store import Store
from arena.submissions.importing import read
from arena.submissions.tree import File, Tree, tree_hash, write
from tests.replays import NOON, play_all

T = TypeVar("T")

ROOT = Path(__file__).parents[2]
PAGES = [
    *(ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "sample_bots" / "README.md"),
    *sorted((ROOT / "docs").rglob("*.md")),
]
BLOCK = re.compile(r"^ *```\w*\n(.*?)^ *```$", re.DOTALL | re.MULTILINE)
TOML = re.compile(r"^```toml\n(.*?)^```", re.DOTALL | re.MULTILINE)
LINE = re.compile(r"^ *(?:\$ )?(arena [a-z].*)$", re.MULTILINE)
SPAN = re.compile(r"`(arena\s[^`]+)`")

EXCEPTIONS = {
    "doctor": "it tries the whole machine, and removes what other tests made (tests/test_doctor.py)",
    "check": "it takes a minute (tests/test_check.py)",
    "compare": "it plays until it knows (tests/end_to_end/test_comparison.py)",
    "run --cluster": "it needs other machines (docs/cluster.md)",
    "replay --bot": "it plays a bot behind walls for each decision (tests/test_replay.py)",
}
"""Beginning of a command -> why it is only parsed."""

SHORTER = {
    "run": ("--dry-run",),
    "submit": ("--sandbox", "plain", "--game", "idiot"),
    "match": ("--sandbox", "plain"),
    "match --boards": ("--boards", "1"),
    "play": ("--sandbox", "plain"),
    "delete": ("--yes",),
    "trim": ("--yes",),
}
"""Command -> what is added, so that it takes no minutes, no walls, and asks nobody."""

STANDS_FOR = {
    "NAME": "first",
    "LEAGUE": "friday",
    "BOT": "my_bot",
    "OTHER": "random",
    "COMMAND": "run",
    "FILE": "saturday.league",
    "PATH": "my_bot.py",
    "ADDRESS": "tcp://10.0.0.5:8786",
    "greedy@3f2a": "my_bot",
    "greedy@91bc": "random",
    "greedy": "my_bot",
}
"""Words of a page that stand for others."""

MADE = {"new": "my_bot", "export": "*.league"}
"""Command -> what it makes, and which is not there before it."""

SAMPLES = ("random", "idiot_thumb", "imp_thumb", "imperial_thumb", "mpirimpa_thumb", "search", "awk")
BEGUN: dict[str, dict[str, Any]] = {
    "idiot-2p": {"game": "idiot", "boards": 1, "bots": ("search", "awk")},
    "first": {"game": "idiot", "boards": 1, "bots": ("search", "awk")},
    "best": {"game": "idiot", "until": "top 1 separated", "bots": ("search", "awk", "random")},
    "cup": {"game": "idiot", "schedule": "knock-out", "boards": 3, "bots": ("search", "awk")},
}
"""Leagues of which nothing was played -> how they were wished for."""
PLAYED = {"night": 2, "friday": 2, "saturday": 12}
"""Leagues that were played -> their boards; the first one is only there as files."""
FIRST = "from protocol.client import run\n\n\nrun(lambda decision: decision.legal[0])\n"


def commands() -> dict[str, str]:
    """Each command that any page shows -> the first page that does."""
    found: dict[str, str] = {}
    for path in PAGES:
        text = path.read_text("utf-8")
        shown = [line for block in BLOCK.findall(text) for line in LINE.findall(block)]
        shown += [" ".join(span.split()) for span in SPAN.findall(BLOCK.sub("", text))]
        for line in shown:
            found.setdefault(line.strip(), str(path.relative_to(ROOT)))
    return found


SHOWN = commands()


def test_the_page_of_commands_is_current() -> None:
    written = (ROOT / "docs" / "cli.md").read_text("utf-8")

    assert written == page(), "type: python -m arena.cli.pages > docs/cli.md"


def test_commands_are_found_on_every_page_that_users_read() -> None:
    pages = set(SHOWN.values())

    assert {"README.md", "sample_bots/README.md", "docs/faq.md", "docs/leagues.md", "docs/cli.md"} <= pages
    assert {line.split()[1] for line in SHOWN} >= set(COMMANDS)


@pytest.fixture(scope="module")
def fresh(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where a user of the pages stands: with programs, and with bots that were entered, but no league."""
    folder = tmp_path_factory.mktemp("fresh")
    (folder / "sample_bots").symlink_to(ROOT / "sample_bots")
    for name in ("my_bot.py", "first.py", "newcomer.py"):
        (folder / name).write_text(f"{FIRST}# {name}\n", "utf-8")
    typed(folder, "new", "my_bot")
    shutil.make_archive(str(folder / "my_bot"), "gztar", folder, "my_bot")
    page_of_leagues = (ROOT / "docs" / "leagues.md").read_text("utf-8")
    (folder / "sunday.toml").write_text(TOML.findall(page_of_leagues)[0], "utf-8")
    with Store.open(folder / "results") as store:
        for name in SAMPLES:
            enter(store, name, read(ROOT / "sample_bots" / name))
        for number, name in enumerate(("my_bot", "my_bot", "newcomer", "Ann", "first")):
            enter(
                store, name, Tree((File("main.py", executable=False, content=f"{FIRST}# {number}".encode()),))
            )
    return folder


def enter(store: Store, name: str, tree: Tree) -> None:
    write(tree, store.submissions / tree_hash(tree))
    games = ["imp"] if name == "imp_thumb" else ["idiot", "imp", "imperial", "mpirimpa"]
    store.add_version(name, tree_hash(tree), games=games, submitted=NOON, sandbox="plain")


@pytest.fixture(scope="module")
def played(fresh: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same with leagues: two that were played between my_bot and random, and others that were begun."""
    folder = copied(fresh, tmp_path_factory.mktemp("played") / "world")
    with Store.open(folder / "results") as store:
        for name, words in BEGUN.items():
            store.create_league(planning.proposed(store, Wish(name=name, **words)).plan.league)
        for name, boards in PLAYED.items():
            wish = Wish(name=name, game="idiot", bots=("my_bot", "random"), boards=boards, block=1)
            league = planning.proposed(store, wish).plan.league
            store.create_league(league)
            play_all(store, league)
    for name in ("friday", "saturday"):
        typed(folder, "export", "night", f"{name}.league")
    typed(folder, "delete", "league", "night", "--yes")
    return folder


def copied(world: Path, target: Path) -> Path:
    return Path(shutil.copytree(world, target, symlinks=True))


def typed(folder: Path, *words: str) -> None:
    with chdir(folder):
        ran = CliRunner().invoke(group, words, input="q\n", env={"ARENA_WORKSPACE": None})
    assert ran.exit_code == 0, (words, ran.output)


@pytest.mark.process
def test_the_match_that_the_readme_shows_is_what_is_printed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    readme = (ROOT / "README.md").read_text("utf-8")
    (program,) = re.findall(r"<<'END'\n(.*?)^END$", readme, re.DOTALL | re.MULTILINE)
    (command,) = re.findall(r"`arena (match \S+ \./my_bot\.py random --seed \S+ --watch)`", readme)
    (first, last) = next(block for block in BLOCK.findall(readme) if "IDIOT" in block).split("  ...\n")
    (tmp_path / "my_bot.py").write_text(program, "utf-8")
    words = command.replace(" random ", f" {ROOT}/sample_bots/random ").split()
    monkeypatch.setattr(screen, "in_colour", lambda: True)

    with chdir(tmp_path):
        ran = CliRunner().invoke(group, [*words, "--sandbox", "plain"], env={"COLUMNS": "80"})

    shown = timeless(click.unstyle(ran.stdout))
    assert shown.startswith("\n" + timeless(first))
    assert shown.endswith(timeless(last))


def timeless(shown: str) -> str:
    """The same, however long each decision took."""
    return re.sub(r" \([0-9.]+ ms\)", "", shown)


def told(table: dict[str, T], words: list[str]) -> Iterator[T]:
    """What a table says of a command: under its name, or its name and an option that it has."""
    for key, value in table.items():
        name, *options = key.split()
        if words[0] == name and set(options) <= set(words):
            yield value


def parsed(words: list[str]) -> None:
    """Let the parser look at a command that is not run."""
    command = group.get_command(None, words[0])
    assert command is not None, words
    with click.Context(group, info_name="arena") as above:
        command.make_context(words[0], words[1:], parent=above)


def is_mention(words: list[str]) -> bool:
    """Whether a page speaks of a command or an option, and shows nothing to type; the names are there."""
    command = group.get_command(None, words[0])
    assert command is not None, words
    known = {option for parameter in command.params for option in parameter.opts} | {"--help"}
    if not all(word in known for word in words[1:]):
        return False
    try:
        parsed(words)
    except (click.MissingParameter, click.BadOptionUsage):
        return True
    except click.exceptions.Exit:  # it is --help
        return False
    return words == ["run"]  # it needs a game, which the parser does not know


@pytest.mark.process
@pytest.mark.parametrize("line", SHOWN)
def test_a_command_of_the_pages_runs(line: str, fresh: Path, played: Path, tmp_path: Path) -> None:
    words = [STANDS_FOR.get(word, word) for word in shlex.split(line, comments=True)[1:]]
    if is_mention(words):
        return
    if any(told(EXCEPTIONS, words)):
        parsed(words)
        return
    begins = words[0] == "run" and "--game" in words
    folder = copied(fresh if begins else played, tmp_path / "world")
    for pattern in told(MADE, words):
        for path in folder.glob(pattern):
            shutil.rmtree(path) if path.is_dir() else path.unlink()

    typed(folder, *words, *(word for more in told(SHORTER, words) for word in more))
