"""The sequential test against published values of other programs, and the laws it must keep."""

import math
from pathlib import Path
from statistics import NormalDist

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from arena.model import Bounds, Scale
from arena.ratings import passage
from arena.ratings.likelihood import normalised_misses, odds
from arena.ratings.sequential import (
    NORMALISED,
    Sample,
    Verdict,
    blocks_left,
    decided,
    difference,
    expected_score,
    fixed_interval,
    lines,
    live_interval,
    logistic_elo,
    ratio,
    reach,
    sample,
    stopped_estimate,
    superiority,
)
from tests.scripts import script

bench = script(Path(__file__).parent.parent / "benchmarks" / "bench_compare.py")

NORMAL = NormalDist()
RUNS = 20
"""Simulated comparisons a case; `benchmarks/bench_compare.py` plays thousands."""


def seen(*counts: int) -> Sample:
    """Lost, tied, won; or pairs by twice their score."""
    matches = 1 if len(counts) == 3 else 2
    return Sample(tuple((place / (len(counts) - 1), count) for place, count in enumerate(counts)), matches)


def even(lost: int, alike: int, won: int) -> Sample:
    """Pairs of matches that never tie."""
    return Sample(((0.0, lost), (0.5, alike), (1.0, won)), 2)


def wald(found: Sample) -> float:
    """Half of a plain 95 % interval in normalised Elo, as other programs print it."""
    return NORMAL.inv_cdf(0.975) * NORMALISED / math.sqrt(found.matches * found.blocks)


# Published values


@pytest.mark.parametrize(
    ("found", "nelo", "error"),
    [
        (seen(89, 123, 76), -20.76, 40.13),
        (seen(96, 111, 136), 49.77, 36.77),
        (seen(356, 0, 34), -508.44, 34.48),
        (seen(34, 54, 31 + 32, 64, 75), 57.94, 28.28),
        (seen(7895, 8757, 5485 + 200, 568, 9999), -19.01, 2.65),
    ],
)
def test_normalised_elo_is_that_of_fastchess(found: Sample, nelo: float, error: float):
    assert round(difference(found, Scale.NORMALISED), 2) == nelo
    assert round(wald(found), 2) == error


@pytest.mark.parametrize(
    ("found", "elo", "error"),
    [
        (seen(96, 111, 136), 40.70, 30.43),
        (seen(34, 54, 31 + 32, 64, 75), 55.58, 27.65),
        (seen(7895, 8757, 5485 + 200, 568, 9999), -21.04, 2.95),
    ],
)
def test_logistic_elo_is_that_of_fastchess_and_the_interval_nearly(found: Sample, elo: float, error: float):
    low, high = fixed_interval(found, Scale.LOGISTIC)

    assert round(difference(found, Scale.LOGISTIC), 2) == elo
    assert (high - low) / 2 == pytest.approx(error, rel=0.01)


def test_superiority_is_that_of_fastchess_and_cutechess():
    assert round(100 * superiority(seen(89, 123, 76)), 2) == 15.53
    assert round(100 * superiority(seen(96, 111, 136)), 2) == 99.60
    assert round(100 * superiority(seen(759, 1863, 880)), 2) == 99.86
    assert round(difference(seen(759, 1863, 880), Scale.LOGISTIC), 1) == 12.0


@pytest.mark.parametrize(
    ("found", "elo0", "elo1", "scale", "value"),
    [
        (seen(36027, 68692, 36433), 0, 2, Scale.NORMALISED, 0.92329345),
        (seen(10650, 20431, 10871), -1.75, 0.25, Scale.NORMALISED, 2.29750041),
        (seen(0, 0, 4250), 0, 10, Scale.NORMALISED, 120.548268),
        (seen(21184, 40708, 21404), 0.5, 2.5, Scale.LOGISTIC, -1.57188879),
        (seen(57030, 106593, 57433), 0, 2, Scale.LOGISTIC, -2.59302416),
        (seen(365, 16618, 36229, 16974, 390), 0, 2, Scale.NORMALISED, 2.25036770),
        (seen(127, 4883, 10712, 5150, 104), -1.75, 0.25, Scale.NORMALISED, 3.01015420),
        (seen(0, 0, 0, 0, 5550), 0, 5, Scale.NORMALISED, 111.797555),
        (seen(223, 9863, 21279, 10037, 246), 0.5, 2.5, Scale.LOGISTIC, -3.07412644),
        (seen(379, 10170, 21828, 10640, 343), 0, 2, Scale.NORMALISED, 2.94549543),
        (seen(39, 2226, 31451, 2412, 40), 0.764, 3.439, Scale.NORMALISED, 2.16294087),
        (seen(10789, 19328, 33806, 19402, 10543), -3, 1, Scale.LOGISTIC, 2.13106781),
    ],
)
def test_the_ratio_is_that_of_fastchess_and_fishtest(
    found: Sample, elo0: float, elo1: float, scale: Scale, value: float
):
    assert ratio(found, Bounds(elo0, elo1, scale=scale)) == pytest.approx(value, rel=3e-9)


def test_the_test_ends_where_wald_put_its_lines():
    assert lines(Bounds()) == pytest.approx((-2.94443898, 2.94443898), abs=5e-9)
    assert lines(Bounds(alpha=0.01, beta=0.01)) == pytest.approx((-4.595, 4.595), abs=5e-4)


def test_the_estimate_after_a_test_is_that_of_fishtest():
    found, bounds = seen(39, 2226, 31451, 2412, 40), Bounds(0.764, 3.439)
    estimate = stopped_estimate(found, bounds, look=1)

    elo = [
        logistic_elo(0.5 + nelo / NORMALISED * found.deviation)
        for nelo in (estimate.elo, estimate.low, estimate.high)
    ]

    assert elo == pytest.approx([0.86516, 0.16827, 1.54058], abs=0.001)


@pytest.mark.parametrize(
    ("elo", "chance"), [(0.86516, 0.5), (0.16827, 0.025), (1.54058, 0.975), (0, 0.00801)]
)
def test_a_better_outcome_has_the_chance_that_fishtest_gives_it(elo: float, chance: float):
    found, bounds = seen(39, 2226, 31451, 2412, 40), Bounds(0.764, 3.439)
    low, high = lines(bounds)
    nelo = NORMALISED * (expected_score(elo) - 0.5) / found.deviation
    variance = 2 * ((bounds.elo1 - bounds.elo0) / NORMALISED) ** 2
    instant = 1e-6  # it looks all the time

    drift = (nelo - (bounds.elo0 + bounds.elo1) / 2) / (bounds.elo1 - bounds.elo0)
    above = passage.chance_above(
        passage.Walk(drift, low, high),
        ratio(found, bounds),
        before=found.blocks * variance - instant,
        after=instant,
    )

    assert above == pytest.approx(chance, abs=1e-5)


# Laws

scores = st.lists(st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0]), min_size=1, max_size=40)
thirds = st.lists(st.integers(0, 6).map(lambda number: number / 6), min_size=1, max_size=40)
scales = st.sampled_from(list(Scale))


def mirrored(found: Sample) -> Sample:
    return Sample(tuple(sorted((1 - score, count) for score, count in found.counts)), found.matches)


@settings(max_examples=25)
@given(scores | thirds, scales)
def test_exchanging_the_bots_negates_everything(blocks: list[float], scale: Scale):
    found, bounds = sample(blocks, 2), Bounds(-30, 30, scale=scale)
    other = mirrored(found)

    assert ratio(other, bounds) == pytest.approx(-ratio(found, bounds), abs=1e-9)
    low, high = fixed_interval(found, scale)
    assert fixed_interval(other, scale) == pytest.approx((-high, -low), abs=1e-3)


@given(scores | thirds, scales)
def test_an_interval_holds_the_middle_and_is_open_where_all_went_one_way_at_most(
    blocks: list[float], scale: Scale
):
    found = sample(blocks, 2)

    low, high = fixed_interval(found, scale)

    assert low < difference(found.weighted(extra=0.25), scale) < high
    assert math.isfinite(low) or found.score == 0
    assert math.isfinite(high) or found.score == 1


@settings(max_examples=15)
@given(scores | thirds, scales, st.integers(1, 40))
def test_an_estimate_after_a_stop_is_within_its_interval(blocks: list[float], scale: Scale, look: int):
    estimate = stopped_estimate(
        sample(blocks, 2), Bounds(-20, 30, scale=scale), look=max(look, len(blocks) // 3)
    )

    assert estimate.low <= estimate.elo <= estimate.high


@given(scores, st.randoms())
def test_the_order_of_blocks_changes_no_bit(blocks: list[float], rng):
    shuffled = rng.sample(blocks, len(blocks))

    assert sample(shuffled, 2) == sample(blocks, 2)


@given(scores | thirds, st.floats(-900, 900))
def test_a_claim_about_the_normalised_mean_is_met_by_the_weights_that_it_gives(
    blocks: list[float], nelo: float
):
    found = sample(blocks, 2).weighted(unseen=0.25)
    atoms = [score for score, _ in found.counts]
    shares = [count / found.weight for _, count in found.counts]
    distance = nelo / NORMALISED * math.sqrt(2)

    ratios = odds(shares, normalised_misses(atoms, shares, distance))

    claimed = Sample(tuple((a, p / r) for a, p, r in zip(atoms, shares, ratios, strict=True)), 2)
    assert claimed.weight == pytest.approx(1, abs=1e-6)
    assert difference(claimed, Scale.NORMALISED) == pytest.approx(nelo, abs=1e-3)


@example(6.0, 0.5, 1.0).via("nearly all that is still inside is near the line")
@given(st.floats(-8, 8), st.floats(0.01, 40), st.floats(-9, 9))
def test_what_is_better_for_one_bot_is_worse_for_the_other(drift: float, before: float, at: float):
    walk, other = passage.Walk(drift, -2.9, 3.3), passage.Walk(-drift, -3.3, 2.9)

    chance = passage.chance_above(walk, at, before=before, after=0.5)

    assert 0 <= chance <= 1
    assert chance == pytest.approx(1 - passage.chance_above(other, -at, before=before, after=0.5), abs=1e-5)


def test_a_walk_without_drift_stays_as_long_as_the_product_of_its_lines():
    assert passage.time_inside(passage.Walk(0, -2, 3)) == 6
    assert passage.time_inside(passage.Walk(1e-5, -2, 3)) == pytest.approx(6, rel=1e-4)
    assert passage.time_inside(passage.Walk(-9, -2, 3)) == pytest.approx(2 / 9, rel=1e-6)


# When it ends


def test_nothing_is_decided_before_five_boards_tell_the_bots_apart():
    unlucky = even(4, 96, 0)

    assert ratio(unlucky, Bounds()) < lines(Bounds())[0]
    assert decided(unlucky, Bounds()) is None
    assert decided(even(5, 95, 0), Bounds()) is Verdict.H0


def test_bots_that_score_alike_on_nearly_all_boards_end_the_test():
    assert decided(even(0, 100, 0), Bounds()) is None
    assert decided(even(0, 200, 0), Bounds()) is Verdict.ALIKE
    assert reach(even(0, 200, 0), Bounds()) < 40 < reach(even(0, 100, 0), Bounds())
    assert decided(even(0, 200, 0), Bounds(-5, 5)) is None


@pytest.mark.parametrize("found", [even(0, 0, 60), even(60, 0, 0)])
def test_a_bot_that_takes_every_point_ends_the_test(found: Sample):
    verdict = decided(found, Bounds())
    estimate = stopped_estimate(found, Bounds(), look=60)

    assert verdict is (Verdict.H1 if found.score == 1 else Verdict.H0)
    assert abs(estimate.elo) > 500
    assert estimate.low * estimate.high > 0


def test_what_is_expected_to_be_left_shrinks_as_the_test_nears_its_end():
    first, later = blocks_left(even(10, 30, 13), Bounds()), blocks_left(even(50, 150, 65), Bounds())

    assert blocks_left(even(0, 0, 0), Bounds()) is None
    assert first is not None
    assert later is not None
    assert 0 < later < first
    assert blocks_left(even(0, 0, 60), Bounds()) == 0


def test_the_live_interval_begins_at_ten_boards_and_is_wider_than_the_fixed_one():
    found = even(10, 30, 20)

    low, high = live_interval(found, Scale.NORMALISED, 200) or (0, 0)
    fixed = fixed_interval(found, Scale.NORMALISED)

    assert low < fixed[0] < fixed[1] < high
    assert live_interval(even(2, 5, 2), Scale.NORMALISED, 200) is None


# What it promises, by simulation


@pytest.mark.parametrize(("truth", "wrong"), [(0, Verdict.H1), (40, Verdict.H0)])
def test_a_wrong_verdict_is_as_rare_as_is_said(truth: float, wrong: Verdict):
    told = bench.simulated(Bounds(), "half even", truth, batch=16, rngs=bench.luck(RUNS, seed=1))

    assert sum(each.verdict is wrong for each in told) <= at_most(0.05)
    assert sum(not each.holds for each in told) <= at_most(0.05)
    assert sum(each.wrong for each in told) <= at_most(0.05)
    assert at_most(0.5) >= sum(each.above for each in told) >= RUNS - at_most(0.5)


def at_most(chance: float) -> int:
    """Of all runs, where each has that chance; more would happen once in 10,000."""
    below = 0.0
    for number in range(RUNS + 1):
        below += math.comb(RUNS, number) * chance**number * (1 - chance) ** (RUNS - number)
        if below > 0.9999:
            return number
    return RUNS
