"""The rulings of IMP by their number (docs/games/imp.md); more of them in scenarios.json."""

from random import Random
from typing import Any

import pytest

from arena.games import GAMES
from arena.games.base import IllegalAction
from games.adapters import ADAPTERS

IMP = GAMES["imp"]
enter = ADAPTERS["imp"].enter


def dealt(players: int, dealer: int, **options: Any) -> Any:
    state = IMP.new(IMP.options(**options), players, dealer)
    state.deal(IMP.deck(IMP.options(), players))
    return state


def turn(**keys: Any) -> Any:
    """Two players, seat 0 to move; seat 1 holds a jack unless the keys say otherwise."""
    return enter({"players": 2, "turn": 0, "hands": [["5c"], ["Jc"]], **keys})


def test_i01_two_to_five_play():
    assert IMP.players == (2, 3, 4, 5)
    assert [dealt(players, 0).view(0)["stock_count"] for players in IMP.players] == [34, 25, 16, 7]


def test_i02_left_is_the_next_higher_seat_and_the_last_is_followed_by_the_first():
    state = enter({"players": 3, "turn": 2, "hands": [["9c"], ["9d"], ["5c", "5d"]]})

    state.play("play 5c")

    assert state.to_act() == 0


def test_i03_cards_are_dealt_one_at_a_time_from_the_dealers_left():
    position = dealt(3, 1).position()

    assert position["hidden"] == [["2d", "3c", "3s"], ["2h", "3d", "4c"], ["2c", "2s", "3h"]]
    assert position["hands"][2] == ["4d", "5c", "5s", "6h", "7d", "8c"]


def test_i04_rows_are_named_in_turn_shown_together_and_final():
    state = dealt(2, 0)
    hidden_before = [state.view(seat) for seat in (0, 1)]

    assert state.to_act() == 1
    assert state.play("open 6c 3h 5c") == []
    assert [state.view(seat) for seat in (0, 1)] == hidden_before
    assert state.to_act() == 0
    assert state.play("open 3s 5d 4d") == ["1 open 3h 5c 6c", "0 open 3s 4d 5d"]
    assert state.view(0)["open"] == [["3s", "4d", "5d"], ["3h", "5c", "6c"]]
    assert state.view(0)["hand"] == ["4s", "5s", "6d"]
    assert not any(action.startswith("open") for action in state.legal())


@pytest.mark.parametrize(
    "action", ["open 3h 5c", "open 3h 3h 5c", "open 3h 5c 6c 4c", "open 3s 5c 6c", "play 3h 5c 6c"]
)
def test_i04_a_row_is_three_different_own_cards(action):
    state = dealt(2, 1)

    with pytest.raises(IllegalAction, match="expected open 3h 4c 4h"):
        state.play(action)

    assert state.to_act() == 0


def test_i05_the_dealers_left_starts_clockwise():
    state = dealt(4, 2)
    while state.view(0)["phase"] == "setup":
        state.play(state.fallback())

    assert (state.to_act(), state.view(0)["dir"]) == (3, 1)


@pytest.mark.parametrize(
    ("top", "fits"), [("5c", "5d 6d 9d Jd Ad"), ("9c", "9d Jd Ad"), ("Qc", "Ad"), ("Ac", "Ad")]
)
def test_i06_equal_or_higher_fits_whatever_the_suit(top, fits):
    state = turn(pile=[top], hands=[["5d", "6d", "9d", "Jd", "Ad"], ["Jc"]])

    assert state.legal() == [f"play {card}" for card in fits.split()]


def test_i07_exactly_one_card_is_played():
    state = turn(hands=[["9c", "9d"], ["Jc"]])

    assert state.legal() == ["play 9c", "play 9d"]
    assert not state.is_legal("play 9c 9d")


def test_i08_a_two_leaves_with_the_pile_and_its_player_opens_anew():
    state = turn(pile=["Kc"], hands=[["2h", "5c"], ["Jc"]])

    state.play("play 2h")

    assert state.view(1)["graveyard"] == ["2h", "Kc"]
    assert (state.to_act(), state.legal()) == (0, ["play 5c"])


def test_i08_a_two_on_an_empty_pile_buries_itself():
    state = turn(hands=[["2h", "5c"], ["Jc"]])

    state.play("play 2h")

    assert (state.view(0)["pile"], state.view(0)["graveyard"], state.to_act()) == ([], ["2h"], 0)


def test_i09_the_refill_comes_before_the_extra_turn():
    state = turn(hands=[["2h", "5c", "6c"], ["Jc"]], stock=["Ac"])

    assert state.play("play 2h") == ["0 play 2h", "0 draw 1"]
    assert "play Ac" in state.legal()


def test_i10_a_ten_clears_but_the_next_plays_and_is_legal_on_nothing():
    state = turn(hands=[["Th", "5c"], ["Jc"]])

    state.play("play Th")

    assert (state.view(0)["graveyard"], state.to_act()) == (["Th"], 1)


@pytest.mark.parametrize(
    ("pile", "effective"), [("9c 3c 3d", "9"), ("7c 3c", "7"), ("3c 3d", None), ("", None)]
)
def test_i11_any_number_of_threes_is_looked_through(pile, effective):
    assert turn(pile=pile.split()).view(0)["effective"] == effective


def test_i12_a_four_on_nothing_ends_the_turn_and_leaves_nothing():
    state = turn(hands=[["4h", "5c"], ["Jc"]])

    state.play("play 4h")

    assert (state.view(0)["pile"], state.view(0)["graveyard"], state.to_act()) == ([], ["4h"], 1)


def test_i13_a_seven_lets_only_five_six_seven_and_the_always_playable_follow():
    hand = ["2c", "3c", "4c", "5c", "6c", "7d", "8c", "9c", "Tc", "Jd", "Qc", "Kc", "Ac"]

    state = turn(pile=["7c", "3d"], hands=[hand, ["Jc"]])

    assert state.legal() == [f"play {card}" for card in ("2c", "3c", "4c", "5c", "6c", "7d", "Tc")]


def test_i13_a_lower_card_on_the_seven_lifts_the_ceiling():
    state = turn(pile=["7c", "5d"], hands=[["5c", "8c", "Kc"], ["Jc"]])

    assert state.legal() == ["play 5c", "play 8c", "play Kc"]


def test_i13_taking_the_pile_lifts_the_ceiling():
    state = turn(pile=["7c"], hands=[["9c"], ["Jc"]])

    state.play("pickup")

    assert state.legal() == ["play Jc"]


def test_i14_an_eight_between_two_turns_the_direction_and_skips_nobody():
    state = turn(hands=[["8h", "5c"], ["Jc"]])

    assert state.play("play 8h") == ["0 play 8h", "dir -1"]
    assert state.to_act() == 1


def test_i15_on_a_pile_of_threes_anything_goes():
    assert turn(pile=["3c", "3d"], hands=[["5c"], ["Jc"]]).legal() == ["play 5c"]


def test_i16_a_forced_pick_up_takes_all_and_the_next_opens():
    state = turn(pile=["Kd", "3d"], hands=[["5c"], ["Jc"]])

    assert state.play("pickup") == ["0 pickup 2"]
    assert state.view(0)["hand"] == ["3d", "5c", "Kd"]
    assert (state.to_act(), state.view(1)["pile"], state.legal()) == (1, [], ["play Jc"])


def test_i17_nobody_picks_up_who_can_play():
    assert not turn(pile=["5d"]).is_legal("pickup")


def test_i17_a_declined_quad_may_be_followed_by_a_forced_pick_up():
    state = turn(pile=["Kh"], hands=[["5c", "5d", "5h", "5s"], ["Jc"]])

    state.play("pass")

    assert state.legal() == ["pickup"]


def test_i18_nothing_is_drawn_after_a_pick_up():
    state = turn(pile=["Kd"], hands=[["5c"], ["Jc"]], stock=["6c"])

    state.play("pickup")

    assert state.view(0)["stock_count"] == 1


def test_i19_the_hand_comes_before_the_open_row_and_that_before_the_hidden():
    rows = {"open": [["9c"], []], "hidden": [["Kc", None, "Ac"], []]}

    assert turn(hands=[["5c"], ["Jc"]], **rows).legal() == ["play 5c"]
    assert turn(hands=[[], ["Jc"]], **rows).legal() == ["play 9c"]
    assert turn(hands=[[], ["Jc"]], hidden=rows["hidden"]).legal() == ["flip 0", "flip 2"]


def test_i20_one_open_card_is_played_though_two_are_equal():
    state = turn(hands=[[], ["Jc"]], open=[["5c", "9c", "9d"], []], pile=["6c"])

    assert state.legal() == ["play 9c", "play 9d"]
    state.play("play 9d")
    assert state.view(0)["open"][0] == ["5c", "9c"]


def test_i21_the_owner_picks_a_slot_and_nobody_sees_the_cards():
    state = turn(hands=[[], ["Jc"]], hidden=[["5h", "9c", "Kd"], []])

    assert state.legal() == ["flip 0", "flip 1", "flip 2"]
    assert not any(card in str(state.view(seat)) for seat in (0, 1) for card in ("5h", "9c", "Kd"))


def test_i22_a_flip_shows_the_card_to_all_and_its_effect_happens():
    state = turn(hands=[[], ["Jc"]], hidden=[["2h", "9c", None], []], pile=["Kc"])

    assert state.play("flip 0") == ["0 flip 0 2h ok"]
    assert (state.to_act(), state.view(1)["graveyard"]) == (0, ["2h", "Kc"])


def test_i22_a_failed_flip_is_known_to_all():
    state = turn(hands=[[], ["Jc"]], hidden=[["5h", "9c", None], []], pile=["Kc"])

    assert state.play("flip 0") == ["0 flip 0 5h fail"]
    assert state.view(1)["known"] == [["5h", "Kc"], []]
    assert (state.to_act(), state.view(0)["plies"]) == (1, 1)


@pytest.mark.parametrize(
    ("card", "pile", "direction"),
    [("2h", [], 1), ("3h", ["5d", "3h"], 1), ("4h", ["5d"], 1), ("8h", ["5d", "8h"], -1), ("Th", [], 1)],
)
def test_i23_a_special_card_played_last_still_does_what_it_does(card, pile, direction):
    state = enter({"players": 3, "turn": 0, "pile": ["5d"], "hands": [[card], ["Jc"], ["Qc"]]})

    assert state.play(f"play {card}")[-1] == "0 out 1"
    assert (state.view(1)["pile"], state.view(1)["dir"]) == (pile, direction)


def test_i24_a_last_two_gives_no_extra_turn_and_the_next_opens():
    state = enter({"players": 3, "turn": 0, "pile": ["5d"], "hands": [["2h"], ["Jc"], ["Qc"]]})

    state.play("play 2h")

    assert (state.to_act(), state.legal()) == (1, ["play Jc"])


def test_i24_after_a_last_eight_the_turn_goes_the_other_way():
    state = enter({"players": 3, "turn": 0, "hands": [["8h"], ["Jc"], ["Qc"]]})

    state.play("play 8h")

    assert state.to_act() == 2


def test_i25_places_follow_the_order_of_going_out():
    state = enter({"players": 4, "turn": 3, "out": [2, 0], "hands": [[], ["5c"], [], ["9c"]]})

    state.play("play 9c")

    assert (state.over(), state.places()) == (True, (2.0, 4.0, 1.0, 3.0))
    assert state.scores() == (2 / 3, 0.0, 1.0, 1 / 3)


def test_i25_without_play_on_the_first_wins_and_the_rest_share():
    state = enter(
        {"players": 4, "turn": 0, "play_on": False, "hands": [["9c"], ["5c"], ["5d"], ["5h", "6h"]]}
    )

    state.play("play 9c")

    assert (state.over(), state.capped(), state.places()) == (True, False, (1.0, 3.0, 3.0, 3.0))


def test_i26_open_cards_do_not_count_for_a_quad():
    state = turn(hands=[["5c", "5d", "5h"], ["Jc"]], open=[["5s"], []])

    assert (state.view(0)["phase"], state.legal()[0]) == ("turn", "play 5c")


def test_i26_six_cards_are_not_yet_the_hand():
    state = IMP.new(IMP.options(), 2, 1)
    fives = [12, 13, 14, 15]
    rest = [card for card in range(52) if card not in fives]
    deck = rest[:6] + [card for pair in zip(fives, rest[6:10], strict=True) for card in pair] + rest[10:]

    state.deal(deck)

    assert {"5c", "5d", "5h", "5s"} <= set(state.view(0)["hand"])
    assert all(action.startswith("open") for action in state.legal())


@pytest.mark.parametrize("rank", "23456789TJQKA")
def test_i26_four_of_any_rank_are_a_quad(rank):
    state = turn(
        hands=[
            [f"{rank}{suit}" for suit in "cdhs"] + [f"{'5' if rank != '5' else '6'}c"],
            ["Jc" if rank != "J" else "Qc"],
        ]
    )

    assert (state.view(0)["phase"], state.legal()) == ("quad", [f"quad {rank}", "pass"])
    assert state.play(f"quad {rank}") == [f"0 quad {rank}"]


def test_i27_the_window_opens_before_every_regular_decision():
    state = turn(pile=["6d"], hands=[["9c", "9d", "Jd"], ["8c", "8d", "8h", "8s", "Kc"]])
    asked = []
    for _ in range(4):
        asked.append((state.view(state.to_act())["phase"], state.to_act()))
        state.play(state.fallback())

    assert asked == [("quad", 1), ("turn", 0), ("quad", 1), ("turn", 1)]


def test_i28_a_quad_has_no_card_effect():
    state = turn(pile=["Kh"], hands=[["Ah"], ["8c", "8d", "8h", "8s", "Tc", "Td", "Th", "Ts", "5d"]])

    assert state.legal() == ["quad 8", "quad T", "pass"]
    state.play("quad 8")
    state.play("quad T")

    view = state.view(0)
    assert (view["pile"], view["dir"], view["turn"], view["plies"]) == (["Kh"], 1, 0, 0)


def test_i29_the_mover_is_asked_first_then_in_the_direction_of_play():
    quads = [["5c", "5d", "5h", "5s", "Ac"], ["6c", "6d", "6h", "6s", "Ad"], ["9c", "9d", "9h", "9s", "Ah"]]
    state = enter({"players": 3, "turn": 1, "dir": -1, "hands": quads})
    asked = []
    while state.view(state.to_act())["phase"] == "quad":
        asked.append(state.to_act())
        state.play("pass")

    assert asked == [1, 0, 2]


def test_i29_after_a_quad_everybody_is_asked_again():
    quads = [["5c", "5d", "5h", "5s", "Ac"], ["6c", "6d", "6h", "6s", "Ad"], ["Ks"]]
    state = enter({"players": 3, "turn": 0, "hands": quads})

    state.play("pass")
    state.play("quad 6")

    assert (state.to_act(), state.legal()) == (0, ["quad 5", "pass"])


def test_i30_a_quad_uses_no_turn_though_it_empties_the_hand():
    state = turn(hands=[["5c", "5d", "5h", "5s"], ["Jc"]], hidden=[["9c", None, None], []])

    state.play("quad 5")

    assert (state.to_act(), state.legal(), state.view(0)["plies"]) == (0, ["flip 0"], 0)


def test_i31_a_quad_may_win_outside_ones_turn_and_the_mover_keeps_it():
    state = enter({"players": 3, "turn": 0, "hands": [["9c"], ["5c", "5d", "5h", "5s"], ["6c"]]})

    assert state.play("quad 5") == ["1 quad 5", "1 out 1"]
    assert (state.to_act(), state.view(0)["phase"]) == (0, "turn")


def test_i31_when_the_mover_goes_out_by_a_quad_the_turn_passes_on():
    state = enter({"players": 3, "turn": 0, "dir": -1, "hands": [["5c", "5d", "5h", "5s"], ["6c"], ["9c"]]})

    state.play("quad 5")

    assert state.to_act() == 2


def test_i31_the_last_but_one_going_out_by_a_quad_ends_the_match():
    state = turn(hands=[["9c"], ["5c", "5d", "5h", "5s"]])

    state.play("quad 5")

    assert (state.over(), state.places()) == (True, (2.0, 1.0))


def test_i32_a_quad_fits_between_a_two_and_the_extra_play():
    state = turn(hands=[["2h", "5c", "9c"], ["8c", "8d", "8h", "8s", "Kc"]], stock=["Ac", "Ad", "Ah"])

    state.play("pass")
    state.play("play 2h")
    assert (state.to_act(), state.legal()) == (1, ["quad 8", "pass"])
    assert state.play("quad 8") == ["1 quad 8", "1 draw 2"]

    assert (state.to_act(), state.legal()) == (0, ["play 5c", "play 9c", "play Ac"])


def test_i33_at_the_cap_the_fewest_cards_rank_first_behind_who_is_out():
    state = enter(
        {
            "players": 4,
            "turn": 0,
            "plies": 9,
            "max_plies": 10,
            "out": [2],
            "hands": [["5c", "5d", "6c"], ["Jc", "Jd", "Jh", "Qc", "Qd", "Qh"], [], ["Kc", "Kd"]],
            "open": [["9c"], ["9d", "9h", "9s"], [], ["Ac"]],
            "hidden": [["8c", None, None], [], [], [None, "8d", None]],
        }
    )

    state.play("play 5c")

    assert (state.over(), state.capped(), state.places()) == (True, True, (2.5, 4.0, 1.0, 2.5))
    assert state.scores() == (0.5, 0.0, 1.0, 0.5)


def test_i33_quads_are_no_plies_and_end_before_the_cap():
    state = turn(plies=9, max_plies=10, hands=[["9c", "5c", "5d", "5h", "5s"], ["Jc"]])

    state.play("quad 5")

    assert (state.over(), state.view(0)["plies"]) == (False, 9)


def test_i34_threes_and_fours_wait_for_ones_own_turn():
    state = turn(pile=["Kd"], hands=[["5c", "Ac"], ["3h", "4h"]])

    assert state.to_act() == 0
    assert not state.is_legal("play 3h")
    state.play("play Ac")
    assert state.legal() == ["play 3h", "play 4h"]


def test_i35_each_seat_reaches_its_last_phase_by_its_own_cards():
    state = turn(hands=[[], ["Jc", "Qc"]], hidden=[["5h", None, None], []], open=[[], ["Kc"]])

    assert state.legal() == ["flip 0"]
    state.play("flip 0")
    assert (state.over(), state.places()) == (True, (1.0, 2.0))


def test_the_fallback_is_pass_in_the_quad_window_and_else_the_first_action():
    asked = turn(hands=[["5c", "5d", "5h", "5s"], ["Jc"]])

    assert asked.fallback() == "pass"
    asked.play("pass")
    assert asked.fallback() == asked.legal()[0] == "play 5c"


def test_a_view_with_options_makes_a_state_that_ends_with_the_first_out():
    state = enter({"players": 3, "turn": 0, "play_on": False, "hands": [["9c"], ["5c"], ["5d"]]})

    made = IMP.from_view({**state.view(0), "options": {"play_on": False, "max_plies": 500}}, Random(1))
    made.play("play 9c")

    assert made.over()


SIX_CARDS = [["5c", "5d", "5h"], ["6c", "6d", "6h"]]


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"hands": [["5c"], ["5c"]]}, "a card stands in two places"),
        ({"hands": [["5c", "5c"], ["Jc"]]}, "stands twice"),
        ({"hands": [["5c"], []]}, "seat 1 must either hold cards or stand in out"),
        ({"hands": [["5c"], ["Jc"]], "out": [1]}, "seat 1 must either"),
        ({"hands": [["5c"]]}, "must each have 2 rows"),
        ({"hands": [["5c"], ["1c"]]}, "is no card"),
        ({"hands": [["5c"], ["Jk"]]}, "a joker in a deck that has none"),
        ({"known": [["6c"], []]}, "known cards must be in the hand"),
        ({"players": 6}, "2 to 5 players play"),
        ({"dealer": 2}, "the dealer is one of them"),
        ({"phase": "swap"}, "one of deal, setup, quad, turn, over is expected"),
        ({"phase": "quad"}, "a seat is asked"),
        ({"asked": 0}, "a seat is asked"),
        ({"phase": "setup", "chosen": [["5c"], None]}, "a chosen row must be three cards"),
        ({"phase": "setup", "hands": SIX_CARDS, "chosen": SIX_CARDS}, "a row must still be chosen"),
        (
            {"players": 3, "turn": 2, "out": [2], "hands": [["5c"], ["Jc"], []]},
            "turn is seat 2, which is out",
        ),
    ],
)
def test_a_position_that_cannot_be_is_refused(keys, message):
    with pytest.raises(ValueError, match=message):
        turn(**keys)
