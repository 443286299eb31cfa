"""Columns as a user asks for them: digits, hidden ones, order, and what a narrow terminal leaves of them."""

import random

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena import grid
from arena.grid import STYLES, Look, cells, clipped
from arena.leaderboard import COLUMNS, DEFAULT_COLUMNS, Scope, Standing, page, rated, standings
from arena.leaderboard.columns import chosen, ordered
from arena.leaderboard.pages import fitted, render
from arena.model import UserError
from tests.cups import ANN, BEA, CAT, DAN, HOSTILE, bot, cup, duel, league_of, played


def rows_of(scope: Scope) -> list[Standing]:
    return standings(scope, rated(scope))


FIELD = rows_of(cup(played(map(bot, HOSTILE), 2), DAN))
CLEAN = rows_of(cup(played([ANN, BEA, CAT], 6)))

NUMBERS = sorted(key for key, column in COLUMNS.items() if column.digits is not None)
keys = st.sampled_from(sorted(COLUMNS))
specs = st.one_of(
    keys,
    keys.map(lambda key: f"{key}?"),
    st.builds(
        lambda key, digits, varied: f"{key}.{digits}{varied}",
        st.sampled_from(NUMBERS),
        st.integers(0, 9),
        st.sampled_from(["", "?"]),
    ),
)


def test_a_point_and_a_number_say_how_many_digits() -> None:
    text = render(CLEAN, chosen(["elo.0", "elo.3", "place", "place.0", "points.2"]), Look("plain"))

    first = text.splitlines()[1].split()
    rating = CLEAN[0].rating
    assert rating is not None
    assert first[:2] == [f"{rating.elo:.0f}", f"{rating.elo:.3f}"]
    assert [len(cell.partition(".")[2]) for cell in first] == [0, 3, 2, 0, 3]


def test_a_question_mark_hides_a_column_that_is_all_alike() -> None:
    failed = rows_of(cup([*played([ANN, BEA]), duel("x", ANN, BEA, faults=1)]))

    hidden, _ = fitted(CLEAN, chosen(["bot", "faults?"]), Look())
    shown, _ = fitted(failed, chosen(["bot", "faults?"]), Look())

    assert ("faults" in hidden, "faults" in shown) == (False, True)


@pytest.mark.parametrize("style", ["csv", "json"])
def test_data_have_every_column_that_was_asked_for_and_every_digit(style: str) -> None:
    scope = cup(played([ANN, BEA]))

    assert page(scope, columns=("bot", "elo.1", "faults?"), look=Look(style)) == page(
        scope, columns=("bot", "elo", "faults"), look=Look(style)
    )


@given(st.lists(specs, min_size=1, max_size=8))
def test_any_columns_are_a_table_with_a_line_a_bot(asked: list[str]) -> None:
    lines = render(FIELD, chosen(asked), Look("plain")).splitlines()

    assert len(lines) == 1 + len(FIELD)


@given(st.text(max_size=8))
def test_whatever_is_asked_for_is_a_column_or_an_error(text: str) -> None:
    if text.rstrip("?") in COLUMNS:
        assert chosen([text])[0].column is COLUMNS[text.rstrip("?")]
    else:
        with pytest.raises(UserError, match="column"):
            chosen([text])


@pytest.mark.parametrize("key", COLUMNS)
@pytest.mark.parametrize("direction", ["", ":asc", ":desc"])
def test_every_column_sorts_with_those_that_have_nothing_last(key: str, direction: str) -> None:
    shuffled = random.Random(1).sample(FIELD, len(FIELD))

    found = ordered(shuffled, key + direction)

    values = [COLUMNS[key].value(standing) for standing in found]
    known = [value for value in values if value is not None]
    rising = COLUMNS[key].rising if not direction else direction == ":asc"
    assert values == [*known, *[None] * (len(values) - len(known))]
    assert known == sorted(known, reverse=not rising)


def test_what_is_equal_stays_in_the_order_of_the_ranking() -> None:
    assert ordered(CLEAN, "faults") == ordered(CLEAN, "faults:asc") == CLEAN


# What a terminal has room for


def test_names_are_shortened_before_a_column_goes_and_what_goes_is_said() -> None:
    scope = cup(played([bot("a name of quite some length, in fact too long"), BEA]))

    wide, middle, narrow = (page(scope, look=Look(width=width)) for width in (110, 80, 60))

    assert "a name of quite some length, in fact ..." in wide
    assert "  2  a name of quite~" in middle
    assert ("Too narrow" in wide, "Too narrow" in middle) == (False, False)
    assert narrow.endswith("Too narrow for version, matches: widen the terminal, or\nchoose by --columns.")


@given(st.integers(40, 200), st.lists(specs, min_size=1, max_size=16), st.booleans())
def test_no_line_is_wider_than_the_terminal(width: int, asked: list[str], colour: bool) -> None:  # noqa: FBT001
    table, said = fitted(FIELD, chosen(asked), Look(width=width, colour=colour))

    assert max(map(cells, table.splitlines())) <= width
    assert cells(table.splitlines()[0]) > 0
    assert ("Too narrow" in said) == (said != "")


@pytest.mark.parametrize("width", [40, 60, 80, 120])
def test_no_line_of_a_page_is_wider_than_the_terminal(width: int) -> None:
    results = [*played(map(bot, HOSTILE), 1), duel("x", ANN, BEA)]
    league = msgspec.structs.replace(
        league_of(CAT), options={"rounds": 3, "seven_low": True}, sandbox="plain"
    )

    text = page(Scope((league,), results, said=("Left out: " + "a league, " * 20,)), look=Look(width=width))

    assert max(map(cells, text.splitlines())) <= width


def test_at_eighty_columns_the_usual_page_is_whole_and_no_line_is_broken() -> None:
    scope = cup([*played([ANN, BEA, CAT]), duel("x", ANN, BEA, faults=1)])

    assert page(scope, look=Look(width=80)) == page(scope)


@pytest.mark.parametrize("style", [style for style in STYLES if not Look(style).bare()])
def test_colours_take_no_room(style: str) -> None:
    rows = rows_of(cup([*played([ANN, BEA]), duel("x", ANN, BEA, faults=1)]))

    plain = render(rows, chosen(DEFAULT_COLUMNS), Look(style))
    coloured = render(rows, chosen(DEFAULT_COLUMNS), Look(style, colour=True))

    assert "\x1b[31m1\x1b[0m" in coloured
    assert [cells(line) for line in coloured.splitlines()] == [cells(line) for line in plain.splitlines()]


@given(st.text(st.characters(categories=("L", "N", "P", "Zs")), max_size=40), st.integers(1, 30))
def test_a_clipped_text_takes_no_more_than_it_may(text: str, most: int) -> None:
    found = clipped(text, most)

    assert cells(found) <= most
    assert found == text or found.endswith("~")


def test_a_listing_leaves_out_what_can_be_spared_and_no_more_than_must_be():
    headers, rows = ("bot", "versions", "when"), [("ann", 12, "yesterday")]
    whole = max(map(len, grid.listing(headers, rows).split("\n")))
    widths = {
        width: grid.listing(headers, rows, width=width, spare=("when", "versions")).split("\n")[0].split()
        for width in (None, 80, whole, whole - 1, 2)
    }
    assert widths == {
        None: ["bot", "versions", "when"],
        80: ["bot", "versions", "when"],
        whole: ["bot", "versions", "when"],
        whole - 1: ["bot", "versions"],
        2: ["bot"],
    }
    assert grid.listing(headers, rows, "csv", width=2, spare=("when",)) == grid.listing(headers, rows, "csv")
