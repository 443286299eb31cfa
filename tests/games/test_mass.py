import pytest

from arena.games import GAMES
from tests.games.mass import play_matches


@pytest.mark.parametrize("name", GAMES)
def test_random_matches_run_clean(name):
    played = play_matches(GAMES[name], 40)

    assert min(played) >= 40
