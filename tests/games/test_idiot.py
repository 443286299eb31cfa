"""The rulings of Idiot by their number (docs/games/idiot.md); more of them in scenarios.json."""

from typing import Any

import pytest

from arena.games import GAMES
from arena.games.base import IllegalAction
from games.adapters import ADAPTERS

IDIOT = GAMES["idiot"]
enter = ADAPTERS["idiot"].enter

DECK = IDIOT.deck(IDIOT.options(), 2)


def dealt(players: int, dealer: int, **options: Any) -> Any:
    state = IDIOT.new(IDIOT.options(**options), players, dealer)
    state.deal(DECK)
    return state


def turn(**keys: Any) -> Any:
    """Two players, seat 0 to move; seat 1 holds a jack unless the keys say otherwise."""
    return enter({"players": 2, "turn": 0, "hands": [["5c"], ["Jc"]], **keys})


def test_s01_two_to_five_play_with_nine_cards_each():
    assert IDIOT.players == (2, 3, 4, 5)
    assert [dealt(players, 0).view(0)["stock_count"] for players in IDIOT.players] == [34, 25, 16, 7]


def test_s02_blind_row_open_row_and_hand_are_dealt_one_at_a_time():
    position = dealt(3, 1).position()

    assert position["hidden"][2] == ["2c", "2s", "3h"]
    assert position["open"][2] == ["4d", "5c", "5s"]
    assert position["hands"][2] == ["6h", "7d", "8c"]


def test_s03_any_three_of_the_six_are_the_row_and_the_present_row_is_one_of_them():
    state = dealt(2, 1)

    assert len(state.legal()) == 20
    assert state.is_legal("open 4h 3h 4c")
    assert state.is_legal("open 6c 3h 5h")


@pytest.mark.parametrize(
    "action", ["open 3h 5c", "open 3h 3h 5c", "open 3h 4c 4h 5c", "open 3s 4c 4h", "open  3h 4c 4h"]
)
def test_s03_a_row_is_three_different_own_cards(action):
    state = dealt(2, 1)

    with pytest.raises(IllegalAction, match="expected open 3h 4c 4h"):
        state.play(action)

    assert state.to_act() == 0


def test_s04_swaps_are_secret_until_all_are_ready_and_then_final():
    state = dealt(2, 1)
    before = [state.view(seat) for seat in (0, 1)]

    assert state.play("open 6c 3h 5c") == []
    assert [state.view(seat) for seat in (0, 1)] == before
    assert state.play("open 4s 3s 4d") == ["0 open 3h 5c 6c", "1 open 3s 4d 4s"]

    assert state.view(1)["open"] == [["3h", "5c", "6c"], ["3s", "4d", "4s"]]
    assert state.view(0)["hand"] == ["4c", "4h", "5h"]
    assert state.view(1)["known"] == [["4c", "4h"], []]


def test_s05_the_dealers_left_starts_and_play_goes_to_the_left():
    state = dealt(3, 2)
    while state.view(0)["phase"] == "swap":
        state.play(state.fallback())

    assert state.to_act() == 0
    state.play(state.fallback())
    assert state.to_act() == 1


def swapped(hands: list[list[str]], dealer: int, **options: Any) -> Any:
    """Everybody keeps the row of the position; the first turn is about to be found."""
    rows = [["Qc", "Kc", "Ac"], ["Qd", "Kd", "Ad"], ["Qh", "Kh", "Ah"]]
    position = {
        "players": 3,
        "dealer": dealer,
        "phase": "swap",
        "hands": hands,
        "open": rows,
        "options": options,
    }
    state = IDIOT.from_position(position)
    while state.view(0)["phase"] == "swap":
        state.play(f"open {' '.join(rows[state.to_act()])}")
    return state


def test_s06_the_lowest_ordinary_card_in_a_hand_starts():
    hands = [["2c", "Tc", "5c"], ["5d", "6d", "7d"], ["4h", "8h", "9h"]]

    assert swapped(hands, 2, lowest_starts=True).to_act() == 2
    assert swapped(hands, 2).to_act() == 0


def test_s06_the_first_from_the_dealers_left_breaks_a_tie():
    hands = [["4c", "Tc", "5c"], ["5d", "6d", "7d"], ["4h", "8h", "9h"]]

    assert swapped(hands, 1, lowest_starts=True).to_act() == 2


def test_s06_with_no_ordinary_card_anywhere_the_dealers_left_starts():
    hands = [["2c", "Tc"], ["2d", "Td"], ["2h", "Th"]]

    assert swapped(hands, 0, lowest_starts=True).to_act() == 1


def test_s06_the_starter_may_play_anything():
    hands = [["2c", "Tc", "5c"], ["5d", "6d", "7d"], ["4h", "8h", "9h"]]

    assert swapped(hands, 2, lowest_starts=True).legal() == ["play 4h", "play 8h", "play 9h"]


@pytest.mark.parametrize(
    ("top", "fits"), [("3c", "3d 9d Jd Ad"), ("9c", "9d Jd Ad"), ("Qc", "Ad"), ("Ac", "Ad")]
)
def test_s07_equal_or_higher_fits(top, fits):
    state = turn(pile=[top], hands=[["3d", "9d", "Jd", "Ad"], ["Jc"]])

    assert state.legal() == [*[f"play {card}" for card in fits.split()], "pickup"]


def test_s07_the_number_of_cards_binds_nobody():
    state = turn(hands=[["5c", "5d", "9c"], ["Jc", "Qc"]])

    assert state.play("play 5d 5c") == ["0 play 5c 5d"]
    assert state.legal() == ["play Jc", "play Qc", "pickup"]


def test_s08_twos_fit_on_anything_several_at_once_and_stay():
    state = turn(pile=["Ad"], hands=[["2c", "2d", "3c"], ["3d", "Tc"]])

    state.play("play 2c 2d")

    assert (state.view(0)["pile"], state.legal()) == (["Ad", "2c", "2d"], ["play 3d", "play Tc", "pickup"])


def test_s09_a_ten_burns_also_on_nothing_and_its_player_goes_on():
    state = turn(hands=[["Tc", "5c"], ["Jc"]])

    assert state.play("play Tc") == ["0 play Tc", "burn"]
    assert (state.to_act(), state.view(1)["burnt"], state.legal()) == (0, ["Tc"], ["play 5c"])


def test_s10_the_completer_of_four_plays_again_whoever_began():
    state = turn(pile=["5d", "9c", "9d"], hands=[["9h", "9s", "3c"], ["Jc"]])

    assert state.play("play 9h 9s") == ["0 play 9h 9s", "burn"]
    assert (state.to_act(), state.legal()) == (0, ["play 3c"])


def test_s10_four_twos_burn():
    state = turn(pile=["2c", "2d", "2h"], hands=[["2s", "3c"], ["Jc"]])

    assert state.play("play 2s")[-1] == "burn"


def test_s11_the_pile_may_be_taken_though_a_card_fits():
    state = turn(pile=["4c"], hands=[["5c"], ["Jc"]])

    assert state.play("pickup") == ["0 pickup 1"]
    assert state.view(1)["known"] == [["4c"], []]
    assert (state.to_act(), state.view(0)["pile"]) == (1, [])


def test_s12_an_empty_pile_cannot_be_taken():
    assert not turn().is_legal("pickup")


def test_s12_when_nothing_fits_the_pile_must_be_taken():
    assert turn(pile=["Kc"]).legal() == ["pickup"]


def test_s13_hand_and_open_row_are_never_played_together():
    state = turn(hands=[["9c"], ["Jc"]], open=[["9d"], []])

    assert state.legal() == ["play 9c"]
    assert not state.is_legal("play 9c 9d")


def test_s13_several_open_cards_of_a_rank_may_be_played():
    state = turn(hands=[[], ["Jc"]], open=[["9c", "9d", "5d"], []], pile=["6c"])

    assert state.legal() == ["play 9c", "play 9c 9d", "play 9d", "pickup"]


def test_s14_the_refill_comes_before_the_extra_play():
    state = turn(hands=[["Tc", "5c", "6c"], ["Jc"]], stock=["Ac"])

    assert state.play("play Tc") == ["0 play Tc", "burn", "0 draw 1"]
    assert "play Ac" in state.legal()


def test_s15_only_flips_are_legal_in_the_blind_phase():
    state = turn(hands=[[], ["Jc"]], hidden=[["5h", None, "Kd"], []], pile=["6c"])

    assert state.legal() == ["flip 0", "flip 2"]
    assert not state.is_legal("pickup")
    assert not state.is_legal("flip 1")


def test_s15_a_blind_card_that_does_not_fit_goes_to_the_hand_with_the_pile():
    state = turn(hands=[[], ["Jc"]], hidden=[["5h", None, "Kd"], []], pile=["6c"])

    assert state.play("flip 0") == ["0 flip 0 5h fail"]
    assert (state.to_act(), state.view(1)["known"], state.view(1)["plies"]) == (1, [["5h", "6c"], []], 1)


def test_s15_a_blind_ten_burns_and_gives_another_flip():
    state = turn(hands=[[], ["Jc"]], hidden=[["Th", None, "Kd"], []], pile=["6c"])

    assert state.play("flip 0") == ["0 flip 0 Th ok", "burn"]
    assert (state.to_act(), state.legal()) == (0, ["flip 2"])


@pytest.mark.parametrize(
    ("zones", "action"),
    [
        ({"hands": [["Tc"], ["Jc"], ["Qc"]]}, "play Tc"),
        ({"hands": [["9c"], ["Jc"], ["Qc"]], "pile": ["9d", "9h", "9s"]}, "play 9c"),
        ({"hands": [[], ["Jc"], ["Qc"]], "hidden": [[None, "Tc", None], [], []]}, "flip 1"),
        ({"hands": [[], ["Jc"], ["Qc"]], "open": [["9c", "9d", "9h", "9s"], [], []]}, "play 9c 9d 9h 9s"),
    ],
)
def test_s16_who_burns_with_the_last_card_is_out_and_the_left_neighbour_opens(zones, action):
    state = enter({"players": 3, "turn": 0, **zones})

    assert state.play(action)[-2:] == ["burn", "0 out 1"]
    assert (state.to_act(), state.view(1)["pile"], state.legal()) == (1, [], ["play Jc"])


def test_s17_the_order_of_going_out_is_the_places_and_the_last_is_the_idiot():
    state = enter({"players": 3, "turn": 1, "out": [2], "hands": [["5c"], ["9c"], []]})

    assert state.play("play 9c") == ["1 play 9c", "1 out 2"]
    assert (state.over(), state.places(), state.scores()) == (True, (3.0, 2.0, 1.0), (3.0, 2.0, 1.0))


@pytest.mark.parametrize(
    ("pile", "fits"),
    [
        ("7c", "2c 3c 7d Tc"),
        ("7c 7s", "2c 3c 7d Tc"),
        ("7c 2d", "2c 3c 7d 9c Tc"),
        ("7c 5d", "2c 7d 9c Tc"),
        ("9d", "2c 9c Tc"),
    ],
)
def test_s18_a_low_seven_binds_the_very_next_play(pile, fits):
    state = turn(seven_low=True, pile=pile.split(), hands=[["2c", "3c", "7d", "9c", "Tc"], ["Jc"]])

    assert state.legal() == [*[f"play {card}" for card in fits.split()], "pickup"]


def test_s18_without_the_option_a_seven_is_an_ordinary_card():
    state = turn(pile=["7c"], hands=[["6c", "7d", "9c"], ["Jc"]])

    assert state.legal() == ["play 7d", "play 9c", "pickup"]


def last_turn(**keys: Any) -> Any:
    """Seat 0 is about to win a round of three, and the cap to end it: seat 1 has fewer cards than seat 2."""
    hands = [["9c"], ["5c"], ["6c", "6d"]]
    return enter({"players": 3, "turn": 0, "hands": hands, "plies": 9, "max_plies": 10, **keys})


def test_s19_places_are_added_up_and_the_lowest_sum_wins():
    state = last_turn(rounds=3, round=3, totals=[3.0, 2.0, 5.0])

    state.play("play 9c")

    assert (state.over(), state.scores(), state.places()) == (True, (4.0, 4.0, 8.0), (1.5, 1.5, 3.0))


def test_s20_equal_sums_share_the_place():
    state = last_turn(rounds=2, round=2, totals=[2.0, 1.0, 3.0])

    state.play("play 9c")

    assert state.places() == (1.5, 1.5, 3.0)


def test_s21_the_dealer_moves_one_seat_to_the_left_each_round():
    state = last_turn(rounds=2, dealer=2)

    state.play("play 9c")
    view = state.view(0)
    assert (view["phase"], view["round"], view["dealer"], view["totals"]) == ("deal", 2, 0, [1.0, 2.0, 3.0])
    assert (state.to_act(), state.legal(), state.over()) == (None, [], False)

    state.deal(DECK)
    assert (state.to_act(), state.view(0)["plies"], state.view(0)["out"]) == (1, 0, [])


def test_s22_at_the_cap_the_fewest_cards_rank_first_and_equal_counts_share():
    state = enter(
        {
            "players": 3,
            "turn": 0,
            "plies": 9,
            "max_plies": 10,
            "pile": ["3c"],
            "hands": [["5c", "5d"], ["Jc"], ["Kc"]],
            "open": [[], ["8s"], ["8c"]],
            "hidden": [[], [None, "9c", None], ["9d", None, None]],
        }
    )

    state.play("pickup")

    assert (state.over(), state.capped(), state.places()) == (True, True, (2.0, 2.0, 2.0))


def test_s22_every_decision_of_a_turn_is_a_ply():
    state = turn(pile=["3c"], hands=[["Tc", "6c", "7c"], ["4c"]])

    for action in ("play Tc", "play 6c", "pickup"):
        state.play(action)

    assert state.view(0)["plies"] == 3


def test_s23_every_set_of_a_rank_is_legal_and_listed_card_by_card():
    state = turn(hands=[["9c", "9d", "9s", "5c"], ["Jc"]])

    assert state.legal() == [
        "play 5c",
        "play 9c",
        "play 9c 9d",
        "play 9c 9d 9s",
        "play 9c 9s",
        "play 9d",
        "play 9d 9s",
        "play 9s",
    ]


def test_s23_the_cards_of_a_play_may_come_in_any_order_and_lie_in_canonical_order():
    state = turn(hands=[["9c", "9d", "9s", "5c"], ["Jc"]])

    assert state.play("play 9s 9c 9d") == ["0 play 9c 9d 9s"]
    assert state.view(1)["pile"] == ["9c", "9d", "9s"]


def test_the_fallback_is_the_first_legal_action():
    assert turn(pile=["4c"]).fallback() == "play 5c"
    assert turn(pile=["Kc"]).fallback() == "pickup"
