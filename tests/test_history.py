"""What became of a bot from version to version, as a table with a plot."""

import csv
import io
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.grid import STYLES, Look, cells
from arena.leaderboard import history
from arena.leaderboard.history import plot
from arena.model import Entrant
from arena.ratings import fit
from arena.store import Bot
from tests.cups import BEA, CAT, bot, cup, duel

FIRST, SECOND, THIRD = (bot("Ann", digit * 64) for digit in "123")


def version(entrant: Entrant, number: int) -> Bot:
    day = datetime(2031, 5, number, 12, tzinfo=UTC)
    return Bot(
        entrant.name, entrant.version, ("idiot",), day, retired=False, versions=3, number=number, sandbox=""
    )


VERSIONS = [version(entrant, number) for number, entrant in enumerate((FIRST, SECOND, THIRD), start=1)]

RESULTS = [
    *(duel(f"1 {board}", FIRST, BEA, board % 4 == 0) for board in range(24)),
    *(duel(f"3 {board}", THIRD, BEA, board % 3 > 0) for board in range(24)),
]


def test_a_version_is_a_line_with_its_error_bar_and_the_change_from_the_one_before() -> None:
    text = history(VERSIONS, cup(RESULTS), Look(width=80))

    assert text.splitlines() == [
        "Ann, 3 versions. League cup: idiot, 2 players.",
        "Elo: Bradley-Terry of all pairs at once, a tie is half; the mean of all is 1500.",
        "±: half of the 95 % interval of the distance to the mean, in the plot [--o--].",
        "change: from the version before, with an interval of its own.",
        "",
        "  #  version       submitted      Elo    ±  change     1200               1800",
        "---  ------------  -----------  -----  ---  ---------  -------------------------",
        "  1  111111111111  2031-05-01    1340  119  –           [---o----]",  # noqa: RUF001
        "  2  222222222222  2031-05-02       –    –  –",  # noqa: RUF001
        "  3  333333333333  2031-05-03    1637  114  +297 ±221              [---o---]",
        "",
        "Too narrow for boards.",
    ]


def test_the_data_are_those_of_the_fit() -> None:
    rows = list(csv.DictReader(io.StringIO(history(VERSIONS, cup(RESULTS), Look("csv")))))

    found = fit(RESULTS)
    change = found.difference(THIRD, FIRST)
    assert [row["version"] for row in rows] == ["1" * 12, "2" * 12, "3" * 12]
    assert [row["submitted"][:10] for row in rows] == ["2031-05-01", "2031-05-02", "2031-05-03"]
    first, third, _ = found.groups[0].ratings
    assert [row["elo"] for row in rows] == [str(first.elo), "", str(third.elo)]
    assert change is not None
    assert (rows[2]["change"], rows[2]["change_error"], rows[2]["los"]) == (
        str(change.elo),
        str(change.error),
        str(change.los),
    )


def test_versions_that_nothing_connects_are_not_compared() -> None:
    scope = cup([duel(1, FIRST, BEA), duel(2, THIRD, CAT)])

    text, rows = history(VERSIONS, scope), history(VERSIONS, scope, Look("csv"))

    assert "Some versions are connected by no chain of matches: nothing compares them." in text
    assert [row["change"] for row in csv.DictReader(io.StringIO(rows))] == ["", "", ""]


@pytest.mark.parametrize("width", [40, 60, 80, 100, 120])
def test_the_plot_takes_what_room_there_is(width: int) -> None:
    lines = history(VERSIONS, cup(RESULTS), Look("simple", width)).splitlines()

    assert max(map(cells, lines)) <= width
    assert any("[" in line for line in lines if "[--o--]" not in line) == (width > 40)
    assert any(line.startswith("Too narrow for boards") for line in lines) == (width < 100)


@pytest.mark.parametrize("style", STYLES)
def test_no_style_and_no_lack_of_results_is_a_crash(style: str) -> None:
    assert isinstance(history(VERSIONS, cup([]), Look(style)), str)
    assert isinstance(history(VERSIONS, cup(RESULTS), Look(style, 70)), str)


points = st.tuples(st.floats(-3000, 3000), st.floats(0, 2000))


@given(st.lists(st.none() | points, min_size=1).filter(any), st.integers(16, 100))
def test_every_bar_lies_on_the_axis_with_its_number_between_its_ends(
    given_points: list[tuple[float, float] | None], width: int
) -> None:
    axis, bars = plot(given_points, width)

    low, high = map(int, axis.split())
    assert len(axis) == width
    for point, bar in zip(given_points, bars, strict=True):
        assert (point is None) == (bar == "")
        if point:
            assert len(bar) <= width
            middle = low + bar.index("o") * (high - low) / (width - 1)
            assert middle == pytest.approx(point[0], abs=(high - low) / (width - 1))
