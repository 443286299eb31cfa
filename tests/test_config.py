"""The TOML file of a league, and how the command line goes before it."""

from pathlib import Path

import pytest

from arena.league.config import ClockWish, Wish, over, read, wish
from arena.model import UserError

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
        ("boards = 'many'", r"Expected `int`, got `str` - at `\$\.boards`"),
        ("boards = 0", r"Expected `int` >= 1 - at `\$\.boards`"),
        ("boards = 1000000", r"Expected `int` <= 999999"),
        ("[clock]\nmove_ms = 0", r"Expected `int` >= 1 - at `\$\.clock\.move_ms`"),
        ("clock = 3", r"Expected `object`, got `int` - at `\$\.clock`"),
        ("fill = 'nobody'", r"Invalid enum value 'nobody'"),
        ("game = ", r"league\.toml: Invalid value"),
    ],
)
def test_a_mistake_is_told_with_its_place(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(UserError, match=message):
        read(written(tmp_path, text))


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"none\.toml.*No such file"):
        read(tmp_path / "none.toml")


def test_a_file_in_another_encoding_is_told(tmp_path: Path) -> None:
    path = tmp_path / "league.toml"
    path.write_bytes(b"name = '\xff'")

    with pytest.raises(UserError, match=r"league\.toml: .*utf-8"):
        read(path)


def test_the_command_line_wins_word_by_word() -> None:
    file = Wish(game="idiot", boards=16, option={"rounds": 2, "seven_low": True}, clock=ClockWish(200, 0, 5))
    line = wish({"boards": 8, "option": {"rounds": "3"}, "clock": {"move_ms": 100}}, where="command line")

    assert over(line, file) == Wish(
        game="idiot", boards=8, option={"rounds": "3", "seven_low": True}, clock=ClockWish(100, 0, 5)
    )
