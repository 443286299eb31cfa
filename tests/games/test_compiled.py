"""Whether these tests run on what they are said to: the sources, or what `make compiled` made of them."""

import os
from pathlib import Path

import pytest
from click.testing import CliRunner

from arena import games
from arena.cli import group
from arena.games import GAMES, base, cards, idiot, imp, imperial, mpirimpa, mpirimpa_melds, shedding

MODULES = (base, cards, idiot, imp, imperial, mpirimpa, mpirimpa_melds, shedding)


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_the_games_are_compiled_where_that_was_asked_for_and_nowhere_else(module):
    asked = os.environ.get("CARD_ARENA_COMPILE") == "1"

    assert Path(module.__file__).suffix == (".so" if asked else ".py")


def test_every_module_of_the_games_is_in_the_list():
    folder = Path(games.__file__).parent

    assert {path.stem for path in folder.glob("*.py")} - {"__init__"} == {
        module.__name__.rpartition(".")[2] for module in MODULES
    }
    assert set(GAMES) <= {module.__name__.rpartition(".")[2] for module in MODULES}


BOT = """
import arena.games.mpirimpa as game
from protocol.client import run

print(f"played with {game.__file__.rpartition('.')[2]}")
run(lambda decision: decision.legal[0])
"""


@pytest.mark.process
@pytest.mark.box
def test_a_bot_in_its_box_has_them_as_we_have(tmp_path):
    (tmp_path / "bot.py").write_text(BOT, "utf-8")

    words = ["match", "idiot", str(tmp_path / "bot.py"), "house", "--logs", "--workspace", str(tmp_path)]
    ran = CliRunner().invoke(group, words)

    assert f"played with {Path(mpirimpa.__file__).suffix[1:]}" in ran.stdout
