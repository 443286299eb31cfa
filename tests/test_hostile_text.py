"""Text of bots and of users, poured into every place that takes some: none of it is ever written raw."""

import json
import re
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner
from click.testing import Result as Ran
from hypothesis import given, settings
from hypothesis import strategies as st

from arena import transcript
from arena.cli import COMMANDS, group
from arena.cli import league as league_commands
from arena.grid import STYLES
from arena.league.runner import Progress
from arena.league.runner import Ran as RanLeague
from arena.model import Circumstances, Clock, Entrant, Extension, Late, Outcome, TableJob, TableResult
from arena.store import Store
from protocol.text import INVISIBLE
from tests.stored import BOARDS, CRASH, LEAGUE, first_legal, record

CHARACTERS = (
    *("\x1b", "\x07", "\x08", "\r", "\x7f", "\x85", "\x9b", "\n", "\t", "\v"),
    *("\u202a", "\u202e", "\u2066", "\u2069", "\u061c", "\u200b", "\u200d", "\u200f", "\u2060", "\ufeff"),
    *(
        "\u2028",
        "\u2029",
        "\u00ad",
        "\ufe0f",
        "\u3164",
        "\u115f",
        "\u2800",
        "\U000e0001",
        "\U000e0100",
        "\u00a0",
    ),
)
"""Such as move the cursor, ring, turn the line round, or take room without being seen."""
OUR_COLOURS = re.compile(r"\x1b\[[0-9;]*m")
STYLED = ("leagues", "bots", "faults", "leaderboard", "matrix", "crosstable", "seats", "show")
EXAMPLES = 5

hostile = st.lists(
    st.sampled_from((*CHARACTERS, "Q", "Q", "<b>", "|", '"', "'", "\\")), min_size=1, max_size=8
).map("".join)


def raw(text: str) -> set[str]:
    """Characters of a text that no terminal and no file should get, but for our own colours and lines."""
    bare = OUR_COLOURS.sub("", text)
    return {char for char in bare if char not in "\n\t" and (not char.isprintable() or char in INVISIBLE)}


def poured(folder: Path, text: str) -> Path:
    """A workspace in which every place that a bot can put text has this one."""
    bots = tuple(
        Entrant(f"{letter}{text}", sha256(f"{letter}{text}".encode()).hexdigest()) for letter in "ab"
    )
    league = msgspec.structs.replace(LEAGUE, extensions=(Extension(bots, 2, bytes(32)),), sandbox="plain")
    late = Late(1, 1, Circumstances(limit_ms=100.0, cpu_ms=1.0, waited_ms=90.0))
    with Store.open(folder) as store:
        for bot in bots:
            store.add_version(
                bot.name, bot.version, games=("idiot",), submitted=datetime.now(UTC), sandbox="plain"
            )
        store.create_league(league)
        for key, seating in (("t1", bots), ("t2", bots[::-1])):
            job = TableJob(key, "idiot", {}, seating, BOARDS, Clock(), "plain", "/nowhere")
            records = tuple(with_text(board, seating, text) for board in BOARDS)
            store.commit("cup", job, TableResult(key, records, layers=("no walls",), void=(late,)))
    return folder


def with_text(board, seating, text):
    kept = msgspec.structs.replace(first_legal(board.seed, 3, text), seats=seating)
    made = record(board, Outcome((1.0, 2.0), None, 3, (CRASH,)), kept)
    cost = msgspec.structs.replace(
        made.measurement,
        fault_details=(text,),
        logs=(f"{text}\n", f"one\n{text}\n" * 20),
        sent=(text.encode() + b"\xff",),
    )
    return msgspec.structs.replace(made, measurement=cost, transcript=transcript.write(kept))


def commands(bot: str, text: str) -> list[list[str]]:
    """Every command that shows what is stored, and words of a user where it takes some."""
    shown = [
        *(["leagues"], ["bots"], ["status"], ["status", "cup"]),
        *(
            ["leaderboard"],
            ["leaderboard", "--color", "always"],
            ["leaderboard", "--columns", "bot,version,faults"],
        ),
        *(["matrix"], ["crosstable"], ["seats"], ["history", bot]),
        *(["show"], ["show", "1"], ["show", "1", "--views"], ["replay", "1"]),
        *(["faults"], ["faults", bot], ["faults", "--match", "1"], ["logs", "1"], ["logs", "1", bot]),
        *(["run", "cup"], ["verify", "cup"], ["retire", bot], ["retire", bot, "--undo"]),
        *(["disk"], ["trim", "cup", "--logs"], ["delete", "bot", bot], ["delete", "league", "cup"]),
        *(["rename", "bot", bot, "b"], ["export", "cup", "/nowhere/cup.league"]),
    ]
    wrong = [
        *(
            [name, text]
            for name in ("status", "leaderboard", "logs", "show", "faults", "submit", "retire", text)
        ),
        *([name, f"--{text}"] for name in ("bots", "run", "doctor")),
        *([name, "--style", text] for name in ("bots", "leaderboard", "show")),
        *(["leaderboard", "--columns", text], ["leaderboard", "--anchor", f"{text}=1"], ["rules", text]),
        *(["run", "--game", text], ["run", "--name", text, "--game", "idiot"], ["run", f"{text}.toml"]),
        *(["run", "--game", "idiot", "--bots", text], ["run", "--game", "idiot", "--option", text]),
        *(["run", "--game", "idiot", "--players", text], ["run", "--game", "idiot", "--schedule", text]),
        *(
            ["play", text],
            ["play", "idiot", "--against", text],
            ["match", "idiot", text],
            ["match", text, "house"],
        ),
        *(["doctor", "--clock", text], ["new", "--language", text, "x"], ["history", text], ["verify", text]),
        *(
            ["bots", "--workspace", f"/nowhere/{text}"],
            ["check", text],
            ["compare", text, text, "--game", "idiot"],
        ),
        *(["compare", bot, text], ["compare", bot, "house", "--game", text]),
        *(["trim", text, "--logs"], ["delete", "bot", text], ["delete", "league", text], ["import", text]),
        *(["rename", "bot", text, "b"], ["rename", "league", "cup", text], ["export", text, "x"]),
    ]
    return shown + [words for words in wrong if "\0" not in "".join(words)]


def ran(workspace: Path, words: list[str]) -> Ran:
    return CliRunner().invoke(
        group, words, env={"ARENA_WORKSPACE": str(workspace), "COLUMNS": "100"}, input="q\n", color=True
    )


@pytest.fixture(autouse=True)
def nothing_is_played(monkeypatch: pytest.MonkeyPatch) -> None:
    played = RanLeague(Progress(0, 2, 0, 0.0), None)
    monkeypatch.setattr(league_commands.runner, "run", lambda *_, **__: played)
    monkeypatch.setattr(league_commands.planning, "check_kept", lambda *_: None)
    monkeypatch.setattr(league_commands.planning, "check_built", lambda *_, **__: None)


def checked(workspace: Path, text: str) -> None:
    bot = f"a{text}"
    for words in commands(bot, text):
        found = ran(workspace, words)
        assert raw(found.output) == set(), (words, found.output)
        assert found.exception is None or isinstance(found.exception, SystemExit), (words, found.exc_info)


@pytest.mark.parametrize("chunk", range(0, len(CHARACTERS), 6))
def test_no_character_that_moves_turns_or_hides_comes_through(tmp_path: Path, chunk: int) -> None:
    text = "Q".join(["", *CHARACTERS[chunk : chunk + 6], ""])

    checked(poured(tmp_path, text), text)


def test_no_mix_of_them_comes_through(tmp_path_factory: pytest.TempPathFactory) -> None:
    @settings(max_examples=EXAMPLES)
    @given(text=hostile)
    def tried(text: str) -> None:
        checked(poured(tmp_path_factory.mktemp("poured"), text), text)

    tried()


@pytest.mark.parametrize("style", STYLES)
def test_no_style_lets_any_through(tmp_path: Path, style: str) -> None:
    workspace = poured(tmp_path, "".join(CHARACTERS[:10]))

    for name in STYLED:
        found = ran(workspace, [name, "--style", style])
        assert found.exit_code == 0, found.output
        assert raw(found.output) == set(), (name, found.output)
        if style == "json":
            assert raw(json.dumps(json.loads(found.stdout), ensure_ascii=False).replace("\\n", "")) == set()


def test_text_of_any_length_takes_no_more_room_than_is_kept(tmp_path: Path) -> None:
    workspace = poured(tmp_path, "\x1b" * 20_000)

    for words in (["bots"], ["leaderboard"], ["show"], ["faults"], ["leagues"], ["matrix"], ["status"]):
        found = ran(workspace, words)
        assert max(map(len, found.output.splitlines())) < 1_000, words


def test_every_command_is_among_them() -> None:
    named = {words[0] for words in commands("a", "b")}

    assert set(COMMANDS) <= named


HOSTILE_BOT = """
import sys
from protocol.client import run

TEXT = "Q\\x1b[2JQ\\u202eQ\\x07Q"

def choose(decision):
    print(TEXT, flush=True)
    sys.stderr.write(TEXT + "\\n")
    return (decision.legal[0], TEXT) if decision.turn < 4 else TEXT

run(choose)
"""


@pytest.mark.process
def test_what_a_playing_bot_says_comes_through_nowhere(tmp_path: Path) -> None:
    folder = tmp_path / "bot"
    folder.mkdir()
    (folder / "main.py").write_text(HOSTILE_BOT)
    (folder / "bot.toml").write_text('name = "bad"\nlanguage = "python"\ngames = ["idiot"]\n')
    plain = ["--sandbox", "plain"]

    for words in (
        ["match", "idiot", str(folder), "house", "--watch", "--logs", *plain],
        ["submit", str(folder), *plain],
        ["check", str(folder), "--game", "idiot", *plain],
    ):
        found = ran(tmp_path / "workspace", words)
        assert "ILLEGAL" in found.output, found.output
        assert raw(found.output) == set(), found.output


@pytest.mark.parametrize(
    "manifest",
    [
        'name = "a\\u001bb"',
        'name = "ok"\ngames = ["a\\u202eb"]',
        'name = "ok"\nlanguage = "\\u0007"',
        'name = "ok"\n"\\u009b" = 1',
        'name = "ok"\ncommand = ["\\u202e"]\nbuild = ["\\u001b"]',
        "\x1b",
    ],
)
def test_what_is_wrong_with_a_submission_is_said_without_its_characters(
    tmp_path: Path, manifest: str
) -> None:
    folder = tmp_path / "bot"
    folder.mkdir()
    (folder / "main.py").write_text("")
    (folder / "bot.toml").write_text(manifest)

    found = ran(tmp_path / "workspace", ["submit", str(folder), "--sandbox", "plain"])

    assert found.exit_code in (1, 2), found.output
    assert raw(found.output) == set(), found.output
