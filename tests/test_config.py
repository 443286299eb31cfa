"""The TOML file of a league, and how the command line goes before it."""

import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.league.config import RANGES, ClockWish, Wish, over, read, wish
from arena.model import Partners, UserError

WHOLE = """
name = "friday"
game = "idiot"
players = 3
bots = ["ann", "bea"]
boards = 16
seed = "friday the 13th"
jobs = 2
block = 4
fill = "house"
partners = "mixed"
sandbox = "plain"

[option]
rounds = 2
seven_low = true

[clock]
move_ms = 200
bank_ms = 0
"""


def written(folder: Path, text: str) -> Path:
    path = folder / "league.toml"
    path.write_text(text, "utf-8")
    return path


def test_a_file_says_all_that_options_can(tmp_path: Path) -> None:
    assert read(written(tmp_path, WHOLE)) == Wish(
        name="friday",
        game="idiot",
        players=3,
        bots=("ann", "bea"),
        boards=16,
        seed="friday the 13th",
        jobs=2,
        option={"rounds": 2, "seven_low": True},
        clock=ClockWish(move_ms=200, bank_ms=0),
        block=4,
        fill="house",
        partners=Partners.MIXED,
        sandbox="plain",
    )


def test_an_empty_file_wishes_nothing(tmp_path: Path) -> None:
    assert read(written(tmp_path, "")) == Wish()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("bord = 3", r"league\.toml: unknown key 'bord'; the keys are name, game, players, bots, boards,"),
        (
            "[clock]\nmove = 3",
            r"\[clock\] of .*league\.toml: unknown key 'move'; the keys are move_ms, bank_ms",
        ),
        ("boards = 'many'", r"league\.toml: boards is 'many'; a whole number from 1 to 999999 is needed"),
        ("boards = true", r"boards is True; a whole number from 1 to 999999"),
        ("boards = [3]", r"boards is 3; a whole|boards is a list; a whole"),
        ("bots = 'ann'", r"league\.toml: bots is a text in quotes; a list is needed"),
        ("bots = []", r"league\.toml: bots is empty; leave it out, or say what it is"),
        ("bots = ['']", r"bots is empty"),
        ("name = ''", r"name is empty"),
        ("game = ''", r"game is empty"),
        (f"seed = {2**63}", r"seed is a number of 64 bits; at most 63 are allowed"),
        (f"seed = 0x{'f' * 8_000}", r"seed is a number of 32000 bits"),
        (f"[option]\nrounds = 0x{'f' * 8_000}", r"option rounds is a number of 32000 bits"),
        (f"boards = 0x{'f' * 8_000}", r"boards is a number of 32000 bits; a whole number from 1"),
        (f"boards = {'9' * 5_000}", r"league\.toml: a number of more than 4300 digits"),
        (f"boards = {'[' * 5_000}", r"league\.toml: lists or tables in one another, deeper than"),
        ("clock = 3", r"clock is a whole number; a table is needed"),
        ("fill = 'nobody'", r"league\.toml: fill is 'nobody'; it may be house"),
        ("partners = 'both'", r"league\.toml: partners is 'both'; it may be same or mixed"),
        ("partners = ['same']", r"partners is a list; it may be same or mixed"),
        (
            "boards = 2\ngame = idiot",
            r'league\.toml: line 2: found game = idiot; it should be game = "idiot"',
        ),
        (
            "cluster = '10.0.0.5'",
            r"cluster is '10\.0\.0\.5'; an address with a port is needed, such as tcp://",
        ),
        ("auto_forced = True", r"it should be auto_forced = true$"),
    ],
)
def test_a_mistake_is_told_with_its_place(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(UserError, match=message):
        read(written(tmp_path, text))


@pytest.mark.parametrize("word", RANGES)
def test_a_number_beyond_its_range_is_told_with_the_range(word: str) -> None:
    least, most = RANGES[word]

    for number in (least - 1, most + 1, 10**30):
        named = {"clock": {word: number}} if word.endswith("_ms") else {word: number}
        with pytest.raises(UserError, match=rf"^here: {word} is .*; a whole number from {least} to {most} "):
            wish(named, where="here")


@pytest.mark.parametrize("word", RANGES)
def test_both_ends_of_a_range_are_taken(word: str) -> None:
    for number in RANGES[word]:
        named = {"clock": {word: number}} if word.endswith("_ms") else {word: number}

        taken = wish(named, where="here")

        assert getattr(taken.clock if word.endswith("_ms") else taken, word) == number


known = [*Wish.__struct_fields__, *ClockWish.__struct_fields__, "rounds"]
words = st.sampled_from(known) | st.text(max_size=5)
values = st.recursive(
    st.booleans() | st.floats() | st.text(max_size=5) | st.dates() | st.integers() | st.just(10**4_000),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner, max_size=3),
    max_leaves=6,
)


@given(named=st.dictionaries(words, values, max_size=4))
def test_whatever_a_file_says_is_a_wish_or_a_sentence(named: dict[str, Any]) -> None:
    try:
        taken = wish(named, where="here")
    except UserError as refused:
        assert str(refused).startswith(("here: ", "[clock] of here: "))  # noqa: PT017 - both ends are right
    else:
        assert isinstance(taken, Wish)


def test_an_empty_seed_is_a_seed() -> None:
    assert wish({"seed": ""}, where="here") == Wish(seed="")


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"none\.toml: No such file or directory$"):
        read(tmp_path / "none.toml")


def test_a_file_in_another_encoding_is_told(tmp_path: Path) -> None:
    path = tmp_path / "league.toml"
    path.write_bytes(b"name = '\xff'")

    with pytest.raises(UserError, match=r"league\.toml: no text in UTF-8: found byte 0xff at place 9"):
        read(path)


def test_the_command_line_wins_word_by_word() -> None:
    file = Wish(game="idiot", boards=16, option={"rounds": 2, "seven_low": True}, clock=ClockWish(200, 0, 5))
    line = wish({"boards": 8, "option": {"rounds": "3"}, "clock": {"move_ms": 100}}, where="command line")

    assert over(line, file) == Wish(
        game="idiot", boards=8, option={"rounds": "3", "seven_low": True}, clock=ClockWish(100, 0, 5)
    )


def test_the_page_on_leagues_has_the_ranges() -> None:
    page = (Path(__file__).parent.parent / "docs" / "leagues.md").read_text("utf-8")

    rows = re.findall(r"^\| `(\w+)` \| ([\d,]+) \| ([\d,]+)", page, re.MULTILINE)

    found = {word: (int(least.replace(",", "")), int(most.replace(",", ""))) for word, least, most in rows}
    assert found == {word: RANGES[word] for word in RANGES if word != "players"}
