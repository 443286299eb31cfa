"""The leaderboard: what stands where, how it is printed, and what the commands say."""

import csv
import io
import json
import random
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tabulate import tabulate_formats
from wcwidth import wcswidth

from arena.grid import BARRED, HARMLESS, STYLES, Look
from arena.leaderboard import (
    COLUMNS,
    DEFAULT_COLUMNS,
    Anchor,
    Scope,
    Standing,
    anchor_named,
    page,
    rated,
    standings,
)
from arena.leaderboard.columns import chosen
from arena.leaderboard.pages import render
from arena.model import (
    HOUSE,
    Entrant,
    FaultKind,
    League,
    Result,
    UserError,
)
from arena.ratings import fit
from tests.cups import ANN, BEA, CAT, CUP, DAN, HOSTILE, bot, duel, league_of, played

ROOT = Path(__file__).parent.parent


def listed(
    results: Sequence[Result], entrants: Iterable[Entrant] = (), *, anchor: Anchor | None = None
) -> list[Standing]:
    scope = Scope((league_of(*entrants),), results)
    return standings(scope, rated(scope, anchor))


def drawn(rows: Sequence[Standing], columns: Sequence[str] = DEFAULT_COLUMNS, style: str = "simple") -> str:
    return render(rows, chosen(columns), Look(style))


def page_of(league: League, results: Sequence[Result], *, style: str = "simple", **more: Any) -> str:
    return page(Scope((league,), results), look=Look(style), **more)


def names(table: Iterable[Standing]) -> list[str]:
    return [standing.entrant.name for standing in table]


# Standings


def test_the_better_rated_bot_stands_first() -> None:
    results = [duel(1, BEA, ANN), duel(2, ANN, CAT), duel(3, BEA, CAT)]

    table = listed(results, [ANN, BEA, CAT])

    assert [(s.entrant, s.rank) for s in table] == [(BEA, 1), (ANN, 2), (CAT, 3)]


def test_a_line_holds_rating_and_record() -> None:
    results = [duel(1, ANN, BEA), duel(1, BEA, ANN, 0.5), duel(2, ANN, BEA, faults=2), duel(2, BEA, ANN)]

    ann, bea = listed(results, [ANN, BEA])

    (group,) = fit(results).groups
    assert ann == Standing(
        entrant=ANN,
        rank=1,
        group=1,
        rating=group.ratings[0],
        los=None,
        matches=4,
        place=1.375,
        score=(8 + 6.5 + 5) / 3,
        faults=0,
        forfeits=0,
    )
    assert (bea.matches, bea.place, bea.score) == (4, 1.625, (5 + 6.5 + 8) / 3)
    assert (bea.faults, bea.forfeits) == (2, 1)


def test_the_rest_of_a_table_is_forfeited_and_counts_as_no_fault() -> None:
    absent = msgspec.structs.replace(duel(2, ANN, BEA), absent=(1,))

    _, bea = listed([duel(1, ANN, BEA, faults=1), absent], [])

    assert (bea.matches, bea.faults, bea.forfeits) == (2, 1, 2)
    assert "2 matches on 2 complete boards; 2 with a forfeit" in page_of(
        CUP, [absent, duel(1, ANN, BEA, faults=1)]
    )


def test_equal_ratings_share_a_rank_and_sort_by_name() -> None:
    results = [duel(i, a, b) for i, (a, b) in enumerate([(CAT, ANN), (ANN, BEA), (BEA, CAT), (CAT, DAN)])]
    results += [duel(i + 9, b, a) for i, (a, b) in enumerate([(CAT, ANN), (ANN, BEA), (BEA, CAT)])]

    table = listed(results, [])

    assert names(table) == ["Cat", "Ann", "Bea", "Dan"]
    assert [s.rank for s in table] == [1, 2, 2, 4]


def test_bots_without_a_complete_board_stand_last_by_name() -> None:
    results = [duel(1, ANN, BEA)]

    table = listed(results, [DAN, CAT, BEA, ANN])

    assert names(table) == ["Ann", "Bea", "Cat", "Dan"]
    assert table[-1] == Standing(
        entrant=DAN,
        rank=None,
        group=None,
        rating=None,
        los=None,
        matches=0,
        place=None,
        score=None,
        faults=0,
        forfeits=0,
    )


def test_a_bot_that_met_only_itself_has_a_record_and_no_rating() -> None:
    (line,) = listed([duel(1, ANN, ANN)], [ANN])

    assert (line.rating, line.matches, line.place) == (None, 1, 1.5)


def test_whoever_played_stands_there_though_it_is_no_entrant() -> None:
    assert names(listed([duel(1, ANN, HOUSE)], [ANN])) == ["Ann", "house"]


def test_two_versions_of_a_bot_are_two_lines() -> None:
    old, new = bot("Ann", "1" * 64), bot("Ann", "2" * 64)

    table = listed([duel(1, new, old)], [old, new])

    assert [s.entrant.version[0] for s in table] == ["2", "1"]


def test_groups_that_never_met_follow_each_other_each_with_its_own_ranks() -> None:
    table = listed([duel(1, ANN, BEA), duel(2, CAT, DAN)], [])

    assert [(s.entrant.name, s.group, s.rank) for s in table] == [
        ("Ann", 1, 1),
        ("Bea", 1, 2),
        ("Cat", 2, 1),
        ("Dan", 2, 2),
    ]


def test_partners_share_place_score_and_faults() -> None:
    crash = (FaultKind.TIMEOUT,)
    results = [Result("1", ((ANN, BEA), (CAT, DAN)), (1.0, 2.0), (9.0, 4.0), ((), crash))]

    table = {s.entrant.name: (s.matches, s.place, s.score, s.faults) for s in listed(results, [])}

    assert table == {"Ann": (1, 1, 9, 0), "Bea": (1, 1, 9, 0), "Cat": (1, 2, 4, 1), "Dan": (1, 2, 4, 1)}


def test_a_bot_on_two_seats_counts_the_match_once() -> None:
    results = [Result("1", ((ANN,), (BEA,), (ANN,)), (1.0, 2.0, 3.0), (9.0, 5.0, 1.0), ((), (), ()))]

    ann = next(s for s in listed(results, []) if s.entrant == ANN)

    assert (ann.matches, ann.place, ann.score) == (1, 2, 5)


def test_the_order_of_results_changes_no_byte_of_the_page_of() -> None:
    results = played([ANN, BEA, CAT])
    shuffled = random.Random(3).sample(results, len(results))

    pages = {page_of(CUP, rows, columns=tuple(COLUMNS)) for rows in (results, shuffled)}

    assert len(pages) == 1


def test_likelihood_is_against_the_next_of_the_same_group() -> None:
    results = played([ANN, BEA, CAT])

    first, second, third = listed(results, [])

    assert first.los == fit(results).difference(first.entrant, second.entrant).los
    assert first.los > 0.5
    assert third.los is None


def test_an_anchor_puts_a_bot_at_a_number() -> None:
    results = played([ANN, BEA])

    plain = {s.entrant: s.rating for s in listed(results, [])}
    moved = {s.entrant: s.rating for s in listed(results, [], anchor=Anchor(ANN, 1000))}

    assert moved[ANN].elo == pytest.approx(1000)
    assert moved[BEA].elo - 1000 == pytest.approx(plain[BEA].elo - plain[ANN].elo)
    assert moved[BEA].error == plain[BEA].error


def test_a_bot_without_a_rating_cannot_be_the_anchor() -> None:
    with pytest.raises(UserError, match="Cat has no rating yet"):
        listed([duel(1, ANN, BEA)], [CAT], anchor=Anchor(CAT, 1500))


def test_an_anchor_is_read_by_name_or_by_version() -> None:
    odd = bot("a=b", "f" * 64)

    assert anchor_named("Ann=1200", [ANN, odd]) == Anchor(ANN, 1200)
    assert anchor_named("a=b=-5.5", [ANN, odd]) == Anchor(odd, -5.5)
    assert anchor_named("ffffffffffff=0", [ANN, odd]) == Anchor(odd, 0)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Ann", r"anchor 'Ann': a bot and a number are needed; type --anchor NAME=1500"),
        ("Ann=much", r"type --anchor NAME=1500"),
        ("Ann=nan", r"type --anchor NAME=1500"),
        ("Eve=1500", r"no bot 'Eve'; the bots to anchor are: Ann, Bea, Bea"),
        (
            "Bea=7",
            r"'Bea' has several versions; type --anchor VERSION=7 with one of 111111111111, 222222222222",
        ),
    ],
)
def test_a_wrong_anchor_says_what_to_type(text: str, message: str) -> None:
    with pytest.raises(UserError, match=message):
        anchor_named(text, [ANN, bot("Bea", "1" * 64), bot("Bea", "2" * 64)])


# Rendering


def test_the_usual_columns_as_a_plain_table() -> None:
    results = [duel(board, *pair) for board in range(20) for pair in ((ANN, BEA), (BEA, CAT), (CAT, ANN))]
    results += [duel("last", ANN, CAT, faults=1)]

    text = drawn(listed(results, [ANN, BEA, CAT, DAN]))

    assert text.splitlines() == [
        "  #  bot    version         Elo    ±    matches    place    faults",
        "---  -----  ------------  -----  ---  ---------  -------  --------",
        f"  1  Ann    {ANN.version[:12]}   1506   18         41     1.49         0",
        f"  2  Bea    {BEA.version[:12]}   1500   14         40     1.50         0",
        f"  3  Cat    {CAT.version[:12]}   1494   18         41     1.51         1",
        f"  –  Dan    {DAN.version[:12]}      –    –          0        –         0",  # noqa: RUF001
    ]


def test_perfect_scores_are_marked_and_flagged() -> None:
    results = [duel(board, ANN, BEA) for board in range(10)]

    lines = drawn(listed(results, []), columns=("bot", "elo", "error", "bound")).splitlines()

    assert [line.split() for line in lines[2:]] == [
        ["Ann", ">1790", "146?", "≥1392"],
        ["Bea", "<1210", "146?", "≤1608"],
    ]


def test_a_wide_error_is_flagged() -> None:
    results = [duel(1, ANN, BEA), duel(1, BEA, ANN)]

    first, _ = listed(results, [])

    assert first.rating.se < 200
    assert COLUMNS["error"].show(first, 0).isdigit()
    rating = msgspec.structs.replace(first.rating, se=200.5)
    assert COLUMNS["error"].show(msgspec.structs.replace(first, rating=rating), 0).endswith("?")


@pytest.mark.parametrize("style", STYLES)
def test_every_style_prints_every_column_of_hostile_names(style: str) -> None:
    table = listed(played(map(bot, HOSTILE), 1), [DAN])

    text = drawn(table, columns=tuple(COLUMNS), style=style)

    assert not [char for char in text if char not in "\n\t" and not char.isprintable()]
    assert "日本" in text
    assert "007" in text
    assert "1e5" in text
    assert style == "tsv" or "\t" not in text


GRIDS = sorted(style for style in tabulate_formats if style.endswith(("grid", "outline", "psql", "pretty")))


@pytest.mark.parametrize("style", GRIDS)
def test_columns_stay_aligned_whatever_the_names(style: str) -> None:
    lines = drawn(listed(played(map(bot, HOSTILE), 1), []), style=style).splitlines()

    assert len({wcswidth(line) for line in lines}) == 1


def test_names_are_printed_as_they_are() -> None:
    text = drawn(listed(played(map(bot, HOSTILE), 1), []), columns=("bot",), style="psql")

    cells = {line[2:-2].rstrip() for line in text.splitlines()[3:-1]}
    assert {"007", "1e5", "nan", "-", " lead", "日本", r"\x1b[31mred", r"\u202edne"} <= cells


@pytest.mark.parametrize("style", sorted(BARRED))
def test_a_bar_in_a_name_ends_no_cell(style: str) -> None:
    assert r"a\|b" in drawn(listed([duel(1, bot("a|b"), ANN)], []), style=style)


@pytest.mark.parametrize("style", sorted(HARMLESS))
def test_markup_in_a_name_is_never_passed_on(style: str) -> None:
    text = drawn(listed([duel(1, bot(r"<script>\input{x}"), ANN)], []), style=style)

    assert "<script>" not in text
    assert style == "unsafehtml" or r"\input{x}" not in text


def test_json_has_raw_numbers_and_escaped_text() -> None:
    table = listed([duel(1, ANN, bot("\x1bx"))], [CAT])

    rows = json.loads(drawn(table, columns=("rank", "bot", "elo", "range", "place"), style="json"))

    assert rows == [
        {"rank": 1, "bot": "Ann", "elo": table[0].rating.elo, "range": [1, 2], "place": 1.0},
        {"rank": 2, "bot": r"\x1bx", "elo": table[1].rating.elo, "range": [1, 2], "place": 2.0},
        {"rank": None, "bot": "Cat", "elo": None, "range": None, "place": None},
    ]


def test_csv_is_read_back_by_the_csv_module() -> None:
    odd = bot('a,"b"\n')
    table = listed([duel(1, ANN, odd)], [CAT])

    text = drawn(table, columns=("bot", "elo", "range"), style="csv")

    assert list(csv.DictReader(io.StringIO(text))) == [
        {"bot": "Ann", "elo": str(table[0].rating.elo), "range": "1-2"},
        {"bot": r'a,"b"\x0a', "elo": str(table[1].rating.elo), "range": "1-2"},
        {"bot": "Cat", "elo": "", "range": ""},
    ]


def test_long_names_are_cut_in_tables_and_whole_in_data() -> None:
    table = listed([duel(1, bot("n" * 300), ANN)], [])

    assert "n" * 37 + "..." in drawn(table)
    assert "n" * 300 in drawn(table, style="csv")


@pytest.mark.parametrize("style", STYLES)
def test_an_empty_leaderboard_is_a_header(style: str) -> None:
    text = drawn([], columns=("bot", "elo"), style=style)

    assert text == "[]" if style == "json" else "bot" in text


def test_an_unknown_column_says_what_there_is() -> None:
    with pytest.raises(
        UserError, match=r"no column 'sigma'; the columns are: rank, bot, .*--columns rank,bot"
    ):
        drawn([], columns=("rank", "sigma"))


def test_an_unknown_style_says_what_there_is() -> None:
    with pytest.raises(
        UserError,
        match=r"no style 'fancy'; did you mean 'fancy_grid'\? the styles are: .*csv, json; type --style",
    ):
        drawn([], style="fancy")


def test_the_default_columns_are_columns() -> None:
    assert set(DEFAULT_COLUMNS) < set(COLUMNS)


def test_every_column_is_documented() -> None:
    page_of_ratings = (ROOT / "docs" / "ratings.md").read_text("utf-8")

    columns = page_of_ratings.split("## Columns")[1].split("##")[0]
    keys = re.findall(r"`(\w+)`(?=[^|]*\|[^|]*\|$)", columns, re.MULTILINE)
    assert set(keys) == set(COLUMNS)


# The page


def test_the_header_says_what_was_played_and_what_the_numbers_mean() -> None:
    results = [*played([ANN, BEA], 6), duel("extra", ANN, BEA, faults=1)]

    head = page_of(CUP, results).split("\n\n")[0]

    assert head.splitlines() == [
        "League cup: idiot, 2 players.",
        "13 matches on 7 complete boards; 1 with a forfeit (then last).",
        "Elo: Bradley-Terry of all pairs at once, a tie is half; the bots' mean is 1500.",
        "±: half of the 95 % interval to the mean; `arena matrix` compares two bots.",
    ]


def test_the_header_names_the_options_that_are_not_as_usual() -> None:
    options = {"rounds": 1, "seven_low": True, "lowest_starts": False, "max_plies": 9}

    text = page_of(msgspec.structs.replace(CUP, options=options), [])

    assert text.startswith("League cup: idiot (seven_low=true, max_plies=9), 2 players.\n")


def test_points_of_the_game_have_two_decimals() -> None:
    results = [duel(1, ANN, BEA), duel(2, ANN, BEA), duel(3, ANN, BEA, 0.5)]

    text = drawn(listed(results, []), columns=("bot", "score"), style="plain")

    assert [line.split() for line in text.splitlines()[1:]] == [["Ann", "7.50"], ["Bea", "5.50"]]


def test_the_header_names_the_anchor() -> None:
    text = page_of(CUP, played([ANN, BEA]), anchor=Anchor(ANN, 1200))

    assert "Ann is put at 1200." in text


def test_a_league_without_walls_says_so() -> None:
    assert "PLAYED WITHOUT WALLS" in page_of(league_of(ANN, BEA, sandbox="plain"), [])
    assert "WALLS" not in page_of(CUP, [])


def test_notes_explain_the_marks_that_are_there() -> None:
    results = [*[duel(board, ANN, BEA) for board in range(10)], duel("x", CAT, DAN, 0.5)]

    notes = page_of(league_of(ANN, BEA, CAT, DAN, bot("Eve")), results).split("\n\n")[-1]

    assert notes.splitlines() == [
        ">  Ann took every point: at least 1392 with 95 % confidence.",
        "<  Bea took no point: at most 1608 with 95 % confidence.",
        "Some bots never lost a point to others: only the prior says how far they are apart.",
        "?  A perfect score, or a standard error above 200 Elo: too few boards to say.",
        "–  No complete board against another bot yet.",  # noqa: RUF001
        "2 groups that never met: ranks and Elo hold within a group only.",
    ]


def test_nothing_to_explain_has_no_notes() -> None:
    assert len(page_of(CUP, played([ANN, BEA])).split("\n\n")) == 2


def test_several_groups_get_their_column_unless_columns_are_chosen() -> None:
    results = [duel(1, ANN, BEA), duel(2, CAT, DAN)]

    assert "group" in page_of(CUP, results).split("\n\n")[1]
    assert "group" not in page_of(CUP, results, columns=("bot",)).split("\n\n")[1]


@pytest.mark.parametrize("style", ["csv", "json", "tsv", "html", "latex"])
def test_what_a_program_reads_is_the_table_alone(style: str) -> None:
    results = played([ANN, BEA])

    assert page_of(CUP, results, style=style) == drawn(listed(results, []), style=style)
