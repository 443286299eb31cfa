from collections import Counter

import pytest

from tests.models.lockstep_mpirimpa import play_mpirimpa


@pytest.mark.parametrize("first", range(0, 40, 10))
def test_engine_and_naive_model_agree_in_every_match(first):
    for seed in range(first, first + 10):
        play_mpirimpa(seed)


def test_the_matches_played_side_by_side_show_all_that_can_happen():
    happened = sum((play_mpirimpa(seed) for seed in range(40, 52)), Counter())

    kinds = ["2 players", "4 players", "casual", "draw draw", "draw take", "justify meld", "justify add"]
    kinds += ["meld meld", "meld add", "meld discard", "not listed", "packet", "close", "2 rounds"]
    assert [kind for kind in kinds if not happened[kind]] == []
