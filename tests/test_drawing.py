"""What a human at a table is shown and may type: pure functions, at random positions of every game."""

import re

import click
import pytest
from games.playing import TABLES, moments, seeds, some_moment, steady
from hypothesis import given
from hypothesis import strategies as st

from arena import grid
from arena.cli import drawing, typed
from arena.cli.human import unlisted
from arena.cli.words import EVENTS, parts, told, worded
from arena.games import GAMES
from arena.model import Question

PLAIN = drawing.Look(80, colour=False)
COLOURED = drawing.Look(80, colour=True)
LONG_NAME = "a bot with a name"


def table_of(name: str, players: int, seat: int = 0) -> drawing.Table:
    bots = tuple("you" if each == seat else f"{LONG_NAME[: drawing.NAME]} {each}" for each in range(players))
    return drawing.Table(name, bots, GAMES[name].sides(players), seat)


def asked(state, seat: int, events=()) -> Question:
    legal = tuple(state.legal()) if state.to_act() == seat else ()
    return Question(seat, 1, state.view(seat), tuple(events), legal, 0, 0)


def plain(lines) -> str:
    return click.unstyle("\n".join(lines))


@pytest.mark.parametrize(("name", "players"), TABLES)
@given(seed=seeds, look=st.builds(drawing.Look, st.sampled_from([60, 80, 120]), st.booleans()))
@steady
def test_every_position_of_every_game_fits_the_screen(name, players, seed, look):
    game = GAMES[name]
    state = some_moment(game, game.options(), players, seed)
    seat = state.to_act() or 0

    frames = [
        drawing.frame(asked(state, seat), [], table_of(name, players, seat), look, more=more)
        for more in (False, True)
    ]

    assert max(grid.cells(line) for lines in frames for line in lines) <= look.columns


@pytest.mark.parametrize(("name", "players"), TABLES)
@given(seed=seeds)
@steady
def test_every_legal_action_is_shown_with_its_number(name, players, seed):
    game = GAMES[name]
    state = some_moment(game, game.options(), players, seed)
    question = asked(state, state.to_act() or 0)

    text = plain(drawing.frame(question, [], table_of(name, players), PLAIN, more=True))

    for number, action in enumerate(question.legal, 1):
        head, item = parts(action)
        assert re.search(rf" {number}\) {re.escape(worded(item, PLAIN.card))}(  |$)", text, re.MULTILINE), (
            action
        )
        assert f"  {head}" in text


@pytest.mark.parametrize(("name", "players"), TABLES)
@given(seed=seeds)
@steady
def test_every_card_of_the_hand_and_every_name_is_shown(name, players, seed):
    game = GAMES[name]
    state = some_moment(game, game.options(), players, seed)
    table = table_of(name, players)

    text = plain(drawing.frame(asked(state, 0), [], table, COLOURED))

    hand = text[text.index(f"hand {len(state.view(0)['hand'])}") :]
    assert all(PLAIN.card(card).replace("T", "10")[:-1] in hand for card in state.view(0)["hand"])
    assert all(each in text for each in table.names)


@pytest.mark.parametrize(("name", "players"), TABLES)
@given(seed=seeds)
@steady
def test_every_legal_action_can_be_typed_in_any_case_and_order(name, players, seed):
    game = GAMES[name]
    state = some_moment(game, game.options(), players, seed)
    legal = state.legal()

    for number, action in enumerate(legal, 1):
        verb, *rest = action.split(" ")
        backwards = " ".join([verb, *rest]) if verb == "add" else " ".join([verb, *reversed(rest)])
        for spelling in (str(number), action, action.upper(), backwards, action.replace("T", "10")):
            assert typed.meant(spelling, legal) == [action]


@pytest.mark.parametrize(("name", "players"), TABLES)
def test_every_event_of_a_game_has_a_sentence(name, players):
    game = GAMES[name]

    for seed in range(3):
        for _, events in moments(game, game.options(), players, seed):
            assert [
                event for event in events if not any(re.fullmatch(form, event) for form, _ in EVENTS)
            ] == []


@pytest.mark.parametrize(
    ("events", "sentences"),
    [
        (["1 play 9h", "1 draw 1"], ["West plays 9h, draws 1"]),
        (["0 play 9h", "0 draw 1"], ["you play 9h, draw 1"]),
        (["0 play Tc", "burn", "0 draw 1"], ["you play Tc", "the pile burns", "you draw 1"]),
        (["1 flip 2 4d fail"], ["West turns over 4d, which does not fit, and takes it with the pile"]),
        (["1 out 1", "0 out 2"], ["West is out, in place 1", "you are out, in place 2"]),
        (["deal 3 trump s turned 9s"], ["deal 3: trumps are s, 9s was turned up"]),
        (["1 juggle_with 4d 5d"], ["West juggle with 4d 5d"]),
        (["the moon rises"], ["the moon rises"]),
    ],
)
def test_what_happened_is_told_in_words(events, sentences):
    assert told(events, ("you", "West"), 0, PLAIN.card) == sentences


@pytest.mark.parametrize(
    ("before", "now", "sentences"),
    [
        (["9c", "Td"], ["9c", "2h", "2h"], ["new in your hand: 2h 2h"]),
        (["2h"], ["2h", "2h"], ["new in your hand: 2h"]),
        (["9c", "Td"], ["9c"], []),
        (["9c"], ["2h", "3h"], []),
        ([], ["2h", "3h"], []),
    ],
)
def test_cards_that_were_drawn_are_named(before, now, sentences):
    assert drawing.drawn(before, now, PLAIN) == sentences


LEGAL = ("play 6d", "play 6d 6h", "play 6h", "play Tc", "pickup")


@pytest.mark.parametrize(
    ("text", "actions"),
    [
        ("2", ["play 6d 6h"]),
        ("0", []),
        ("6", []),
        ("PLAY 6H 6D", ["play 6d 6h"]),
        ("6h6d", ["play 6d 6h"]),
        ("6♥, 6♦", ["play 6d 6h"]),
        ("p 6h", ["play 6h"]),
        ("10c", ["play Tc"]),
        ("play 10", ["play Tc"]),
        ("pi", ["pickup"]),
        ("play 6", ["play 6d", "play 6h"]),
        ("p", [*LEGAL]),
        ("play", ["play 6d", "play 6d 6h", "play 6h", "play Tc"]),
        ("play 9c", []),
        ("nonsense", []),
    ],
)
def test_what_is_typed_is_understood_where_it_is_clear(text, actions):
    assert typed.meant(text, LEGAL) == actions


@pytest.mark.parametrize(
    ("text", "actions"),
    [
        ("meld 7h 8H 9h 10h", ["meld 7h 8h 9h Th"]),
        ("7h8h9hth", ["meld 7h 8h 9h Th", "add 0 7h 8h 9h Th", "discard 7h 8h 9h Th"]),
        ("add 0 jk", ["add 0 Jk"]),
        ("add 3 jk", ["add 3 Jk"]),
    ],
)
def test_what_is_in_no_list_is_spelled_as_the_game_does(text, actions):
    assert typed.spelled(text, ["meld 7h 8h 9h", "add 0 Th", "discard 7h", "discard 8h"]) == actions


@pytest.mark.parametrize(
    ("text", "actions"),
    [
        ("10h 9H 8h 7h", ["meld Th 9h 8h 7h"]),
        ("meld 7h8h9hthjh", ["meld 7h 8h 9h Th Jh"]),
        ("add 0 7c 8c", ["add 0 7c 8c"]),
        ("7c 8c", ["add 0 7c 8c"]),
        ("meld 7c 8h 9h", []),
    ],
)
def test_a_longer_meld_than_any_in_the_list_can_be_typed(text, actions):
    hands = [["7h", "8h", "9h", "Th", "Jh", "7c", "8c", "Ks", "Qd"], ["3s", "4s"]]
    melds = [[["4c", "5c", "6c"]], []]
    packets = [["3d"] * 2, ["4d"] * 2]
    state = GAMES["mpirimpa"].from_position(
        {"players": 2, "phase": "meld", "turn": 0, "hands": hands, "melds": melds, "packets": packets}
    )

    assert unlisted(text, asked(state, 0), table_of("mpirimpa", 2)) == actions


def test_a_long_list_is_shortened_under_its_verb_until_more_is_asked_for():
    legal = [f"meld {number}c" for number in range(500)]

    short, whole = (plain(drawing.actions([*legal, "draw"], PLAIN, rows=rows)) for rows in (5, None))

    assert short.splitlines()[5].strip() == "and 470 more: type the cards, or more to see all"
    assert "501) from the stock" in short
    assert "500) 499c" in whole


def test_a_field_that_no_table_knows_is_placed_by_its_shape():
    view = {
        "seat": 0,
        "sticks": 7,
        "wild_card": "2h",
        "tokens": [3, 4],
        "fan": ["9c", "Td"],
        "shown": [["2c"], ["3d", "4d"]],
        "puzzle": {"deep": True},
    }
    table = drawing.Table("new", ("you", "West"), ((0,), (1,)), 0)

    lines = drawing.frame(Question(0, 1, view, (), ("take 1", "take 2"), 0, 0), [], table, PLAIN)

    assert lines[2:] == [
        "         tokens",
        "   West       4",
        "   you        3",
        "",
        "  West shown  3d 4d",
        "  fan 2       9c Td",
        "  sticks 7   wild card 2h",
        "",
        "  take   1) 1  2) 2",
    ]
    assert "puzzle" in plain(drawing.frame(Question(0, 1, view, (), (), 0, 0), [], table, PLAIN, more=True))


def test_partners_see_who_is_on_their_side():
    table = drawing.Table("new", ("you", "a", "b", "c"), ((0, 2), (1, 3)), 0)

    lines = drawing.seats({"hand_counts": [1, 2, 3, 4], "scores": [10, 20]}, table, PLAIN)

    assert lines == [
        "        side    hand  score",
        "   a    theirs     2     20",
        "   b    yours      3     10",
        "   c    theirs     4     20",
        "   you  yours      1     10",
    ]


def test_a_hand_is_sorted_as_the_game_has_it():
    cards = ["2c", "3d", "Td", "Kc", "Ac"]

    shedding = drawing.sorted_hand(cards, drawing.ORDERS["idiot"])
    tricks = drawing.sorted_hand(cards, drawing.ORDERS["imperial"], trump="c")

    assert shedding == [["3d", "Kc", "Ac", "2c", "Td"]]
    assert tricks == [["3d", "Td"], ["2c", "Ac", "Kc"]]
    assert drawing.sorted_hand(["7h", "Jk", "2h"], drawing.Order()) == [["Jk"], ["2h", "7h"]]


def test_actions_are_numbered_as_the_cards_stand_in_the_hand():
    view = {"hand": ["2c", "3d", "Kc"]}
    legal = ("play 2c", "play 3d", "play Kc", "pickup")

    arranged = drawing.arranged(Question(0, 1, view, (), legal, 0, 0), table_of("idiot", 2))

    assert arranged == ("play 3d", "play Kc", "play 2c", "pickup")


def test_cards_are_letters_without_colours_and_glyphs_with_them():
    assert [PLAIN.card("Th"), PLAIN.tile("Th"), PLAIN.back(filled=True)] == ["Th", "Th", "??"]
    assert click.unstyle(COLOURED.card("Th")) == "10♥"
    assert COLOURED.card("Th") == click.style("10♥", fg="red")
    assert [grid.cells(COLOURED.tile(card)) for card in ("2c", "Th", "Jk")] == [4, 4, 4]


@pytest.mark.parametrize("name", GAMES)
def test_the_help_fits_and_shows_an_action_of_the_moment(name):
    from arena.cli.rules import page

    game = GAMES[name]
    state = next(state for state, _ in moments(game, game.options(), game.players[0], 1) if state.legal())
    question = asked(state, state.to_act())

    lines = drawing.guide(
        question, table_of(name, game.players[0]), drawing.Look(60, colour=True), page(name)
    )

    assert max(map(grid.cells, lines)) <= 60
    assert question.legal[0].split(" ")[0] in plain(lines)
    assert "leave the table" in plain(lines)
