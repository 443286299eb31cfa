"""What every game owes the arena, over every registered game, player count and option."""

import json
from dataclasses import fields
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.games import GAMES
from arena.games.base import BadOption, IllegalAction, State, average_ranks, parse_options
from arena.games.cards import NAMES
from games.playing import TABLES, finish, moments, option_sets, seeds, some_moment, steady

every_table = pytest.mark.parametrize(("name", "players"), TABLES)


def names_in(value: Any) -> set[str]:
    """All cards that stand anywhere in a position."""
    if isinstance(value, str):
        return {value} & set(NAMES)
    if isinstance(value, dict):
        return {name for part in value.values() for name in names_in(part)}
    return {name for part in value for name in names_in(part)} if isinstance(value, list) else set()


def near_misses(legal: list[str], rng: Random) -> list[str]:
    """What a bot might send by mistake: other case, spaces, orders, doubled, foreign and missing cards."""
    misses = [
        "",
        " ",
        "play",
        "pass",
        "pickup ",
        "flip 3",
        "flip -1",
        "flip 00",
        "flip \u0660",
        "play Jk",
        "open",
        "quad 1",
        "\0",
    ]
    for action in legal[:3] + rng.sample(legal, min(5, len(legal))):
        verb, *named = action.split(" ")
        foreign = rng.choice(NAMES)
        misses += [
            action.upper(),
            action.lower(),
            f" {action}",
            f"{action} ",
            f"{action}\n",
            action.replace(" ", "  "),
            action.replace(" ", "\t"),
            " ".join([verb, *rng.sample(named, len(named))]),
            " ".join([verb, *named, *named[-1:]]),
            " ".join([verb, *named, foreign]),
            " ".join([verb, *named[:-1], foreign]),
            " ".join([verb, *named[:-1]]),
            f"play {foreign}",
            f"flip {rng.randrange(4)}",
            f"quad {rng.choice('23456789TJQKA')}",
        ]
    return misses


@every_table
@steady
@given(data=st.data(), seed=seeds)
def test_every_match_ends_with_average_ranks_as_places(name, players, data, seed):
    game = GAMES[name]
    options = data.draw(option_sets(game))
    sides = game.sides(players)

    *_, (state, _) = moments(game, options, players, seed)

    assert (state.over(), state.to_act(), state.legal()) == (True, None, [])
    assert average_ranks(state.places()) == state.places()
    assert len(state.places()) == len(state.scores()) == len(sides)
    assert sorted(seat for side in sides for seat in side) == list(range(players))


@every_table
@steady
@given(data=st.data(), seed=seeds)
def test_no_card_is_lost_or_made(name, players, data, seed):
    game = GAMES[name]
    options = data.draw(option_sets(game))
    deck = {NAMES[card] for card in game.deck(options, players)}

    for number, (state, _) in enumerate(moments(game, options, players, seed)):
        if number % 5 == seed % 5 and state.to_act() is not None:
            assert names_in(state.position()) == deck


@every_table
@steady
@given(data=st.data(), seed=seeds)
def test_the_legal_list_is_not_empty_has_no_doubles_and_holds_the_fallback(name, players, data, seed):
    game = GAMES[name]
    options = data.draw(option_sets(game))

    for state, _ in moments(game, options, players, seed):
        legal = state.legal()
        if state.to_act() is None:
            assert legal == []
        else:
            assert len(set(legal)) == len(legal) > 0
            assert state.fallback() in legal


@every_table
@steady
@given(data=st.data(), seed=seeds, text=st.text(max_size=12))
def test_is_legal_is_exactly_what_play_takes_and_the_rest_changes_nothing(name, players, data, seed, text):
    game = GAMES[name]
    state = some_moment(game, data.draw(option_sets(game)), players, seed)
    before, legal = state.position(), state.legal()

    assert all(state.is_legal(action) for action in legal)
    for action in [*legal[:20], *near_misses(legal, Random(seed)), text]:
        tried = state.clone()
        if state.is_legal(action):
            tried.play(action)
        else:
            with pytest.raises(IllegalAction):
                tried.play(action)
            assert tried.position() == before
    assert state.position() == before


@every_table
@steady
@given(data=st.data(), seed=seeds)
def test_case_and_spaces_are_part_of_an_action(name, players, data, seed):
    game = GAMES[name]
    state = some_moment(game, data.draw(option_sets(game)), players, seed)

    for action in state.legal():
        for spelling in {
            action.upper(),
            action.title(),
            f" {action}",
            f"{action} ",
            action.replace(" ", "  "),
        } - {action}:
            assert not state.is_legal(spelling)


@every_table
@steady
@given(data=st.data(), seed=seeds)
def test_an_illegal_action_is_told_what_was_expected(name, players, data, seed):
    game = GAMES[name]
    state = some_moment(game, data.draw(option_sets(game)), players, seed)

    with pytest.raises(IllegalAction) as refused:
        state.play("take \x1b[2J" + "back" * 1_000)

    assert str(refused.value).isprintable()
    assert len(str(refused.value)) < 400
    assert all(action in str(refused.value) for action in state.legal()[:1])


@every_table
@steady
@given(data=st.data(), seed=seeds)
def test_the_same_seed_gives_the_same_match(name, players, data, seed):
    game = GAMES[name]
    options = data.draw(option_sets(game))

    once, again = (
        [(events, state.legal(), state.to_act()) for state, events in moments(game, options, players, seed)]
        for _ in range(2)
    )

    assert once == again


@every_table
@steady
@given(data=st.data(), seed=seeds)
def test_a_position_goes_through_json_and_back_whole(name, players, data, seed):
    game = GAMES[name]
    state = some_moment(game, data.draw(option_sets(game)), players, seed)

    made = game.from_position(json.loads(json.dumps(state.position())))

    assert everything(made) == everything(state)
    assert finish(game, made, seed) == finish(game, state, seed)
    assert everything(made) == everything(state)


def everything(state: State) -> Any:
    """All that a state says."""
    position = state.position()
    views = [state.view(seat) for seat in range(position["players"])]
    return position, views, state.legal(), state.to_act(), state.places() if state.over() else None


@every_table
@steady
@given(data=st.data(), seed=seeds)
def test_a_clone_plays_alike_and_touches_nothing_of_the_original(name, players, data, seed):
    game = GAMES[name]
    state = some_moment(game, data.draw(option_sets(game)), players, seed)
    before = everything(state)

    clone = state.clone()
    assert everything(clone) == before
    finish(game, clone, seed)
    assert everything(state) == before


@every_table
@steady
@given(data=st.data(), seed=seeds)
def test_views_and_positions_are_plain_json_and_share_nothing_with_the_state(name, players, data, seed):
    game = GAMES[name]
    state = some_moment(game, data.draw(option_sets(game)), players, seed)
    before = json.dumps(everything(state))

    for handed_out in (state.position(), *(state.view(seat) for seat in range(players))):
        assert json.loads(json.dumps(handed_out)) == handed_out
        spoil(handed_out)
    state.legal().clear()

    assert json.dumps(everything(state)) == before


def spoil(value: Any) -> None:
    """Change every list and dict in place."""
    parts = (
        list(value.values()) if isinstance(value, dict) else list(value) if isinstance(value, list) else []
    )
    for part in parts:
        spoil(part)
    if isinstance(value, dict):
        value["spoilt"] = True
    elif isinstance(value, list):
        value.append("spoilt")


@every_table
@steady
@given(data=st.data(), seed=seeds)
def test_a_state_made_from_a_view_gives_that_view_and_plays_on(name, players, data, seed):
    game = GAMES[name]
    options = data.draw(option_sets(game))
    state = some_moment(game, options, players, seed)

    for seat in range(players):
        view = json.loads(json.dumps(state.view(seat)))
        made = game.from_view(view, Random(seed))
        again = game.from_view(view, Random(seed))

        assert made.view(seat) == view
        assert made.position() == again.position()
        if state.to_act() == seat:
            assert (made.to_act(), made.legal()) == (seat, state.legal())
        finish(game, made, seed)


@pytest.mark.parametrize("name", GAMES)
def test_a_game_is_registered_under_its_name_and_shuffles_nothing_itself(name):
    game = GAMES[name]
    options = game.options()

    for players in game.players:
        deck = game.deck(options, players)
        state = game.new(options, players, players - 1)
        assert (game.name, list(dict.fromkeys(deck))) == (name, sorted(set(deck)))
        assert (state.to_act(), state.legal(), state.over()) == (None, [], False)
        assert {state.view(seat)["game"] for seat in range(players)} == {name}


@pytest.mark.parametrize("name", GAMES)
def test_every_option_can_be_set_from_text_and_has_bounds(name):
    kind = GAMES[name].options
    defaults = {field.name: field.default for field in fields(kind)}

    assert parse_options(kind, {option: str(value) for option, value in defaults.items()}) == kind()
    for field in fields(kind):
        low, high = field.metadata.get("range", (None, None))
        for outside in ("maybe",) if low is None else (low - 1, high + 1, "maybe"):
            with pytest.raises(BadOption):
                parse_options(kind, {field.name: outside})
    with pytest.raises(BadOption):
        parse_options(kind, {"no_such_option": 1})
