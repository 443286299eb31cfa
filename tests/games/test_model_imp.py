from collections import Counter

import pytest

from tests.models.lockstep_shedding import play_imp


@pytest.mark.parametrize("first", range(0, 160, 40))
def test_engine_and_naive_model_agree_in_every_match(first):
    for seed in range(first, first + 40):
        play_imp(seed)


def test_the_matches_played_side_by_side_show_all_that_can_happen():
    happened = sum((play_imp(seed) for seed in range(160, 300)), Counter())

    wanted = {
        *(f"{players} players" for players in (2, 3, 4, 5)),
        *("play_on True", "play_on False", "cap", "end"),
        *("setup six", "quad hand", "turn hand", "turn open", "turn hidden"),
        *("open", "play", "flip ok", "flip fail", "pickup", "quad", "dir", "draw", "out"),
        *("quad of the mover", "quad of another", "pass of the mover", "pass of another"),
        *("quad of the mover and out", "quad of another and out"),
        *("out from hidden by a 2", "out from hidden by a 8", "out from hidden by a T"),
    }
    assert wanted - set(happened) == set()
