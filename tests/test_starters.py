"""`arena new`: every language's starter is made, tries itself offline, and plays behind walls."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import boxes
import pytest
from click.testing import CliRunner, Result

from arena import runtimes, starters
from arena.cli import group
from arena.cli.new import trial
from arena.games import GAMES
from arena.runtimes import RUNTIMES, read_manifest
from arena.sandbox import SandboxError
from arena.starters import STARTERS
from arena.starters.recording import recorded
from arena.store import Store
from arena.submissions import News, submit
from arena.submissions.building import build
from arena.submissions.tree import write
from protocol.codec import decode_arena, decode_bot
from protocol.messages import Action, Bye, Decide, End, Hello, Start, Welcome

TREES = ("python", "javascript", "c", "cpp", "rust", "go", "java", "perl")
"""Languages whose starters read JSON as such; the others go by patterns."""
GAMES_EACH = int(os.environ.get("ARENA_STARTER_GAMES", "1"))
"""How many games each starter plays behind walls."""
WAIT_S = 60


def arena(*words: str) -> Result:
    return CliRunner().invoke(group, ["new", *words])


def needs(language: str) -> None:
    try:
        runtimes.toolchain(language)
    except SandboxError as missing:
        pytest.skip(f"this machine lacks the tool: {missing}")


def tried(folder: Path, python: str = sys.executable) -> "subprocess.CompletedProcess[str]":
    """Run a starter's own test."""
    env = {**os.environ, "PYTHON": python}
    return subprocess.run(
        ["sh", str(folder / "test.sh")],
        env=env,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        timeout=WAIT_S,
    )


def games_of(language: str) -> list[str]:
    """Some of the games, others for each language, so that all are played by some."""
    first = list(RUNTIMES).index(language)
    return [list(GAMES)[(first + number) % len(GAMES)] for number in range(GAMES_EACH)]


# Every language


def test_every_language_has_a_starter():
    folders = {path.name for path in starters.HERE.iterdir() if path.is_dir()}

    assert list(STARTERS) == list(RUNTIMES)
    assert folders - {"__pycache__"} == {*RUNTIMES, "common"}


@pytest.mark.process
@pytest.mark.parametrize("language", RUNTIMES)
def test_a_starter_passes_its_own_test_offline_and_stays_as_it_was_made(tmp_path, language):
    needs(language)
    files = starters.make(tmp_path / "my bot", language=language)

    found = tried(tmp_path / "my bot")

    assert found.returncode == 0, found.stdout
    said = [line for line in found.stdout.splitlines() if line.startswith("tables/")]
    assert said == [f"tables/{game}.jsonl: 40 answers, all of them legal" for game in sorted(GAMES)]
    assert sorted(files) == sorted(
        str(path.relative_to(tmp_path / "my bot")) for path in tmp_path.rglob("*") if path.is_file()
    )


@pytest.mark.process
def test_a_starter_says_what_to_type_where_python_lacks_the_sdk(tmp_path):
    bare = tmp_path / "bare"
    bare.write_text(f'#!/bin/sh\nexec "{sys.executable}" -I -S "$@"\n')
    bare.chmod(0o755)
    starters.make(tmp_path / "my_bot", language="python", games=("imp",))

    found = tried(tmp_path / "my_bot", str(bare))

    assert found.returncode == 1
    said, line = found.stdout.splitlines()
    assert said.startswith(f"{bare} has no protocol.client, the SDK; type, with a Python")
    assert re.fullmatch(rf"    PYTHON=\S+/bin/python sh {tmp_path}/my_bot/test.sh", line)


@pytest.mark.process
@pytest.mark.box
@pytest.mark.parametrize("language", RUNTIMES)
def test_a_starter_plays_behind_walls_and_is_entered(tmp_path, language):
    needs(language)
    starters.make(tmp_path / "my_bot", language=language, games=games_of(language))

    with Store.open(tmp_path / "work") as store:
        found = submit(store, tmp_path / "my_bot")

    assert (found.news, found.name, found.unbuilt) == (News.ENTERED, "my_bot", None)
    assert [(trial.game, trial.fault) for trial in found.trials] == [
        (game, None) for game in GAMES if game in games_of(language)
    ]


@pytest.mark.parametrize("language", RUNTIMES)
def test_a_starter_says_of_itself_what_its_language_does(tmp_path, language):
    runtime = RUNTIMES[language]
    folder = tmp_path / 'The "Bot"'

    starters.make(folder, language=language, games=("imp",))

    text, manifest = (folder / "bot.toml").read_text(), read_manifest(folder)
    assert (manifest.name, manifest.games, manifest.language) == ('The "Bot"', ("imp",), language)
    assert (manifest.main, manifest.transport, manifest.build) == (runtime.main, runtime.transport, None)
    spelled = "\n".join(line.removeprefix("# ") for line in text.splitlines()[1:])
    (folder / "bot.toml").write_text(spelled)
    assert runtimes.recipe(read_manifest(folder)) == runtimes.recipe(manifest)
    assert shlex.join(runtimes.recipe(manifest)) in (folder / "test.sh").read_text()
    everything = "".join(path.read_text("utf-8") for path in folder.iterdir() if path.is_file())
    assert not any(f"{{{{{word}}}}}" in everything for word in ("name", "games", "build", "run", "about"))


# What a starter reads


ODD = (
    b'{ "later" : {"deep":[1,[-2.5e3,{"b":"\\"]}\\\\"}],true,false,null,{},[]]}, '
    b'"legal":["play \\u0033s\\/\\t\\u00e9\\ud83c\\udca1","no"],\t"turn":7,'
    b'"view":{"type":"bye","legal":["no"],"match":99},"match":12,"events":["\\u0000"],"clock":{"bank_ms":1,"move_ms":1},"type":"decide"}'
)


class Ready(NamedTuple):
    """A starter that can be run without walls."""

    argv: tuple[str, ...]
    env: dict[str, str]
    folder: Path

    def heard(self, *lines: bytes) -> "subprocess.CompletedProcess[bytes]":
        return subprocess.run(
            self.argv,
            cwd=self.folder,
            env={**self.env, "ARENA_ENDPOINT": "stdio:"},
            input=b"".join(line + b"\n" for line in lines),
            capture_output=True,
            check=False,
            timeout=WAIT_S,
        )


def ready(folder: Path, language: str) -> Ready:
    starters.make(folder / "source", language=language, games=("idiot",))
    manifest, played = read_manifest(folder / "source"), folder / "source"
    if runtimes.recipe(manifest):
        write(build(manifest, played, sandbox="plain"), played := folder / "built")
    box = runtimes.box(manifest, played, walled=False, limits=boxes.LIMITS, socket=None, seat=0)
    return Ready(box.argv, box.env, played)


@pytest.fixture(scope="module")
def starter(tmp_path_factory):
    """Gives the starter of a language, made and built once."""
    made: dict[str, Ready] = {}

    def of(language: str) -> Ready:
        needs(language)
        if language not in made:
            made[language] = ready(tmp_path_factory.mktemp("starter"), language)
        return made[language]

    return of


WELCOME = (
    b'{"type":"welcome","protocol":1,"game":"idiot","options":{},"players":2,'
    b'"clock":{"move_ms":1000,"bank_ms":10000,"start_ms":10000},"matches":1}'
)
START = b'{"type":"start","match":12,"seat":1,"side":1,"seed":18446744073709551615}'


@pytest.mark.process
@pytest.mark.parametrize("language", TREES)
def test_a_starter_reads_fields_in_any_order_escapes_and_what_it_does_not_know(starter, language):
    end = b'{"type":"end","match":12,"places":[2,1.5],"scores":null,"events":[]}'
    unknown = b'{"type":"weather","match":{}}'

    found = starter(language).heard(WELCOME, unknown, START, ODD, end, b'{"type":"bye","reason":""}', ODD)

    assert found.returncode == 0, found.stderr
    hello, *answers = found.stdout.replace(b"\t", b"\\t").splitlines()
    assert isinstance(decode_bot(hello), Hello)
    assert list(map(decode_bot, answers)) == [
        Action(12, 7, "play 3s/\t\N{LATIN SMALL LETTER E WITH ACUTE}\U0001f0a1")
    ]
    assert b"1.5" in found.stderr


@pytest.mark.process
@pytest.mark.parametrize("language", [each for each in TREES if each != "python"])
@pytest.mark.parametrize(
    "line",
    [b'{"type":"decide","match":1', b'{"type":bye}', b'{"type":"\\u12"}', b"[" * 100_000, b'"', b"{} x"],
)
def test_a_starter_ends_in_good_order_where_a_line_is_no_json(starter, language, line):
    found = starter(language).heard(line)

    assert found.returncode > 0, (found.returncode, found.stderr)
    assert found.stderr


@pytest.mark.process
@pytest.mark.parametrize("language", RUNTIMES)
def test_a_starter_ends_when_the_arena_is_gone(starter, language):
    found = starter(language).heard()

    assert (found.returncode, found.stderr) == (0, b"")


# Tables that were recorded


@pytest.mark.parametrize("game", GAMES)
def test_a_recorded_table_is_what_the_arena_says_to_one_seat(game):
    kinds = [type(decode_arena(line.encode())) for line in recorded(game)[0].splitlines()]

    assert kinds == [Welcome, Start, *[Decide] * 40, End, Bye]


@pytest.mark.process
@pytest.mark.parametrize(
    ("good", "bad", "sentence"),
    [
        ("legal[1]", '"play it all"', 'found "play it all", allowed are "legal":["'),
        ('"turn\\":" field', '"turn\\":1" field', "answer 1 is to another question: "),
        ('"bye"/ { exit }', '"bye"/ { say("and bye") }', "more answers than questions: and bye"),
        ("hello\\", "hallo\\", "the first line is no hello but "),
        ('"bye"/ { exit }', '"bye"/ { exit 3 }', "the bot ended with exit code 3"),
        ('"bye"/ { exit }', '"decide","match":1,"turn":2,/ { exit }', "40 questions and 2 answers"),
    ],
)
def test_the_test_of_a_starter_finds_what_is_wrong(tmp_path, good, bad, sentence):
    needs("awk")
    starters.make(tmp_path / "bot", language="awk", games=("idiot",))
    program = tmp_path / "bot" / "main.awk"
    assert good in program.read_text()
    program.write_text(program.read_text().replace(good, bad))

    found = tried(tmp_path / "bot")

    assert (found.returncode, f"tables/idiot.jsonl: {sentence}" in found.stdout) == (1, True), found.stdout


# The command


def test_a_new_bot_is_told_with_what_to_type_next(tmp_path):
    path = str(tmp_path / "my bot")

    found = arena(path, "--language", "rs", "--game", "imp")

    assert found.exit_code == 0, found.output
    assert found.stdout.splitlines() == [
        f"made {path}: README.md, bot.toml, test.sh, json.rs, main.rs, tables/imp.jsonl",
        f"to try it offline:  sh '{path}/test.sh'",
        f"to enter it:        arena submit '{path}'",
    ]


def test_the_python_that_has_the_arena_is_named_where_it_is_not_the_usual(monkeypatch, tmp_path):
    (tmp_path / "python3").touch(mode=0o755)
    monkeypatch.setenv("PATH", str(tmp_path))

    assert trial(Path("bot"), "python") == f"PYTHON={sys.executable} sh bot/test.sh"
    assert trial(Path("bot"), "c") == "sh bot/test.sh"


def test_a_language_without_its_tools_is_made_and_told_what_to_install(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))

    found = arena(str(tmp_path / "bot"), "--language", "javascript")

    assert found.exit_code == 0
    assert "javascript bots cannot run on this machine yet: node is not in PATH; type: " in found.stderr
    assert (tmp_path / "bot" / "main.js").is_file()


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("there",), "there is there already; type another path"),
        (("a", "--language", "cobol"), "no language 'cobol'; the languages are: python, javascript, c, cpp"),
        (("a", "--game", "chess"), "no game 'chess'; the games are: idiot, imp"),
        (("a\u202eb",), "name: U+202E is not allowed"),
        (("there/file/a",), "there/file/a: Not a directory"),
        (("x" * 41,), "name: 41 characters, 1 to 40 allowed"),
    ],
)
def test_what_cannot_be_made_is_told_and_leaves_nothing(monkeypatch, tmp_path, words, sentence):
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "file").touch()
    monkeypatch.chdir(tmp_path)

    found = arena(*words)

    assert (found.exit_code, sentence in found.stderr) == (2, True), found.output
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["file", "there"]
