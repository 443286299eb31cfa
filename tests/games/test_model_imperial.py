import pytest

from tests.models.lockstep import play_imperial


@pytest.mark.parametrize("first", range(0, 300, 50))
def test_engine_and_naive_model_agree_in_every_match(first):
    for seed in range(first, first + 50):
        play_imperial(seed)
