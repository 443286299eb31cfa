"""The rules pages as a command shows them: raw to a file, readable on a terminal, in every package."""

from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from arena import grid
from arena.cli import group, rules
from arena.games import GAMES
from tests.terminals import terminal

PAGES = Path(__file__).parent.parent / "docs" / "games"
MARKDOWN = """# Snap

A game for *two*. It is [short](snap.md).

| action | what it is, told at some length |
| --- | --- |
| `snap` | take the pile |

- **N1** Be quick.
- **N2** Who says **snap** first of all the players has the whole pile.

```json
{"pile": []}
```
"""


def arena(*words: str) -> Result:
    return CliRunner().invoke(group, ["rules", *words], catch_exceptions=False)


@pytest.mark.parametrize("name", GAMES)
def test_elsewhere_than_on_a_terminal_the_page_is_as_it_was_written(name):
    assert arena(name.upper()).stdout == (PAGES / f"{name}.md").read_text("utf-8")


@pytest.mark.process
def test_on_a_terminal_the_page_is_readable_and_goes_through_a_pager():
    with terminal("rules", "idiot", env={"PAGER": "cat"}, columns=60) as shown:
        code = shown.ended()

    assert code == 0
    assert "## " not in shown.shown
    assert 50 < max(map(grid.cells, click.unstyle(shown.shown).splitlines())) <= 60


def test_without_a_game_all_are_listed_with_their_players_and_a_line_each():
    lines = arena().stdout.splitlines()

    assert [line.split()[0] for line in lines[2:]] == list(GAMES)
    assert lines[2].split(maxsplit=5)[1:] == [
        "2,",
        "3,",
        "4,",
        "5",
        "A shedding game for two to five, also called Palace or Shed.",
    ]


def test_an_unknown_game_is_wrong_usage():
    found = arena("chess\x1b[2J")

    assert found.exit_code == 2
    assert r"no game 'chess\x1b[2J'; the games are: idiot" in found.stderr


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("columns", [60, 80, 120])
def test_every_page_fits_the_terminal_and_keeps_its_words(name, columns):
    page = rules.page(name)

    lines = rules.readable(page, columns)

    assert max(map(grid.cells, lines)) <= columns
    assert len(click.unstyle("".join(lines)).split()) > 100
    assert "**" not in "".join(lines)


def test_what_markdown_marks_is_styled_and_tables_and_lists_are_broken_into_columns():
    lines = rules.readable(MARKDOWN, 34)

    assert [click.unstyle(line) for line in lines] == [
        "Snap",
        "",
        "A game for two. It is short.",
        "",
        "action  what it is, told at some",
        "        length",
        "------  --------------------------",
        "snap    take the pile",
        "",
        "- N1 Be quick.",
        "- N2 Who says snap first of all",
        "  the players has the whole pile.",
        "",
        '  {"pile": []}',
    ]
    assert click.style("snap", fg="cyan") in lines[7]


def test_sections_of_a_page_are_found():
    page = "# Snap\n\nOne two.\nThree.\n\n## A match\n\nIt is short.\n\n## Cards\n\nFew.\n"

    assert rules.opening(page) == "One two.\nThree."
    assert rules.summary(page) == "One two."
    assert rules.section(page, "A match") == "It is short."
    assert rules.section(page, "Options") == ""
