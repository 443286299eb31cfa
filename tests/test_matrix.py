"""Every two bots compared: differences, likelihoods, and what they took from each other."""

import csv
import io
import json
import re

import msgspec
import pytest

from arena.grid import STYLES, Look
from arena.leaderboard import Scope, differences, standings
from arena.ratings import fit
from tests.cups import ANN, BEA, CAT, DAN, cup, duel, league_of, played


def test_differences_are_antisymmetric_with_an_error_of_their_own() -> None:
    results = played([ANN, BEA, CAT], 20)

    lines = differences(cup(results), Look("plain")).splitlines()[5:]

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


@pytest.mark.parametrize("style", STYLES)
def test_differences_of_nothing_are_no_crash(style: str) -> None:
    assert isinstance(differences(cup([]), Look(style)), str)
