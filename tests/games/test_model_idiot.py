from collections import Counter

import pytest

from tests.models.lockstep_shedding import play_idiot


@pytest.mark.parametrize("first", range(0, 80, 20))
def test_engine_and_naive_model_agree_in_every_match(first):
    for seed in range(first, first + 20):
        play_idiot(seed)


def test_the_matches_played_side_by_side_show_all_that_can_happen():
    happened = sum((play_idiot(seed) for seed in range(80, 120)), Counter())

    wanted = {
        *(f"{players} players" for players in (2, 3, 4, 5)),
        *(f"rounds {rounds}" for rounds in (1, 2, 3)),
        *(f"{option} {value}" for option in ("seven_low", "lowest_starts") for value in (True, False)),
        *("swap six", "turn hand", "turn open", "turn blind", "cap", "end"),
        *("play of 1", "play of 2", "play of 3", "play of 4", "pickup of 0", "flip of 1"),
        *("open", "play", "flip ok", "flip fail", "pickup", "burn", "draw", "out"),
        *("burn from hand by a ten", "burn from open by a ten", "burn from blind by a ten"),
        *("burn from hand by four", "out from blind by a T"),
    }
    assert wanted - set(happened) == set()
