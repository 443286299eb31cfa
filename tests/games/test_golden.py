"""Each game's golden playthrough is still what the engine plays. To write them anew after a wanted change:

.venv/bin/python tests/games/golden.py
"""

import pytest

from games.golden import FOLDER, playthrough, tables


@pytest.mark.parametrize("name", tables())
def test_the_golden_playthrough_is_what_the_engine_plays(name):
    assert playthrough(*tables()[name]) == (FOLDER / f"{name}.txt").read_text("utf-8")


def test_every_golden_playthrough_is_of_a_registered_game():
    assert {path.stem for path in FOLDER.glob("*.txt")} == set(tables())
