"""What nobody may learn: what a seat is sent does not change when cards that it cannot know are permuted."""

from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.games import GAMES
from arena.games.base import State
from games.playing import TABLES, choose, decks, moments, option_sets, seeds, some_moment, steady, streams

SHEDDING = [(name, players) for name, players in TABLES if name in ("idiot", "imp")]

every_table = pytest.mark.parametrize(("name", "players"), TABLES)
every_shedding_table = pytest.mark.parametrize(("name", "players"), SHEDDING)


def permuted(position: dict[str, Any], seat: int, rng: Random) -> dict[str, Any]:
    """The position with all cards permuted that the seat cannot know: other hands, hidden rows, stock."""
    others = [other for other in range(position["players"]) if other != seat]
    unknown = [
        *[
            card
            for other in others
            for card in position["hands"][other]
            if card not in position["known"][other]
        ],
        *[card for row in position["hidden"] for card in row if card is not None],
        *position["stock"],
    ]
    swap = dict(zip(unknown, rng.sample(unknown, len(unknown)), strict=True))

    def swapped(cards: list[str | None] | None) -> list[str | None] | None:
        return cards and [card and swap.get(card, card) for card in cards]

    return {
        **position,
        **{key: list(map(swapped, position[key])) for key in ("hands", "hidden", "chosen")},
        "stock": swapped(position["stock"]),
    }


def seen_by(state: State, seat: int) -> Any:
    """All that a seat is shown; whether another is asked is not."""
    return state.view(seat), state.legal() if state.to_act() == seat else None


def pass_quads_of_others(state: State, seat: int) -> None:
    """Go to the next decision that leaves a trace, or that the seat itself is asked for."""
    while "pass" in state.legal() and state.to_act() != seat:
        assert state.play("pass") == []


@every_shedding_table
@steady
@given(data=st.data(), seed=seeds)
def test_hidden_cards_do_not_show_in_what_a_seat_is_sent(name, players, data, seed):
    game = GAMES[name]
    state = some_moment(game, data.draw(option_sets(game)), players, seed)

    for seat in range(players):
        other = game.from_position(permuted(state.position(), seat, Random(seed)))
        assert seen_by(other, seat) == seen_by(state, seat)


@every_shedding_table
@steady
@given(data=st.data(), seed=seeds)
def test_hidden_cards_do_not_show_as_the_match_goes_on(name, players, data, seed):
    """Two matches that differ in what the seat cannot know stay alike to it until a card tells."""
    game, rng = GAMES[name], Random(seed)
    state = some_moment(game, data.draw(option_sets(game)), players, seed)
    seat = rng.randrange(players)
    other = game.from_position(permuted(state.position(), seat, rng))

    while True:
        pass_quads_of_others(state, seat)
        pass_quads_of_others(other, seat)
        assert seen_by(other, seat) == seen_by(state, seat)
        assert other.to_act() == state.to_act()
        if state.to_act() is None or state.view(0)["phase"] in ("setup", "swap"):
            break
        action = choose(state, rng)
        if not other.is_legal(action):
            break
        events, others_events = state.play(action), other.play(action)
        if action.startswith("flip") and events != others_events:
            break
        assert others_events == events
        if any(event.startswith(f"{seat} draw") for event in events):
            other = game.from_position(permuted(state.position(), seat, rng))


@every_table
@steady
@given(data=st.data(), seed=seeds)
def test_what_causes_no_event_is_seen_by_nobody_but_who_is_asked(name, players, data, seed):
    """The secret rows of the others, and who was asked for a quad and passed."""
    game = GAMES[name]
    options = data.draw(option_sets(game))
    source, rng = decks(game, options, players, seed), Random(seed)
    state = game.new(options, players, players - 1)

    for _ in range(60):
        actor = state.to_act()
        if actor is None:
            if state.over():
                break
            state.deal(next(source))
            continue
        before = [state.view(seat) for seat in range(players)]
        if state.play(choose(state, rng)) == []:
            after = [state.view(seat) for seat in range(players)]
            changed = {seat for seat in range(players) if after[seat] != before[seat]}
            assert changed <= {actor, state.to_act()}


def test_a_quad_window_of_another_leaves_no_trace_in_what_a_seat_is_sent():
    """Questions, their numbers, views, events and legal lists are the same with and without the window."""
    position = {
        "players": 4,
        "turn": 0,
        "pile": ["5c"],
        "hands": [["6c", "6d", "9c"], ["9d", "9h", "Jc"], ["8c", "8d", "8h", "8s", "Kc"], ["Kd", "Kh", "Ks"]],
        "stock": ["7d", "7h", "7s", "As"],
    }
    without = {
        **position,
        "hands": [*position["hands"][:2], ["8c", "8d", "8h", "As", "Kc"], position["hands"][3]],
    }
    without["stock"] = ["7d", "7h", "7s", "8s"]

    def answer(state: State) -> str | None:
        actions = {0: "play 6c", 1: "play 9d", 2: "pass"}
        return actions[state.to_act()] if state.is_legal(actions[state.to_act()]) else None

    asked = streams(GAMES["imp"].from_position(position), answer)
    not_asked = streams(GAMES["imp"].from_position(without), answer)

    assert [len(asked[seat]) for seat in range(4)] == [1, 1, 4, 0]
    assert [len(not_asked[seat]) for seat in range(4)] == [1, 1, 1, 0]
    assert {seat: asked[seat] for seat in (0, 1, 3)} == {seat: not_asked[seat] for seat in (0, 1, 3)}


def test_only_the_seat_asked_sees_the_phase_quad():
    state = GAMES["imp"].from_position(
        {"players": 3, "turn": 0, "hands": [["5h"], ["Jh"], ["8c", "8d", "8h", "8s", "Kd"]]}
    )

    assert [state.view(seat)["phase"] for seat in range(3)] == ["turn", "turn", "quad"]
    assert [state.view(seat)["turn"] for seat in range(3)] == [0, 0, 0]


@every_shedding_table
@steady
@given(data=st.data(), seed=seeds)
def test_known_cards_are_in_the_hand_and_were_seen_to_go_there(name, players, data, seed):
    """What the events tell is enough to know them, so that they betray nothing."""
    game = GAMES[name]
    options = data.draw(option_sets(game))
    follower = Follower(players)

    for state, events in moments(game, options, players, seed):
        follower.follow(events, state)
        if state.to_act() is not None:
            position = state.position()
            assert list(map(set, position["known"])) == follower.known
            assert all(
                known <= set(hand) for known, hand in zip(follower.known, position["hands"], strict=True)
            )


class Follower:
    """Somebody at the table who only listens, and looks at pile and open rows."""

    def __init__(self, players: int) -> None:
        self.known: list[set[str]] = [set() for _ in range(players)]
        self.pile: set[str] = set()
        self.rows: list[set[str]] = [set() for _ in range(players)]

    def follow(self, events: list[str], state: State) -> None:
        for event in events:
            match event.split(" "):
                case [seat, "open", *row]:
                    self.known[int(seat)] = self.rows[int(seat)] - set(row)
                case [seat, "play", *cards]:
                    self.known[int(seat)] -= set(cards)
                case [seat, "quad", rank]:
                    self.known[int(seat)] -= {rank + suit for suit in "cdhs"}
                case [seat, "pickup", count]:
                    assert len(self.pile) == int(count)
                    self.known[int(seat)] |= self.pile
                case [seat, "flip", _, card, "fail"]:
                    self.known[int(seat)] |= self.pile | {card}
        view = state.view(0)
        self.pile, self.rows = set(view["pile"]), list(map(set, view["open"]))
        if view["phase"] == "deal":
            self.known = [set() for _ in self.known]
