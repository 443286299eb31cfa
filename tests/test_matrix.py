"""Every two bots compared: differences, likelihoods, and what they took from each other."""

import csv
import io
import json
import re
from collections.abc import Callable

import msgspec
import pytest

from arena.grid import STYLES, Look, cells
from arena.leaderboard import Scope, crosstable, differences, likelihoods, standings
from arena.model import Entrant, Result
from arena.ratings import fit
from tests.cups import ANN, BEA, CAT, DAN, cup, duel, league_of, played


def test_differences_are_antisymmetric_with_an_error_of_their_own() -> None:
    results = played([ANN, BEA, CAT], 20)

    lines = differences(cup(results), Look("plain")).splitlines()[4:]

    cells = {}
    for line in lines:
        number, _, *rest = line.split()
        values = [rest[i : i + 2] for i in range(0, len(rest), 2)]
        columns = [column for column in "123" if column != number]
        cells |= {(number, column): tuple(value) for column, value in zip(columns, values, strict=True)}
    assert {pair: (str(-int(cells[pair[::-1]][0])), cells[pair[::-1]][1]) for pair in cells} == {
        pair: (str(int(elo)), error) for pair, (elo, error) in cells.items()
    }


def test_differences_as_data_are_a_row_a_pair() -> None:
    results = played([ANN, BEA])

    (row,) = json.loads(differences(cup(results), Look("json")))

    first, second = standings(cup(results), fit(results))
    expected = fit(results).difference(first.entrant, second.entrant)
    assert row == {
        "bot": first.entrant.name,
        "version": first.entrant.version[:12],
        "other": second.entrant.name,
        "other_version": second.entrant.version[:12],
        **msgspec.structs.asdict(expected),
    }


def test_differences_stay_within_their_group() -> None:
    results = [duel(1, ANN, BEA), duel(2, CAT, DAN)]

    rows = list(csv.DictReader(io.StringIO(differences(cup(results), Look("csv")))))

    assert [(row["bot"], row["other"]) for row in rows] == [("Ann", "Bea"), ("Cat", "Dan")]
    assert len(differences(cup(results)).split("\n\n")) == 3


def test_differences_say_which_league_and_flag_what_is_not_to_be_relied_on() -> None:
    league = league_of(ANN, BEA, sandbox="plain")

    text = differences(Scope((league,), [duel(board, ANN, BEA) for board in range(9)]))

    assert text.splitlines()[:2] == [
        "League cup: idiot, 2 players; PLAYED WITHOUT WALLS (sandbox plain).",
        "Elo of the row less Elo of the column, ± half of its 95 % interval.",
    ]
    assert re.search(r"Ann +\+565 ±\d+\?", text)


def test_marks_are_explained_where_they_stand_and_nowhere_else() -> None:
    mark = "?  One of the two has a perfect score, or the difference a standard error above 200 Elo"
    apart = "2 groups that never met: nothing compares their bots."
    even = [duel(f"{board} {pair}", *pair) for board in range(9) for pair in ((ANN, BEA), (BEA, ANN))]
    odd = Entrant("who?", "9" * 64)

    assert mark not in differences(cup([*even, *(duel(b, ANN, odd, 0.5) for b in range(9))]))
    assert mark in differences(cup([duel(1, ANN, BEA)]))
    assert mark not in likelihoods(cup([duel(1, ANN, BEA)]))
    for shown in (differences, likelihoods):
        assert apart in shown(cup([*even, duel("x", CAT, DAN)]))
        assert apart not in shown(cup(even))
        assert "No complete board compares two bots yet." in shown(cup([]))


@pytest.mark.parametrize("style", STYLES)
def test_differences_of_nothing_are_no_crash(style: str) -> None:
    assert isinstance(differences(cup([]), Look(style)), str)


# Likelihoods


def test_likelihoods_of_both_ways_make_a_hundred_and_none_is_certain() -> None:
    rows = [duel(board, *pair) for board in range(40) for pair in ((ANN, BEA), (BEA, CAT), (ANN, CAT))]
    rows += [duel(f"{board} back", BEA, ANN) for board in range(30)]

    lines = likelihoods(cup(rows), Look("tsv")).splitlines()

    table = [line.split("\t")[2:] for line in lines[1:]]
    assert [float(table[i][j]) + float(table[j][i]) for i, j in ((0, 1), (0, 2), (1, 2))] == [100.0] * 3
    assert (table[0][2].strip(), table[2][0].strip()) == ("99.9", "0.1")


def test_a_likelihood_takes_five_boards_of_both() -> None:
    text = likelihoods(cup([duel(board, ANN, BEA) for board in range(4)]))

    assert [line.split() for line in text.splitlines()[-2:]] == [["1", "Ann", "–"], ["2", "Bea", "–"]]  # noqa: RUF001


# Crosstables


def test_a_crosstable_has_what_the_row_took_from_the_column() -> None:
    results = [duel(board, ANN, BEA, score) for board, score in enumerate((1, 1, 0.5, 0, 1, 1))]
    results += [duel("x", BEA, CAT), duel("y", CAT, BEA)]

    text = crosstable(cup(results, ANN, BEA, CAT, DAN))

    assert text.splitlines() == [
        "League cup: idiot, 2 players.",
        "Share in % of the points that the row took from the column, a tie is half;",
        "± half of its 95 % interval. What the other bots tell too is in `arena matrix`.",
        "–  The two did not meet.",  # noqa: RUF001
        "",
        "  #  bot         1       2       3    4",
        "---  -----  ------  ------  ------  ---",
        "  1  Ann                 –  75 ±29    –",  # noqa: RUF001
        "  2  Cat         –          50 ±44    –",  # noqa: RUF001
        "  3  Bea    25 ±29  50 ±44            –",  # noqa: RUF001
        "  4  Dan         –       –       –",  # noqa: RUF001
    ]


def test_at_a_table_of_three_every_two_are_compared() -> None:
    sides = ((ANN,), (BEA,), (CAT,))
    results = [Result(str(board), sides, (1.0, 2.0, 3.0), None, ((), (), ())) for board in range(9)]
    results += [Result("last", sides, (3.0, 1.5, 1.5), None, ((), (), ()))]

    rows = json.loads(crosstable(cup(results), Look("json")))

    assert [(row["bot"], row["other"], row["score"], row["boards"], row["pairs"]) for row in rows] == [
        ("Ann", "Bea", 0.9, 10, 10),
        ("Ann", "Cat", 0.9, 10, 10),
        ("Bea", "Cat", 0.95, 10, 10),
    ]


def test_what_partners_score_is_against_the_other_side_alone() -> None:
    results = [Result("1", ((ANN, BEA), (CAT, DAN)), (1.0, 2.0), None, ((), ()))]

    rows = json.loads(crosstable(cup(results), Look("json")))

    met = {frozenset((row["bot"], row["other"])): row["score"] for row in rows}
    assert met == {frozenset((one, two)): 1.0 for one in ("Ann", "Bea") for two in ("Cat", "Dan")}


@pytest.mark.parametrize("style", STYLES)
def test_a_crosstable_of_nothing_is_no_crash(style: str) -> None:
    assert isinstance(crosstable(cup([]), Look(style)), str)


# On a terminal


Shown = Callable[[Scope, Look], str]

CROWD = [Entrant(f"bot number {number:02} 日本", f"{number:064}") for number in range(12)]


@pytest.mark.parametrize("shown", [differences, likelihoods, crosstable])
@pytest.mark.parametrize("width", [40, 60, 80, 120])
def test_what_is_too_wide_is_shown_in_several_tables(shown: Shown, width: int) -> None:
    scope = cup(played(CROWD, 6), *CROWD)

    whole, text = shown(scope, Look("simple")), shown(scope, Look("simple", width))

    assert max(map(cells, text.splitlines())) <= width
    numbers = [line.split()[2:] for line in text.splitlines() if line.lstrip().startswith("#")]
    assert [number for panel in numbers for number in panel] == [str(n) for n in range(1, 13)]
    assert len(shown(scope, Look("simple", 400))) == len(whole)


def test_what_leaves_no_doubt_is_coloured() -> None:
    rows = [duel(board, *pair) for board in range(30) for pair in ((ANN, BEA), (BEA, CAT), (CAT, BEA))]
    rows += [duel("back", BEA, ANN)]

    text = differences(cup(rows), Look(colour=True))

    assert [text.count(f"\x1b[{colour}m") for colour in (32, 31)] == [2, 2]
