"""What a table's matches are stored as: small, and the same when it comes back."""

from itertools import chain

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.model import FaultKind, FaultRecord, Measurement, Outcome
from arena.store.packing import (
    measurements_packed,
    measurements_unpacked,
    outcomes_packed,
    outcomes_unpacked,
    paces_packed,
    paces_unpacked,
    transcripts_packed,
    transcripts_unpacked,
)
from arena.store.records import outcome_text

numbers = st.integers(-(10**6), 10**6) | st.floats(allow_nan=False, allow_infinity=False)
by_side = st.lists(numbers, min_size=1, max_size=5).map(tuple)
faults = st.builds(
    FaultRecord, st.integers(0, 4), st.sampled_from(FaultKind), st.integers(0, 10**6), st.booleans()
)
outcomes = st.builds(
    Outcome, by_side, st.none() | by_side, st.integers(0, 10**6), st.lists(faults, max_size=3).map(tuple)
)


def test_outcomes_are_stored_like_this() -> None:
    crash, rest = FaultRecord(1, FaultKind.CRASH, 40), FaultRecord(0, FaultKind.TIMEOUT, 0, forfeit=True)

    packed = outcomes_packed(
        [
            Outcome((1.0, 2.0), (57, 33.5), 98),
            Outcome((1.0, 2.0), None, 40, (crash,)),
            Outcome((1.5, 1.5), None, 0, (rest, crash)),
        ]
    )

    assert packed == "1,2 57,33.5 98\n1,2 - 40 1.CRASH.40\n1.5,1.5 - 0 0.TIMEOUT.0* 1.CRASH.40"


@given(st.lists(outcomes, min_size=1, max_size=4))
def test_what_is_promised_of_an_outcome_comes_back_byte_for_byte(played: list[Outcome]) -> None:
    found = outcomes_unpacked(outcomes_packed(played))

    assert list(map(outcome_text, found)) == list(map(outcome_text, played))


def test_measurements_come_back_to_a_hundredth_of_a_millisecond_without_the_logs() -> None:
    given = Measurement(0.12345678, (1 / 3, 2e9), (None, 0.5), (0.0004, 1e-9), ("exit code",), logs=("a", ""))

    assert (
        measurements_unpacked(measurements_packed([given, given]))
        == (Measurement(0.12, (0.33, 2e9), (None, 0.5), (0.0, 0.0), ("exit code",)),) * 2
    )


@given(st.lists(st.binary(), min_size=1, max_size=4))
def test_transcripts_come_back(transcripts: list[bytes]) -> None:
    assert transcripts_unpacked(transcripts_packed(transcripts)) == tuple(transcripts)


@given(st.lists(st.lists(st.none() | st.floats(0.01, 3_000_000), max_size=50), min_size=1, max_size=4))
def test_what_decisions_took_comes_back_to_within_a_twentieth(matches):
    measured = [Measurement(1.0, (), (), (), decisions_ms=tuple(match)) for match in matches]

    found = paces_unpacked(paces_packed(measured))

    assert [len(match) for match in found] == [len(match) for match in matches]
    for kept, real in zip(chain(*found), chain(*matches), strict=True):
        assert kept == (None if real is None else pytest.approx(real, rel=0.05))
