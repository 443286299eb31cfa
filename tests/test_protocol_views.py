"""The types of the views against the games themselves, and the schemas made of them."""

import typing
from random import Random
from typing import Any, get_type_hints

import msgspec
import pytest
from hypothesis import given

from arena.games import GAMES
from protocol.schema import files
from protocol.views import VIEWS, Meld
from tests.games.playing import TABLES, choose, decks, option_sets, seeds, steady

LOOKED_AT = 0.2
"""Of the questions."""


def test_every_game_has_a_view():
    assert list(VIEWS) == sorted(GAMES)


def unknown(value: Any, kind: Any) -> set[str]:
    """Keys of dictionaries that their types do not name; msgspec lets them pass."""
    if typing.is_typeddict(kind):
        hints = get_type_hints(kind)
        inner = (unknown(value[key], hint) for key, hint in hints.items())
        return (set(value) - set(hints)).union(*inner)
    if typing.get_origin(kind) is list:
        return set().union(*(unknown(each, typing.get_args(kind)[0]) for each in value))
    return set()


@pytest.mark.parametrize(("name", "players"), TABLES)
def test_each_view_of_a_match_has_exactly_the_fields_of_its_type(name, players):
    game = GAMES[name]

    @steady
    @given(seeds, option_sets(game))
    def check(seed, options):
        rng, state = Random(seed), game.new(options, players, players - 1)
        cards = decks(game, options, players, seed)
        while not state.over():
            seat = state.to_act()
            if seat is None:
                state.deal(next(cards))
                continue
            if rng.random() < LOOKED_AT:
                view = msgspec.json.decode(msgspec.json.encode(state.view(seat)))
                msgspec.convert(view, VIEWS[name], strict=True)
                assert unknown(view, VIEWS[name]) == set()
            state.play(choose(state, rng))

    check()


def test_a_field_too_much_would_be_found():
    assert unknown([[{"cards": [], "odd": 1}]], list[list[typing.TypedDict("T", {"cards": list})]]) == {"odd"}
    assert "class" in get_type_hints(Meld)


def test_the_schemas_are_current():
    for path, text in files():
        assert path.read_text("utf-8") == text, "type: python -m protocol.schema"
