"""The page of each game says what its engine does: docs/games/<game>.md."""

import json
import re
from dataclasses import fields
from pathlib import Path
from random import Random

import pytest

from arena.games import GAMES
from arena.games.base import parse_options
from games.playing import moments

HERE = Path(__file__).parent
PAGES = HERE.parent.parent / "docs" / "games"

every_game = pytest.mark.parametrize("name", GAMES)

UNTESTED = {"S24": "says that some texts are no rules"}
"""Rulings without anything to test."""


def section(name: str, title: str) -> str:
    text = (PAGES / f"{name}.md").read_text("utf-8")
    return re.split(r"^## ", text.split(f"\n## {title}\n")[1], flags=re.MULTILINE)[0]


def rows(text: str) -> list[list[str]]:
    """Cells of the tables of a section whose first cell is code, without its backticks."""
    lines = [line.strip("|").split(" | ") for line in text.splitlines() if line.startswith("| `")]
    return [[cell.strip().strip("`") for cell in line] for line in lines]


def example(name: str) -> dict:
    return json.loads(re.search(r"```json\n(.*?)```", section(name, "View"), re.DOTALL)[1])


@every_game
def test_the_options_of_the_page_are_those_of_the_code(name):
    told = {option: (default, bounds) for option, default, bounds, _ in rows(section(name, "Options"))}

    assert told == {
        field.name: (str(field.default).lower(), bounds_in_words(field))
        for field in fields(GAMES[name].options)
    }


def bounds_in_words(field) -> str:
    if isinstance(field.default, bool):
        return "true or false"
    if "range" in field.metadata:
        return "{} to {}".format(*field.metadata["range"])
    return ", ".join(field.metadata.get("choices", ()))


@every_game
def test_the_phases_of_the_page_are_those_of_the_code(name):
    game = GAMES[name]
    options = parse_options(game.options, {"rounds": 2} if name == "idiot" else {})

    seen = {
        state.position()["phase"]
        for players in game.players
        for seed in range(8)
        for state, _ in moments(game, options, players, seed)
    }

    assert {row[0] for row in rows(section(name, "Phases"))} == seen


@every_game
def test_the_fields_of_the_view_on_the_page_are_those_of_the_code(name):
    game = GAMES[name]
    state = game.new(game.options(), game.players[0], 0)

    assert [row[0] for row in rows(section(name, "View"))] == list(example(name)) == list(state.view(0))


@every_game
def test_the_view_of_the_page_is_a_view(name):
    view = example(name)

    assert GAMES[name].from_view(view, Random(0)).view(view["seat"]) == view


@every_game
def test_every_ruling_of_the_page_has_a_test_or_a_scenario(name):
    told = set(re.findall(r"\*\*([A-Z]\d+)\*\*", section(name, "Rulings")))
    tests = "".join(path.read_text("utf-8") for path in HERE.glob("test_*.py"))
    tested = {
        letter.upper() + str(int(number)) for letter, number in re.findall(r"def test_([a-z])(\d+)_", tests)
    }
    scenarios = json.loads((HERE / "scenarios.json").read_text("utf-8")).get(name, [])
    worked = {reference for scenario in scenarios for reference in scenario["refs"].split()}

    assert told - tested - worked - set(UNTESTED) == set()
    assert worked <= told


@pytest.mark.parametrize(
    ("name", "rulings"),
    [("imp", "I1 I35"), ("idiot", "S1 S24"), ("imperial", "P1 P29"), ("mpirimpa", "M1 M38")],
)
def test_no_ruling_is_left_out_of_the_page(name, rulings):
    first, last = rulings.split()
    told = re.findall(r"\*\*([A-Z]\d+)\*\*", section(name, "Rulings"))

    assert sorted(told) == sorted(f"{first[0]}{number}" for number in range(1, int(last[1:]) + 1))
