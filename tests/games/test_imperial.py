"""The rulings of Imperial by their number (docs/games/imperial.md); more of them in scenarios.json."""

import re
from collections import Counter
from itertools import combinations
from pathlib import Path
from random import Random

import pytest

from arena.games.base import BadOption, IllegalAction, parse_options
from arena.games.cards import CARDS, NAMES
from arena.games.imperial import GAME, Options


def cards(text):
    return text.split()


def canonical(players=2):
    return GAME.deck(Options(), players)


def dealt(players=2, dealer=0, deck=None, **options):
    state = GAME.new(Options(**options), players, dealer)
    events = state.deal(deck or canonical(players))
    return state, events


def opened(hands, turned, **position):
    """Enter before the first lead (P9)."""
    return GAME.from_position(
        {"players": len(hands), "dealer": len(hands) - 1, "hands": [*map(cards, hands)], "turned": turned}
        | position
    )


def middle(hands, **position):
    """Enter in the middle of the play, spades are trumps."""
    return GAME.from_position(
        {
            "players": len(hands),
            "dealer": len(hands) - 1,
            "hands": [*map(cards, hands)],
            "trump": "s",
            "to_act": 0,
        }
        | position
    )


def play_all(state, *actions):
    return [event for action in actions for event in state.play(f"play {action}")]


def deck_with(hands, turned, dealer):
    """Deck that gives these hands (of 12) and this turn-up, dealt by twos from elder."""
    players = len(hands)
    order = [(dealer + step) % players for step in range(1, players + 1)]
    rows = [cards(hand) for hand in hands]
    deck = [card for start in range(0, 12, 2) for seat in order for card in rows[seat][start : start + 2]]
    if players == 2:
        deck.append(turned)
    return [CARDS[name] for name in deck] + [card for card in canonical(players) if NAMES[card] not in deck]


def finished(rng, players=2, **options):
    """Random match, revokes and all, as it stands before each decision and at its end."""
    state = GAME.new(Options(**options), players, rng.randrange(players))
    while not state.over():
        if state.to_act() is None:
            state.deal(rng.sample(canonical(players), len(canonical(players))))
        else:
            yield state
            held = [f"play {card}" for card in state.view(state.to_act())["hand"]]
            state.play(rng.choice(held if rng.random() < 0.03 else state.legal()))
    yield state


@pytest.mark.parametrize(("players", "size", "lowest"), [(2, 32, "7c"), (3, 36, "6c")])
def test_p1_the_deck_begins_with_sevens_for_two_and_with_sixes_for_three(players, size, lowest):
    deck = canonical(players)

    assert (len(deck), NAMES[deck[0]], NAMES[deck[-1]]) == (size, lowest, "As")
    assert deck == sorted(set(deck))


def test_p1_everybody_holds_twelve_cards_and_three_players_hold_them_all():
    two, _ = dealt(2)
    three, _ = dealt(3)

    assert (two.view(0)["hand_counts"], len(two.position()["talon"])) == ([12, 12], 7)
    assert (three.view(0)["hand_counts"], three.position()["talon"]) == ([12, 12, 12], [])


@pytest.mark.parametrize("bad", [canonical(3), canonical()[1:], [*canonical()[1:], CARDS["8c"]]])
def test_p1_only_the_whole_deck_is_dealt(bad):
    state = GAME.new(Options(), 2, 0)
    before = state.position()

    with pytest.raises(AssertionError):
        state.deal(bad)

    assert state.position() == before


@pytest.mark.parametrize(("lower", "higher"), ["67", "78", "89", "9T", "TA", "AJ", "JQ", "QK"])
def test_p2_the_order_of_a_suit_has_the_ace_below_the_jack(lower, higher):
    plain = middle([f"{lower}h 7c", f"{higher}h 8c", "8d 9d"])
    trump = middle([f"{lower}s 7c", f"{higher}s 8c", "8d 9d"])

    assert play_all(plain, f"{lower}h", f"{higher}h", "8d")[-1] == "1 wins_trick"
    assert play_all(trump, f"{lower}s", f"{higher}s", "8d")[-1] == "1 wins_trick"


def test_p3_cards_go_round_by_twos_from_elder():
    state, _ = dealt(3, dealer=0)

    hands = state.position()["hands"]

    assert [hand[:4] for hand in hands] == [cards("7c 7d 8h 8s"), cards("6c 6d 7h 7s"), cards("6h 6s 8c 8d")]


def test_p4_the_deal_passes_to_the_left_after_every_deal():
    dealers = {}
    for state in finished(Random(1), players=3):
        dealers[state.view(0)["deal"]] = state.view(0)["dealer"]

    assert list(dealers) == list(range(1, len(dealers) + 1))
    assert len(dealers) > 3
    assert all((dealers[number] - dealers[1]) % 3 == (number - 1) % 3 for number in dealers)


def test_p5_with_two_the_turn_up_stays_out_of_play():
    state, events = dealt(2)

    held = [card for hand in state.position()["hands"] for card in hand]

    assert events[0] == "deal 1 trump c turned Kc"
    assert "Kc" not in held + state.position()["talon"]
    assert state.view(0)["known"] == [[], []]


def test_p5_turning_an_honour_scores_nothing():
    state, events = dealt(2)

    assert not any("points" in event for event in events)
    assert state.scores() == (0, 0)


def test_p5_with_three_the_dealers_last_card_is_shown_and_stays_his():
    state, events = dealt(3, dealer=1)
    view = state.view(0)

    assert events[0] == "deal 1 trump s turned As"
    assert (view["turned"], view["trump"], view["known"]) == ("As", "s", [[], ["As"], []])
    assert "As" in state.view(1)["hand"]


def test_p5_the_shown_card_is_no_longer_known_in_the_hand_once_it_is_played():
    state = opened(["7c 8c", "7d 8d", "9s Kc"], "9s")

    play_all(state, "7c", "7d", "Kc")
    known = state.view(0)["known"]
    state.play("play 9s")

    assert known == [[], [], ["9s"]]
    assert (state.view(0)["known"], state.view(0)["turned"]) == ([[], [], []], "9s")


def test_p6_imperials_are_shown_without_being_asked_and_are_public_until_played():
    state = opened(["Kh Qh Jh Ah", "7c 8c 9c Tc"], "7d")

    shown = state.view(1)["known"]
    play_all(state, "Qh", "9c")

    assert shown == [cards("Jh Qh Kh Ah"), []]
    assert state.view(1)["known"] == [cards("Jh Kh Ah"), []]
    assert (state.view(1)["imperials"], state.legal()) == ([["h"], []], ["play Jh", "play Kh", "play Ah"])


def test_p7_several_imperials_add_up():
    state = opened(["Kh Qh Jh Ah Kc Qc Jc Ac", "7c 8c 9c Tc 7h 8h 9h Th"], "7d")

    assert state.view(0)["imperials"] == [["c", "h"], []]
    assert state.view(1)["known"] == [cards("Jc Jh Qc Qh Kc Kh Ac Ah"), []]
    assert state.scores() == (52, 0)


def test_p8_an_imperial_in_trumps_counts_for_two():
    hands = ["Kh Qh Jh Ah", "7c 8c 9c Tc"]

    plain, trump = opened(hands, "7d"), opened(hands, "7h")

    assert (plain.scores(), trump.scores()) == ((28, 0), (52, 0))


@pytest.mark.parametrize(
    "hand",
    [
        pytest.param("Kc Kd Kh Ks", id="four of a kind"),
        pytest.param("Kh Qh Jh Th", id="a ten for the ace"),
        pytest.param("Qh Jh Ah 9h", id="completed by the turn-up"),
        pytest.param("8c 9c 8d 9d", id="no court card"),
    ],
)
def test_p8_nothing_else_is_an_imperial(hand):
    state = opened([hand, "7c 7d 7s Qc"], "Kh" if "Kh" not in hand else "7h")

    assert state.view(0)["imperials"] == [[], []]
    assert state.scores() in ((0, 0), (4, 0), (0, 4))


def test_p9_imperials_of_all_come_before_the_honours():
    deck = deck_with(
        ["Kh Qh Jh Ah 7c 8c 9c Tc 8d 9d Td 8s", "Ks Qs Js As 7s 8h 9h Th 9s Ts Kd Qd"], "7d", dealer=0
    )

    _, events = dealt(2, dealer=0, deck=deck)

    assert events == [
        "deal 1 trump d turned 7d",
        "1 imperial s 24",
        "0 imperial h 24",
        "1 honours 7",
        "0 honours 5",
        "1 honour_points 4",
    ]


@pytest.mark.parametrize("rank", "KQJA76")
def test_p10_honours_are_of_every_suit(rank):
    hands = [f"{rank}c {rank}d {rank}h", "8c 9c Tc", "8h 9h Th"]

    assert opened(hands, "Th").view(0)["honours"] == [3, 0, 0]


@pytest.mark.parametrize("rank", "T98")
def test_p10_tens_nines_and_eights_are_no_honours(rank):
    assert opened([f"{rank}c {rank}d", "7c 6d", "Kc Qd"], "Qd").view(0)["honours"] == [0, 2, 2]


def test_p11_the_most_honours_score_four_whatever_their_number():
    assert opened(["Kc Qd 7h", "8c 8d 8h"], "9s").scores() == (4, 0)


def test_p12_honours_won_in_tricks_score_nothing():
    state = middle(["Kc Ts", "7c 9s"], won=[3, 7])

    play_all(state, "Kc", "7c", "Ts", "9s")

    assert (state.scores(), state.last_deal["trick_points"]) == ((0, 4), [0, 4])


def test_p13_equal_counts_for_the_most_honours_score_nobody():
    state = opened(["Kc Qd", "7c 6d", "8c 9d"], "9d")

    assert (state.view(0)["honours"], state.view(0)["honour_to"]) == ([2, 2, 0], None)
    assert state.scores() == (0, 0, 0)


@pytest.mark.parametrize("players", [2, 3])
def test_p14_any_card_may_be_led(players):
    state, _ = dealt(players, dealer=0)

    assert state.legal() == [f"play {card}" for card in state.view(1)["hand"]]


def test_p15_elder_leads_and_the_others_follow_clockwise():
    state = opened(["7c 8c", "7d 8d", "7h 8h"], "9s", dealer=0)
    asked = []
    for action in ("7d", "7h", "7c"):
        asked.append(state.to_act())
        state.play(f"play {action}")

    assert asked == [1, 2, 0]


def test_p16_a_suit_led_is_followed_though_trumps_are_at_hand():
    state = middle(["Kc 7d", "8c 9s"], to_act=1, trick=[[0, "Tc"]])

    assert state.legal() == ["play 8c"]


def test_p16_trumps_are_followed_by_trumps():
    state = middle(["7d", "8c 9s Ks"], to_act=1, trick=[[0, "Ts"]])

    assert state.legal() == ["play 9s", "play Ks"]


def test_p17_without_the_suit_led_a_trump_must_be_played_even_a_lower_one():
    state = middle(["7d", "8d", "9s Qs Kd"], to_act=2, trick=[[0, "Kc"], [1, "Ts"]])

    assert state.legal() == ["play 9s", "play Qs"]


def test_p17_without_the_suit_led_and_trumps_any_card_goes():
    state = middle(["7d", "8d Kh"], to_act=1, trick=[[0, "Kc"]])

    assert state.legal() == ["play 8d", "play Kh"]


def test_p18_nobody_has_to_overtake_or_overtrump():
    follower = middle(["7d", "7c Kc"], to_act=1, trick=[[0, "Tc"]])
    trumping = middle(["7d", "8d", "9s Ks"], to_act=2, trick=[[0, "7c"], [1, "Ts"]])

    assert follower.legal() == ["play 7c", "play Kc"]
    assert trumping.legal() == ["play 9s", "play Ks"]


@pytest.mark.parametrize(
    ("trick", "winner"),
    [
        ("7c 8c 9c", 2),
        ("Kc Qc Jc", 0),
        ("7c Kd Qd", 0),
        ("Kc 7s 8d", 1),
        ("Kc 8s 7s", 1),
        ("7s Kd 8s", 2),
        ("Ac Jc Tc", 1),
    ],
)
def test_p19_the_highest_trump_wins_else_the_highest_of_the_suit_led_and_leads_next(trick, winner):
    first, second, third = cards(trick)
    state = middle([f"{first} 9h", f"{second} Th", f"{third} 8h"])

    events = play_all(state, first, second, third)

    assert (events[-1], state.to_act(), state.view(0)["leader"]) == (f"{winner} wins_trick", winner, winner)


@pytest.mark.parametrize(
    ("won", "points"),
    [([5, 6], [0, 0]), ([6, 5], [4, 0]), ([0, 11], [0, 20])],
)
def test_p20_two_players_score_four_a_trick_above_six(won, points):
    state = middle(["Kc", "7c"], won=won)

    play_all(state, "Kc", "7c")

    assert (state.last_deal["trick_points"], state.scores()) == (points, tuple(points))


def test_p20_three_players_score_four_a_trick_above_four_each():
    state = middle(["Kc", "7c", "8c"], won=[4, 5, 2])

    events = play_all(state, "Kc", "7c", "8c")

    assert events[-3:] == ["0 trick_points 4", "1 trick_points 4", "2 trick_points 0"]
    assert state.scores() == (4, 4, 0)


@pytest.mark.parametrize(("players", "points"), [(2, 24), (3, 32)])
def test_p21_all_twelve_tricks_score_by_the_formula_alone(players, points):
    state = middle(["Kc", "7c", "8c"][:players], won=[11, 0, 0][:players])

    play_all(state, *cards("Kc 7c 8c")[:players])

    assert state.scores()[0] == points


def test_p22_who_reaches_the_target_by_an_imperial_wins_before_honours_are_counted():
    deck = deck_with(
        ["Kh Qh Jh Ah 7c 8c 9c Tc 8d 9d Td 8s", "Kc Qc Js As 7s 8h 9h Th 9s Ts Kd Qd"], "7d", dealer=1
    )

    state, events = dealt(2, dealer=1, deck=deck, target_imperials=1)

    assert events == ["deal 1 trump d turned 7d", "0 imperial h 24", "0 wins"]
    assert (state.over(), state.to_act(), state.legal()) == (True, None, [])
    assert (state.places(), state.scores(), state.view(0)["honours"]) == ((1.0, 2.0), (24, 0), None)
    assert (state.position()["winner"], state.position()["capped"]) == (0, False)


def test_p22_who_reaches_the_target_by_honours_wins_before_the_first_lead():
    state = opened(["Kc Qd 7h", "8c 8d 8h"], "9s", scores=[116, 119])

    assert (state.over(), state.position()["winner"], state.places()) == (True, 0, (1.0, 2.0))


def test_p22_a_finished_match_takes_no_action():
    state = opened(["Kc Qd 7h", "8c 8d 8h"], "9s", scores=[116, 119])
    before = state.position()

    with pytest.raises(IllegalAction, match="nobody is to act in phase over"):
        state.play("play Kc")

    assert not state.is_legal("play Kc")
    assert state.position() == before


def test_p23_elder_shows_his_imperial_first_and_wins_though_the_other_has_more():
    hands = ["Ks Qs Js As", "Kh Qh Jh Ah"]

    state = opened(hands, "7d", dealer=0, scores=[119, 96])

    assert (state.position()["winner"], state.scores()) == (1, (119, 120))
    assert state.view(0)["imperials"] == [[], ["h"]]


def test_p24_of_several_over_the_target_by_tricks_the_highest_total_wins():
    state = middle(["Kc", "7c", "8c"], won=[4, 6, 1], scores=[116, 116, 0])

    events = play_all(state, "Kc", "7c", "8c")

    assert (state.scores(), events[-1], state.places()) == ((120, 124, 0), "1 wins", (2.0, 1.0, 3.0))


@pytest.mark.parametrize(("dealer", "winner"), [(2, 0), (0, 1), (1, 0)])
def test_p24_of_equal_totals_the_one_nearer_to_elder_wins(dealer, winner):
    state = middle(["Kc", "7c", "8c"], dealer=dealer, won=[4, 6, 1], scores=[116, 112, 0])

    play_all(state, "Kc", "7c", "8c")

    assert (state.position()["winner"], state.position()["dealer"]) == (winner, dealer)


def test_p24_the_others_rank_by_total_and_share():
    state = middle(["Kc", "7c", "8c"], won=[5, 3, 3], scores=[116, 40, 40])

    play_all(state, "Kc", "7c", "8c")

    assert (state.scores(), state.places()) == ((124, 40, 40), (1.0, 2.5, 2.5))


def test_p25_a_revoke_plays_the_first_legal_card_and_is_counted():
    state = middle(["7d", "8c Kc 9s"], to_act=1, trick=[[0, "Tc"]], revokes=[0, 2])

    legal, taken = state.legal(), state.is_legal("play 9s")
    events = state.play("play 9s")

    assert (legal, taken) == (["play 8c", "play Kc"], True)
    assert events == ["1 revoke attempted 9s played 8c", "1 play 8c", "0 wins_trick"]
    assert (state.view(0)["revoked"], state.view(0)["revokes"]) == ([False, True], [0, 3])
    assert state.position()["hands"] == [["7d"], cards("9s Kc")]


def test_p25_the_card_of_a_revoke_was_seen_by_all_and_stays_known():
    state = middle(["7d", "8c Kc 9s"], to_act=1, trick=[[0, "Tc"]])

    state.play("play 9s")

    assert state.view(0)["known"] == [[], ["9s"]]


@pytest.mark.parametrize("action", ["play Ah", "play 7d", "play", "play Jk", "play 9S", "9s", "pass", ""])
def test_p25_a_card_that_is_not_held_is_illegal_and_changes_nothing(action):
    state = middle(["7d", "8c 9s"], to_act=1, trick=[[0, "Kc"]])
    before = state.position()

    with pytest.raises(IllegalAction, match="expected play 8c"):
        state.play(action)

    assert not state.is_legal(action)
    assert state.position() == before


def test_p25_the_flag_is_cleared_by_the_next_deal_and_the_count_is_not():
    state = middle(["7d", "8c 9s"], to_act=1, trick=[[0, "Kc"]])

    play_all(state, "9s", "7d", "9s")
    state.deal(canonical())

    assert (state.view(0)["revoked"], state.view(0)["revokes"]) == ([False, False], [0, 1])


def test_p26_a_revoke_costs_the_trick_points_of_the_deal_alone():
    state = middle(
        ["7d", "8c 9s"],
        to_act=1,
        trick=[[0, "Kc"]],
        won=[2, 8],
        scores=[0, 28],
        imperials=[[], ["h"]],
        honour_to=1,
    )

    play_all(state, "9s", "7d", "9s")

    assert state.last_deal == {
        "deal": 1,
        "dealer": 1,
        "imperial_points": [0, 24],
        "honour_points": [0, 4],
        "won": [3, 9],
        "revoked": [False, True],
        "trick_points": [0, 0],
        "scores": [0, 28],
    }


def test_p26_the_opponents_trick_points_stand():
    state = middle(["7d", "8c 9s"], to_act=1, trick=[[0, "Kc"]], won=[8, 2])

    play_all(state, "9s", "7d", "9s")

    assert state.scores() == (12, 0)


@pytest.mark.parametrize(("imperials", "target"), [(1, 24), (5, 120), (50, 1200)])
def test_p27_the_target_is_24_points_an_imperial(imperials, target):
    assert GAME.new(Options(target_imperials=imperials), 2, 0).view(0)["target"] == target


@pytest.mark.parametrize("given", [{"target_imperials": 0}, {"target_imperials": 51}, {"max_deals": 0}])
def test_p27_options_out_of_their_range_are_refused(given):
    with pytest.raises(BadOption, match="a whole number from"):
        parse_options(Options, given)


def test_p28_after_the_last_deal_the_highest_total_wins_and_nobody_is_the_winner():
    state = middle(["Kc", "7c"], deal=3, options={"max_deals": 3}, won=[7, 4], scores=[60, 70])

    events = play_all(state, "Kc", "7c")

    assert (state.scores(), state.places(), events[-1]) == ((68, 70), (2.0, 1.0), "1 trick_points 0")
    assert (state.position()["winner"], state.position()["capped"]) == (None, True)


def test_p28_equal_totals_share_at_the_cap():
    state = middle(["Kc", "7c", "8c"], deal=3, options={"max_deals": 3}, won=[3, 4, 4], scores=[8, 8, 4])

    play_all(state, "Kc", "7c", "8c")

    assert state.places() == (1.5, 1.5, 3.0)


def test_p28_the_target_reached_in_the_last_deal_is_no_cap():
    state = middle(["Kc", "7c"], deal=3, options={"max_deals": 3}, won=[7, 4], scores=[112, 118])

    play_all(state, "Kc", "7c")

    assert (state.position()["winner"], state.position()["capped"]) == (0, False)


def test_p29_the_honours_of_all_are_announced_from_elder():
    _, events = dealt(3, dealer=1)

    assert [event for event in events if " honours " in event] == [
        "2 honours 8",
        "0 honours 8",
        "1 honours 8",
    ]


def test_the_fallback_is_the_first_legal_card_in_canonical_order():
    leading = middle(["Td 9s 9c Kc", "7c 8c Jc Ac"])

    assert (leading.fallback(), leading.legal()) == ("play 9c", ["play 9c", "play 9s", "play Td", "play Kc"])


def test_the_view_holds_the_listed_fields_alone():
    state, _ = dealt(2)

    assert list(state.view(0)) == [
        "game",
        "players",
        "seat",
        "dealer",
        "deal",
        "trump",
        "turned",
        "hand",
        "hand_counts",
        "known",
        "trick",
        "leader",
        "won",
        "played",
        "imperials",
        "honours",
        "honour_to",
        "scores",
        "target",
        "revoked",
        "revokes",
    ]


def test_the_last_deal_is_told_of_a_match_that_ended_before_the_lead():
    state = opened(["Kc Qd 7h", "8c 8d 8h"], "9s", scores=[116, 119])

    assert state.last_deal == {
        "deal": 1,
        "dealer": 1,
        "imperial_points": [0, 0],
        "honour_points": [4, 0],
        "won": [0, 0],
        "revoked": [False, False],
        "trick_points": [0, 0],
        "scores": [120, 119],
    }


def test_a_position_within_a_trick_knows_who_led():
    state = middle(["7d", "8d Kd 9s"], to_act=1, trick=[[0, "Kc"]])

    assert state.view(1)["leader"] == 0


@pytest.mark.parametrize(
    "change",
    [{"trick": [[0, "8c"]]}, {"talon": ["8c"]}, {"played": [[0, "7d"], [1, "9d"]]}, {"talon": ["6c"]}],
)
def test_a_position_with_a_card_in_two_places_or_of_another_deck_is_refused(change):
    with pytest.raises(ValueError, match="two places"):
        middle(["7d", "8c"], **change)


# What nobody may learn


def test_a_deal_says_the_same_to_a_seat_whichever_plain_cards_the_others_hold():
    deck = Random(5).sample(canonical(), 32)
    plain = [place for place, card in enumerate(deck) if NAMES[card][0] in "89T"]
    own = [place for place in range(24) if place // 2 % 2 == 0]
    hidden = [place for place in plain if place not in own and place != 24]
    swapped = deck.copy()
    for place, other in zip(hidden, hidden[1:] + hidden[:1], strict=True):
        swapped[place] = deck[other]

    (state, events), (changed, its_events) = dealt(dealer=1, deck=deck), dealt(dealer=1, deck=swapped)

    assert state.position()["hands"][1] != changed.position()["hands"][1]
    assert (events, state.view(0), state.legal()) == (its_events, changed.view(0), changed.legal())


@pytest.mark.parametrize("players", [2, 3])
@pytest.mark.parametrize("seed", range(25))
def test_hidden_cards_do_not_show_in_what_a_seat_is_sent_until_they_are_played(players, seed):
    rng = Random(seed)
    state, _ = dealt(players, deck=rng.sample(canonical(players), len(canonical(players))))
    seat = seed % players
    other = GAME.from_view(state.view(seat), rng)

    while state.to_act() is not None:
        assert other.view(seat) == state.view(seat)
        if state.to_act() == seat:
            assert (other.to_act(), other.legal()) == (seat, state.legal())
        action = rng.choice(state.legal())
        if action not in other.legal():
            break
        assert other.play(action) == state.play(action)


# What a seat can work out


def held(state):
    """By seat: the cards dealt to it, played or not."""
    position = state.position()
    plays = position["played"] + position["trick"]
    return [
        hand + [card for player, card in plays if player == seat]
        for seat, hand in enumerate(position["hands"])
    ]


def shown_void(view):
    """(seat, suit) that play told of: not followed, and not trumped either (P16, P17)."""
    plays, players = view["played"] + view["trick"], view["players"]
    found = set()
    for start in range(0, len(plays), players):
        (_, led), *others = plays[start : start + players]
        for seat, card in others:
            if card[1] != led[1]:
                found |= {(seat, led[1])} | ({(seat, view["trump"])} if card[1] != view["trump"] else set())
    return found


def announced(state):
    """Whether the cards dealt to the seats are those of the announced honours and shown imperials."""
    view = state.view(0)
    honours = [sum(card[0] in "KQJA76" for card in dealt) for dealt in held(state)]
    imperials = [
        [suit for suit in "cdhs" if {rank + suit for rank in "KQJA"} <= {*dealt}] for dealt in held(state)
    ]
    return (honours, imperials) == (view["honours"], view["imperials"])


def followed(state):
    """Whether no seat holds a suit in which it showed itself void."""
    hands = state.position()["hands"]
    return not any(card[1] == suit for seat, suit in shown_void(state.view(0)) for card in hands[seat])


def after_ten_tricks(rng):
    """Three players with two cards each."""
    state, _ = dealt(3, deck=rng.sample(canonical(3), 36))
    while sum(state.view(0)["won"]) < 10:
        state.play(rng.choice(state.legal()))
    return state


def possible_hands(state):
    """Every hand that seat 1 may hold in the eyes of seat 0, by trying all."""
    position = state.position()
    unseen = position["hands"][1] + position["hands"][2]
    for hand in combinations(unseen, len(position["hands"][1])):
        rest = [card for card in unseen if card not in hand]
        other = GAME.from_position(position | {"hands": [position["hands"][0], [*hand], rest]})
        if announced(other) and followed(other) and other.view(0) == state.view(0):
            yield tuple(other.position()["hands"][1])


@pytest.mark.parametrize("options", [{"max_deals": 3}, {"target_imperials": 1}])
@pytest.mark.parametrize("players", [2, 3])
def test_from_view_agrees_with_all_that_is_public(players, options):
    rng = Random(players)
    for state in finished(rng, players, **options):
        for seat in range(players):
            guess = GAME.from_view(state.view(seat) | {"options": options}, rng)

            assert guess.view(seat) == state.view(seat)
            assert (guess.to_act(), guess.over()) == (state.to_act(), state.over())
            assert not state.over() or guess.places() == state.places()
            assert announced(guess) == announced(state)
            assert followed(guess)


@pytest.mark.parametrize("players", [2, 3])
def test_from_view_plays_on_to_the_end(players):
    rng = Random(players)
    state, _ = dealt(players, deck=rng.sample(canonical(players), len(canonical(players))))

    guess = GAME.from_view(state.view(1), rng)
    while guess.to_act() is not None:
        guess.play(rng.choice(guess.legal()))

    assert sum(guess.view(0)["won"]) == 12


@pytest.mark.parametrize("seed", range(4))
def test_from_view_deals_every_hand_that_may_be_and_no_other(seed):
    rng = Random(seed)
    state = after_ten_tricks(rng)

    seen = Counter(tuple(GAME.from_view(state.view(0), rng).position()["hands"][1]) for _ in range(600))

    assert set(seen) == set(possible_hands(state))
    assert min(seen.values()) > 600 / len(seen) / 2


def test_from_view_keeps_cards_that_were_shown():
    state = opened(["Kh Qh Jh Ah", "7c 8c 9c Tc"], "7d")

    guesses = [GAME.from_view(state.view(1), Random(seed)) for seed in range(20)]

    assert {tuple(guess.position()["hands"][0]) for guess in guesses} == {tuple(cards("Jh Qh Kh Ah"))}


def test_from_view_takes_the_cap_of_deals_from_options_beside_the_view():
    state = middle(["Kc", "7c"], deal=3)

    guess = GAME.from_view(state.view(0) | {"options": {"max_deals": 3}}, Random(1))
    play_all(guess, "Kc")
    guess.play(guess.legal()[0])

    assert guess.over()


def test_from_view_refuses_a_view_with_which_no_deal_agrees():
    view = dealt(2)[0].view(0) | {"honours": [6, 13]}

    with pytest.raises(ValueError, match="no deal agrees"):
        GAME.from_view(view, Random(1))


# The page

PAGE = (Path(__file__).parents[2] / "docs" / "games" / "imperial.md").read_text("utf-8")


def test_every_ruling_of_the_page_has_a_test_that_names_it():
    told = {f"p{number}" for number in re.findall(r"^- \*\*P(\d+)\*\*", PAGE, re.MULTILINE)}
    tested = {name.split("_")[1] for name in globals() if name.startswith("test_p")}

    assert told == tested == {f"p{number}" for number in range(1, 30)}


def test_the_page_tells_every_kind_of_event():
    told = {kind_of(event) for event in re.findall(r"^\| `([^`]+ [^`]+)` \|", PAGE, re.MULTILINE)}
    heard = set()
    for seed in range(20):
        state = GAME.new(Options(target_imperials=1), 2, 0)
        rng = Random(seed)
        while not state.over():
            hand = state.view(state.to_act() or 0)["hand"]
            deck = rng.sample(canonical(), 32)
            events = state.play(f"play {rng.choice(hand)}") if hand else state.deal(deck)
            heard |= set(map(kind_of, events))

    assert told == heard


def kind_of(event):
    """An event without seats, cards, suits and numbers."""
    return " ".join(word for word in event.split() if len(word) > 2)
