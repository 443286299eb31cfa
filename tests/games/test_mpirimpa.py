"""Mpirimpa by the rulings of docs/games/mpirimpa.md, where the worked cases of the scenarios leave a gap."""

from collections import Counter
from itertools import combinations
from random import Random

import pytest

from arena.games.base import IllegalAction
from arena.games.cards import CARDS, JOKER, NAMES
from arena.games.mpirimpa import DECK, GAME, Options, standing
from arena.games.mpirimpa_melds import (
    ONCE,
    bag,
    bag_names,
    bridges,
    fitting,
    leaps,
    listed_cards,
    meld_of,
    minus,
    plus,
    points_in,
    threes,
)

HEARTS = [rank + "h" for rank in "A23456789TJQKA"]
PACKETS = ("5s 6s Js", "5c 6c Jc")
CLEAN = "3h 4h 5h 6h 7h 8h 9h"
DIRTY = "3h 4h Jk 6h 7h 8h 9h"


def cards(text):
    return text.split()


def meld(text):
    return meld_of(bag([CARDS[name] for name in text.split()]))


def enter(*hands, melds=((), ()), taken=(False, False), phase="meld", discard="", **position):
    """Seat 0 is on turn; each side that has not taken its packet has one."""
    return GAME.from_position(
        {
            "players": len(hands),
            "turn": 0,
            "phase": phase,
            "hands": [*map(cards, hands)],
            "melds": [[*map(cards, own)] for own in melds],
            "taken": [*taken],
            "packets": [*map(cards, PACKETS)][sum(taken) :],
            "discard": cards(discard),
            "stock": cards("Ac As Ac As"),
        }
        | position
    )


def dealt(players=2, dealer=0, deck=DECK, **options):
    state = GAME.new(Options(**options), players, dealer)
    state.deal([*deck])
    return state


def deck_with_first_discard(name, players=2):
    """The canonical deck, but for the card that opens the pile."""
    deck, place = [*DECK], 11 * (players + 2)
    other = deck.index(CARDS[name])
    deck[place], deck[other] = deck[other], deck[place]
    return deck


def play_all(state, *actions):
    return [event for action in actions for event in state.play(action)]


def clumped(rng):
    """Deck in which cards of a suit lie together: more melds, packets and closed rounds than chance gives."""
    return sorted(DECK, key=lambda card: card % 4 + 3 * rng.random())


def finished(rng, players=2, **options):
    """Random match as it stands before each decision and at its end."""
    state = GAME.new(Options(**options), players, rng.randrange(players))
    while not state.over():
        if state.to_act() is None:
            state.deal(clumped(rng))
        else:
            yield state
            forward = [action for action in state.legal() if not action.startswith("discard")]
            state.play(rng.choice(forward if forward and rng.random() < 0.9 else state.legal()))
    yield state


# Bags


def test_a_bag_holds_up_to_two_of_a_card():
    both = plus(bag([3, 3, 52]), bag([5, 52]))

    assert listed_cards(both) == [3, 3, 5, 52, 52]
    assert listed_cards(minus(both, bag([3, 52]))) == [3, 5, 52]
    assert listed_cards(minus(both, bag([3, 3]))) == [5, 52, 52]
    with pytest.raises(ValueError, match="2s stands three times"):
        bag([3, 3, 3])


def test_bags_add_and_take_away_as_counters_do():
    rng = Random(1)
    for _ in range(500):
        deck = rng.sample(DECK, 40)
        some, more = bag(deck[:15]), bag(deck[15:])

        assert listed_cards(plus(some, more)) == sorted(deck)
        assert minus(plus(some, more), more) == some
        assert (some & ~plus(some, more), some.bit_count()) == (0, 15)
        assert listed_cards(some & more) == sorted((Counter(deck[:15]) & Counter(deck[15:])).elements())


# Table and deal


def test_m1_the_deck_is_two_packs_and_two_jokers():
    deck = GAME.deck(Options(), 2)

    assert len(deck) == 106
    assert Counter(deck) == dict.fromkeys(range(53), 2)
    assert [NAMES[card] for card in (deck[0], deck[51], deck[52], deck[104], deck[105])] == [
        "2c",
        "As",
        "2c",
        "Jk",
        "Jk",
    ]


@pytest.mark.parametrize("bad", [DECK[1:], (*DECK[1:], 1), (*DECK, JOKER)])
def test_m1_only_the_whole_deck_is_dealt(bad):
    state = GAME.new(Options(), 2, 0)
    before = state.position()

    with pytest.raises(AssertionError):
        state.deal([*bad])

    assert state.position() == before


def test_m2_partners_sit_opposite_and_share_melds_packet_and_points():
    state = enter("7h 8h 9h Kc Ks", "3d 4d", "4s 5s", "Jd Jc")

    play_all(state, "meld 7h 8h 9h", "discard Kc", "draw", "discard 3d", "draw")

    assert (GAME.sides(2), GAME.sides(4)) == (((0,), (1,)), ((0, 2), (1, 3)))
    assert [state.view(seat)["side"] for seat in range(4)] == [0, 1, 0, 1]
    assert [one["cards"] for one in state.view(2)["melds"][0]] == [cards("7h 8h 9h")]
    assert not state.is_legal("add 0 7c")


@pytest.mark.parametrize(("players", "stock"), [(2, 61), (4, 39)])
def test_m3_eleven_cards_each_two_packets_an_open_card_and_the_stock(players, stock):
    state = dealt(players, dealer=players - 1)
    position = state.position()

    assert [len(hand) for hand in position["hands"]] == [11] * players
    assert [len(packet) for packet in position["packets"]] == [11, 11]
    assert (len(position["discard"]), len(position["stock"])) == (1, stock)
    assert position["stock"][-2:] == ["Jk", "Jk"]
    assert state.view(0)["stock_count"] == stock


@pytest.mark.parametrize(("first", "trump"), [("9s", "s"), ("2d", "d"), ("Jk", None)])
def test_m4_the_suit_of_the_first_discard_is_trump_and_a_joker_makes_none(first, trump):
    state = dealt(deck=deck_with_first_discard(first))

    assert (state.view(0)["trump"], state.view(0)["discard"]) == (trump, [first])


def test_m4_without_the_option_there_is_no_trump():
    assert dealt(trump_suit=False).view(0)["trump"] is None


# Melds


def test_m5_cards_have_points_by_rank():
    points = {NAMES[card]: points_in(1 << card) for card in range(53)}

    ranks = {name[0]: value for name, value in points.items() if name != "Jk"}

    low, high = dict.fromkeys("34567", 5), dict.fromkeys("89TJQK", 10)
    assert ranks == {"2": 20, "A": 15, **low, **high}
    assert points["Jk"] == 25
    assert (meld("3h 4h Jk").points, meld("3h 4h 2s").points) == (35, 30)


@pytest.mark.parametrize(
    ("text", "kind"),
    [("7h 8h 9h", "run"), ("7h 9h 8h", "run"), ("7h 8h 9d", None), ("7h 9h Th", None), ("7h 8h", None)],
)
def test_m6_a_run_has_neighbours_of_one_suit(text, kind):
    found = meld(text)

    assert (found and found.kind) == kind


@pytest.mark.parametrize(
    ("text", "order"),
    [
        ("Ah 2h 3h", "Ah 2h 3h"),
        ("Ah Kh Qh", "Qh Kh Ah"),
        ("Kh Ah 2h", "2h Kh Ah"),
        ("Kh Ah 2h 3h", None),
        ("Ah 3h Jk", "Ah Jk 3h"),
        ("Ah Qh 2h", "Qh 2h Ah"),
        ("Ah Ah 2h 3h", None),
        ("2h 3h Jk", "2h 3h Jk"),
        ("Qh Jk Kh", "Qh Kh Jk"),
        (" ".join(HEARTS[:13]), " ".join(HEARTS[:13])),
        (" ".join([*HEARTS[1:13], "Jk"]), " ".join([*HEARTS[1:13], "Jk"])),
        ("Jk Jh Qh Kh Ah", "Jk Jh Qh Kh Ah"),
    ],
)
def test_m7_the_ace_is_low_or_high_and_never_both(text, order):
    found = meld(text)

    assert (found and " ".join(NAMES[card] for card in found.cards)) == order


def test_m8_only_runs_of_at_most_thirteen_cards_in_the_standard_game():
    state = enter("7c 7d 7h 8c 8d Kc Ks", "3d 4d")

    assert meld(" ".join(HEARTS[:13])).title(None) == "full"
    assert meld(" ".join([*HEARTS[:13], "Jk"])) is None
    assert not state.is_legal("meld 7c 7d 7h")
    assert not any(action.startswith("meld") for action in state.legal())


@pytest.mark.parametrize(
    ("text", "wild"),
    [("7h 8h Jk", "Jk"), ("7h 8h 2s", "2s"), ("7h Jk 2s", None), ("7h 8h Jk 2s", None), ("Jk Jk 7h", None)],
)
def test_m9_a_meld_holds_at_most_one_wild(text, wild):
    found = meld(text)

    assert (found and NAMES[found.wild]) == wild


@pytest.mark.parametrize(
    ("text", "wild"),
    [
        ("2h 3h 4h", None),
        ("2h 3h Jk", "Jk"),
        ("2h 2h 3h", "2h"),
        ("Ah 2h 3h 2s 5h", "2s"),
        ("4h 2h 3h", None),
    ],
)
def test_m10_a_two_in_its_own_place_is_natural(text, wild):
    found = meld(text)

    assert found.wild == (wild and CARDS[wild])


@pytest.mark.parametrize("wild", ["2c", "2d", "2h", "2s"])
def test_m11_any_two_can_be_the_wild(wild):
    assert meld(f"8h {wild} Th").wild == CARDS[wild]


def test_m12_cards_are_added_to_melds_of_the_own_side_alone():
    state = enter("Th 6d Kc Ks", "3c 4c", melds=(["7h 8h 9h"], ["7d 8d 9d"]))

    assert state.is_legal("add 0 Th")
    assert not any(state.is_legal(f"add {index} 6d") for index in range(3))


def test_m13_the_wild_slides_and_stays_on_the_table():
    state = enter("Jh Qh 8h Kc Ks", "3c 4c", melds=(["7h Jk 9h"], []))

    assert not state.is_legal("add 0 Jh")
    state.play("add 0 8h")
    assert state.position()["melds"][0] == [cards("7h 8h 9h Jk")]
    state.play("add 0 Jh")

    assert state.position()["melds"][0] == [cards("7h 8h 9h Jk Jh")]
    assert "Jk" not in state.position()["hands"][0]


@pytest.mark.parametrize(
    ("before", "added", "clean"),
    [
        ("5h 6h 2h", "4h 3h", True),
        ("5h 6h 2s", "4h 3h", False),
        ("5h 6h Jk", "4h 3h", False),
        ("3h 4h 5h", "2s", False),
        ("3h 4h 5h", "Jk", False),
    ],
)
def test_m14_a_dirty_run_becomes_clean_by_its_own_two_alone(before, added, clean):
    state = enter(f"{added} Kc Ks", "3c 4c", melds=([before], []))

    state.play(f"add 0 {added}")

    assert state.view(0)["melds"][0][0]["clean"] == clean


def test_m15_seven_cards_are_an_mpirimpa():
    six, seven = meld("3h 4h 5h 6h 7h 8h"), meld(CLEAN)

    assert (six.mpirimpa, six.title(None)) == (False, None)
    assert (seven.mpirimpa, seven.title(None)) == (True, "clean")


def test_m16_every_mpirimpa_has_one_bonus_on_top_of_its_points():
    state = enter("Ts", "Kd", melds=([CLEAN, "3s 4s 5s 6s 7s 8s 9s"], []), taken=(True, False), trump="s")

    state.play("discard Ts")

    assert state.last_deal["sides"][0] == {
        "melds": 90,
        "bonus": 700,
        "close": 100,
        "hand": 0,
        "packet": 0,
        "total": 890,
    }


@pytest.mark.parametrize("wild", ["Jk", "2d", "2s"])
def test_m17_a_dirty_trump_run_has_a_joker_or_a_two(wild):
    assert meld(f"4s 5s {wild} 7s 8s 9s Ts").title(3) == "dirty_trump"
    assert meld(f"4s 5s {wild} 7s 8s 9s Ts").title(2) == "dirty"


def test_m18_a_full_run_has_all_thirteen_ranks_and_no_wild():
    full = meld(" ".join(HEARTS[:13]))
    dirty = meld(" ".join(["Ah", "2h", "Jk", *HEARTS[3:13]]))
    twelve = meld(" ".join(HEARTS[1:13]))

    assert [one.title(2) for one in (full, dirty, twelve)] == ["full_trump", "dirty_trump", "clean_trump"]
    assert [one.title(3) for one in (full, dirty, twelve)] == ["full", "dirty", "clean"]


# A turn


def test_m19_draw_or_take_then_meld_then_discard():
    state = enter("7h 8h Kc Ks", "3c 4c", phase="draw", discard="9h Td")

    phases = [state.phase]
    for action in ("take", "meld 7h 8h 9h", "discard Kc", "draw", "discard 3c"):
        assert state.is_legal(action)
        state.play(action)
        phases.append(state.phase)

    assert phases == ["draw", "justify", "meld", "draw", "meld", "draw"]


def test_m20_the_turn_ends_with_a_discard_of_any_card():
    state = enter("7h 2s Jk Kc", "3c 4c")

    assert state.legal() == ["discard 2s", "discard 7h", "discard Kc", "discard Jk"]
    assert state.play("discard Jk") == ["0 discard Jk"]
    assert (state.to_act(), state.phase, state.view(0)["discard"]) == (1, "draw", ["Jk"])


def test_m21_who_takes_must_lay_one_of_the_cards_at_once():
    state = enter("7h 8h Th 4s 5s 6s Kc", "3c 4c", phase="draw", discard="9h Td")

    state.play("take")

    assert state.view(0)["must_use"] == ["9h", "Td"]
    assert state.legal() == ["meld 7h 8h 9h", "meld 8h 9h Th"]
    assert state.is_legal("meld 7h 8h 9h Th")
    assert not state.is_legal("meld 4s 5s 6s")
    assert not state.is_legal("discard Kc")
    state.play("meld 8h 9h Th")
    assert (state.phase, state.view(0)["must_use"], state.is_legal("meld 4s 5s 6s")) == ("meld", [], True)


def test_m21_a_card_equal_to_one_taken_will_do():
    state = enter("7h 8h 9h 4s Kc", "3c 4c", phase="draw", discard="9h")

    play_all(state, "take", "meld 7h 8h 9h")

    assert state.position()["hands"][0] == cards("4s 9h Kc")


def test_m21_the_pile_may_be_taken_for_cards_that_only_fit_together():
    state = enter("8h 4s Kc Ks", "3c 4c", melds=(["5h 6h 7h"], []), phase="draw", discard="9h")

    assert state.legal() == ["draw", "take"]
    state.play("take")

    assert state.legal() == ["add 0 8h 9h"]
    assert state.fallback() == "add 0 8h 9h"


def test_m21_what_would_leave_too_few_cards_does_not_justify():
    state = enter("7h 8h Kc", "3c 4c", phase="draw", discard="9h")

    assert state.legal() == ["draw"]


def test_m22_the_whole_pile_is_taken():
    state = enter("7h 8h Kc Ks", "3c 4c", phase="draw", discard="9h Td 3s 9h")

    assert state.play("take") == ["0 take 9h Td 3s 9h"]
    assert state.view(1)["hand_counts"] == [8, 2]
    assert (state.view(1)["known"], state.view(1)["discard"]) == ([cards("3s 9h 9h Td"), []], [])


@pytest.mark.parametrize("illegal", ["meld 7h 8h 9h", "meld 7h 8h 9h Th", "add 0 Jd", "add 0 Jd Qd"])
def test_m23_a_hand_is_not_emptied_and_keeps_a_card_to_discard(illegal):
    hand = "7h 8h 9h Th" if illegal.startswith("meld") else "Jd Qd"
    state = enter(hand, "3c 4c", melds=(["8d 9d Td"], []))
    before = state.position()

    with pytest.raises(IllegalAction):
        state.play(illegal)

    assert illegal not in state.legal()
    assert state.position() == before


def test_m24_whoever_melds_his_last_card_plays_on_with_the_packet():
    state = enter("Th", "3c 4c", melds=([DIRTY], []))

    events = state.play("add 0 Th")

    assert events == ["0 add 0 Th", "0 packet"]
    assert (state.to_act(), state.phase) == (0, "meld")
    assert state.position()["hands"][0] == cards("5s 6s Js")
    assert state.is_legal("discard Js")


def test_m24_the_meld_that_empties_the_hand_may_be_the_mpirimpa_itself():
    state = enter(CLEAN, "3c 4c")

    assert f"meld {CLEAN}" in state.legal()
    assert state.play(f"meld {CLEAN}") == [f"0 meld 0 {CLEAN}", "0 packet"]


def test_m24_after_a_discarded_last_card_the_packet_waits_for_the_next_turn():
    state = enter("Ks", "3c 4c", melds=([DIRTY], []))

    assert state.play("discard Ks") == ["0 discard Ks", "0 packet"]
    assert (state.to_act(), state.phase, state.view(0)["hand_counts"]) == (1, "draw", [3, 2])


def test_m25_the_first_side_gets_the_first_packet_and_each_side_one():
    state = enter("9s", "Qd", "3c", "4c", melds=([DIRTY], ["7s 8s 9s Ts Js Qs Ks"]), turn=1)

    state.play("discard Qd")

    assert state.position()["hands"][1] == cards("5s 6s Js")
    assert state.position()["packets"] == [cards("5c 6c Jc")]
    assert (state.view(0)["taken"], state.view(0)["packets_left"]) == ([False, True], 1)


def test_m26_closing_needs_the_packet_and_a_clean_mpirimpa():
    dirty = enter("Kc Ks", "3c 4c", melds=([DIRTY], []), taken=(True, False))
    clean = enter("Kc", "3c 4c", melds=([CLEAN], []), taken=(True, False))
    early = enter("Kc", "3c 4c", melds=([CLEAN], []))

    dirty.play("discard Ks")

    assert (dirty.to_act(), dirty.view(0)["hand"]) == (1, ["Kc"])
    assert clean.play("discard Kc") == ["0 discard Kc", "0 close", "round_end 345 -110"]
    assert early.play("discard Kc") == ["0 discard Kc", "0 packet"]


def test_m26_a_hand_of_one_card_that_may_not_go_out_draws_and_keeps_one():
    state = enter("Kc", "3c 4c", melds=([DIRTY], []), taken=(True, False), phase="draw", discard="Qc")

    assert state.legal() == ["draw"]
    state.play("draw")

    assert state.legal() == ["discard Kc", "discard Ac"]


def test_m26_a_clean_mpirimpa_must_still_be_clean_when_the_last_card_is_down():
    state = enter("2s Kc", "3c 4c", melds=([CLEAN], []), taken=(True, False))

    assert not state.is_legal("add 0 2s")
    assert state.legal() == ["discard 2s", "discard Kc"]


@pytest.mark.parametrize("last", ["add 0 Th", "discard Th"])
def test_m27_the_last_card_closes_melded_or_discarded(last):
    state = enter("Th", "3c 4c", melds=([CLEAN], []), taken=(True, False))

    assert state.play(last)[1] == "0 close"
    assert (state.to_act(), state.last_deal["closed"]) == (None, 0)


def test_m28_the_partners_first_hand_closes_once_the_packet_is_gone():
    state = enter("3c 4c", "3d", "Ks", "3s", melds=([CLEAN], []), taken=(True, False), turn=2)

    assert state.play("discard Ks")[1] == "2 close"
    assert state.last_deal["sides"][0]["hand"] == -10


def test_m29_a_packet_taken_by_the_discard_counts_against_its_side_though_never_played():
    state = enter("Ks", "3c 4c", melds=([DIRTY], []), stock=[])

    assert state.play("discard Ks")[:2] == ["0 discard Ks", "0 packet"]
    assert state.last_deal["closed"] is None
    assert state.last_deal["sides"][0] == {
        "melds": 65,
        "bonus": 100,
        "close": 0,
        "hand": -20,
        "packet": 0,
        "total": 145,
    }


# The end of a round and of a match


def test_m30_the_hands_of_both_partners_are_deducted_also_the_closers():
    state = enter("Kc", "2c 3d", "Jk Ah", "9d", melds=([CLEAN], []), taken=(True, True))

    state.play("discard Kc")

    assert [side["hand"] for side in state.last_deal["sides"]] == [-40, -35]


def test_m31_a_side_without_its_packet_loses_a_hundred_however_the_round_ends():
    exhausted = enter("Kc Ks", "3c 4c", stock=[], taken=(False, True))

    exhausted.play("discard Kc")

    assert [side["packet"] for side in exhausted.last_deal["sides"]] == [-100, 0]


def test_m32_the_round_ends_when_a_turn_would_start_without_stock():
    state = enter("Kc Ks", "3c 4c", stock=["5c"], phase="draw", discard="9h")

    state.play("draw")
    assert (state.phase, state.view(0)["stock_count"]) == ("meld", 0)
    events = state.play("discard 5c")

    assert events == ["0 discard 5c", "round_end -120 -110"]
    assert state.last_deal["closed"] is None


def test_m33_in_the_casual_variant_sets_are_melds_too():
    state = enter("9c 9c 9h 2h Kc Qs", "3c 4c", options={"casual": True})

    assert state.legal()[:4] == ["meld 2h 9c 9c", "meld 2h 9c 9h", "meld 9c 9c 9h", "discard 2h"]
    assert state.is_legal("meld 2h 9c 9c 9h")
    assert meld("7c 7c 7d 7d 7h 7h 7s").title(0) == "clean"
    assert meld("2c 2d 2h") is None


def test_m33_the_pile_is_there_for_the_asking_but_a_single_card_may_not_be_returned():
    state = enter("7h 8h Kc Qd", "3c 4c", phase="draw", discard="Qd", options={"casual": True})

    state.play("take")

    assert (state.phase, state.view(1)["barred"]) == ("meld", "Qd")
    assert state.legal() == ["discard 7h", "discard 8h", "discard Kc"]
    assert not state.is_legal("discard Qd")


def test_m33_a_single_card_may_be_returned_when_the_hand_holds_nothing_else():
    state = enter(
        "Qd",
        "3c 4c",
        phase="draw",
        discard="Qd",
        melds=([DIRTY], []),
        taken=(True, False),
        options={"casual": True},
    )

    state.play("take")

    assert state.legal() == ["discard Qd"]


@pytest.mark.parametrize("discard", ["Qd 4d", "4d Qd"])
def test_m33_a_card_of_a_longer_pile_may_be_discarded(discard):
    state = enter("7h 8h Kc Ks", "3c 4c", phase="draw", discard=discard, options={"casual": True})

    state.play("take")

    assert state.is_legal("discard Qd")


@pytest.mark.parametrize(
    ("totals", "winner"), [((504, 0), None), ((505, 0), 0), ((550, 650), 1), ((650, 550), 0)]
)
def test_m34_the_target_wins_and_of_two_that_have_it_the_higher(totals, winner):
    assert standing(totals, rounds=1, options=Options()) == (winner, winner is not None)


@pytest.mark.parametrize(
    ("totals", "rounds", "winner", "finished"),
    [
        ((600, 600), 2, None, False),
        ((600, 600), 20, None, True),
        ((100, 120), 20, 1, True),
        ((100, 120), 19, None, False),
    ],
)
def test_m35_equal_totals_play_on_up_to_the_cap_of_rounds(totals, rounds, winner, finished):
    assert standing(totals, rounds=rounds, options=Options()) == (winner, finished)


def test_m35_equal_totals_at_the_cap_share_the_first_place():
    state = enter("Kc Ks", "3c 9c 9d", stock=[], scores=[90, 100], options={"max_rounds": 1})

    state.play("discard Kc")

    assert (state.scores(), state.over(), state.places()) == ((-20, -25), True, (1.0, 2.0))
    state = enter("Kc Ks", "3c 9c 9d", stock=[], scores=[95, 110], options={"max_rounds": 1})
    state.play("discard Kc")
    assert (state.scores(), state.places()) == ((-15, -15), (1.5, 1.5))


def test_m36_a_side_that_leaves_loses_whatever_the_totals():
    assert standing((400, 320), rounds=2, options=Options(), left=0) == (1, True)
    assert standing((400, 320), rounds=2, options=Options(), left=1) == (0, True)


@pytest.mark.parametrize("players", [2, 4])
def test_m37_the_dealers_left_begins_and_the_deal_goes_round(players):
    state = GAME.new(Options(max_turns=1), players, 0)
    seen = []
    for _ in range(players + 1):
        state.deal([*DECK])
        seen.append((state.view(0)["dealer"], state.to_act(), state.view(0)["round"]))
        state.play("draw")
        state.play(state.fallback())

    assert seen == [(step % players, (step + 1) % players, step + 1) for step in range(players + 1)]


def test_m38_the_first_player_may_take_the_opening_discard():
    state = enter("7h 8h Kc Ks", "3c 4c", phase="draw", discard="9h", turns=0)

    assert state.legal() == ["draw", "take"]


def test_m38_a_side_may_have_several_runs_of_a_suit_and_they_are_never_joined():
    state = enter("5h 6h Kc Ks", "3c 4c", melds=(["2h 3h 4h", "7h 8h 9h"], []))

    state.play("add 0 5h 6h")

    assert state.position()["melds"][0] == [cards("2h 3h 4h 5h 6h"), cards("7h 8h 9h")]


def test_m38_the_cap_of_turns_ends_a_round_as_an_empty_stock_does():
    state = enter("Kc Ks", "3c 4c", turns=29, options={"max_turns": 30})

    assert state.play("discard Kc") == ["0 discard Kc", "round_end -110 -110"]
    assert state.last_deal["closed"] is None


# The legal list


def every_run():
    """Every run of hearts, its wild the joker, the own 2 or one of the three others, which are alike."""
    rows = [HEARTS[low : low + size] for size in range(3, 14) for low in range(15 - size)]
    wild = [
        [*row[:at], one, *row[at + 1 :]]
        for row in rows
        for at in range(len(row))
        for one in ("2h", "2s", "Jk")
    ]
    return sorted({bag([CARDS[name] for name in row]) for row in rows + wild})


def test_whatever_run_can_be_laid_can_be_laid_by_listed_steps():
    """Whole for one suit, so for all: from any part that is a run, a listed add leads on towards the run.

    And in phase justify, whichever card was taken: one that the first step uses.
    """
    runs = every_run()

    for run in runs:
        three = sum(one.bag for one in threes(run, sets=False))
        assert all(three >> card & 1 or run.bit_count() > 3 for card in listed_cards(run & ONCE))
        for part in runs:
            if part == run or part & ~run:
                continue
            rest = minus(run, part)
            assert fitting(part) & rest or any(not leap & ~rest for leap in leaps(part)), bag_names(part)
            for wanted in listed_cards(rest & ~fitting(part) & ONCE):
                steps = bridges(meld_of(part), rest, 1 << wanted)
                assert steps
                assert all(step >> wanted & 1 and meld_of(plus(part, step)) for step in steps)


def small_position(rng, *, casual):
    """Few cards, most of one suit, beside melds that they fit: hands that can go out, and packets to take."""
    wild = [*cards("2h 2h 2c Jk Jk")]
    pack = rng.sample(HEARTS[:13] + HEARTS[:13] + wild + cards("7d 7s 8d 8s 9c"), rng.randint(7, 13))
    laid = []
    for _ in range(rng.randint(0, 2)):
        size = rng.choice((3, 5, 6, 7, 9))
        low = rng.randrange(15 - size)
        laid.append([*HEARTS[low : low + size]])
        if rng.random() < 0.5:
            laid[-1][rng.randrange(size)] = rng.choice(wild)
    take = not casual and rng.random() < 0.6
    pile = rng.randint(1, 2) if take else 0
    return {
        "players": 2,
        "turn": 0,
        "phase": "draw" if take else "meld",
        "options": {"casual": casual},
        "melds": [laid, []],
        "hands": [pack[pile : pile + rng.randint(2, 7)], ["3c"]],
        "discard": pack[:pile],
        "stock": ["3c"],
        "packets": [["4s"], ["4s"]],
    } | ({"taken": [True, False], "packets": [["4s"]]} if rng.random() < 0.4 else {})


def reachable(state, actions_of):
    """Every table and hand that the turn can come to by such actions, when the pile is taken if it may be."""
    if state.phase == "draw":
        if not state.is_legal("take"):
            return set()
        state.play("take")
    seen, waiting = set(), [state]
    while waiting:
        state = waiting.pop()
        key = (tuple(state.melds[0]), state.hands[0], state.phase)
        if key in seen or len(seen) > 3_000:
            continue
        seen.add(key)
        for action in actions_of(state):
            after = state.clone()
            after.play(action)
            if after.to_act() == 0:
                waiting.append(after)
            else:
                seen.add((tuple(after.melds[0]), after.hands[0], action.split()[0]))
    return seen


def every_action(state):
    """All that the game takes now, found by trying every choice of cards."""
    if state.to_act() is None:
        return []
    hand = state.view(0)["hand"]
    choices = {" ".join(chosen) for size in range(1, len(hand) + 1) for chosen in combinations(hand, size)}
    verbs = ["discard", "meld", *[f"add {index}" for index in range(len(state.melds[0]))]]
    tried = [f"{verb} {chosen}" for verb in verbs for chosen in choices]
    return [action for action in tried if state.is_legal(action)]


@pytest.mark.parametrize("casual", [False, True])
def test_every_table_that_can_be_reached_can_be_reached_by_listed_actions(casual):
    found = Counter()
    for seed in range(600):
        try:
            state = GAME.from_position(small_position(Random(seed), casual=casual))
        except ValueError:
            continue  # such cards make no meld, or more of them than there are
        listed, all_tables = reachable(state.clone(), type(state).legal), reachable(state, every_action)

        assert listed == all_tables, seed
        found["positions"] += 1
        found["longest"] = max(found["longest"], len(listed))

    assert found["positions"] > 150
    assert found["longest"] > 50


def test_the_pile_may_be_taken_exactly_when_some_action_would_use_it():
    for seed in range(400):
        try:
            state = GAME.from_position(small_position(Random(seed), casual=False))
        except ValueError:
            continue
        if state.phase != "draw":
            continue
        position = state.position()
        taken = [*position["hands"][0], *position["discard"]]
        justify = {"phase": "justify", "must_use": position["discard"], "discard": []}
        try:
            after = GAME.from_position(position | justify | {"hands": [taken, ["3c"]]})
        except ValueError:
            after = None

        assert state.is_legal("take") == (after is not None and every_action(after) != []), seed


def test_the_list_is_ordered_by_verb_then_meld_then_cards():
    for casual in (False, True):
        for state in finished(Random(3), casual=casual, max_rounds=2):
            actions = state.legal()
            verbs = ["draw", "take", "meld", "add", "discard"]

            def key(action, verbs=verbs):
                verb, *words = action.split()
                index = int(words.pop(0)) if verb == "add" else 0
                return verbs.index(verb), index, [CARDS[word] for word in words]

            assert actions == sorted(actions, key=key)


@pytest.mark.parametrize(
    "action",
    [
        "",
        "draw 7h",
        "take 7h",
        "meld",
        "meld 7h 8h",
        "meld 7h 8h 9x",
        "meld 7h 8h 9h 9h 9h",
        "add",
        "add 7h",
        "add 0",
        "add 00 Th",
        "add -1 Th",
        "add 1 Th",
        "add \u0660 Th",
        "add 0 Th Jh Jh",
        "discard",
        "discard 7h 8h",
        "discard 4c",
        "meld 7h 8h 9h" + " 9h" * 30_000,
    ],
)
def test_what_is_no_action_is_not_taken(action):
    state = enter("7h 8h 9h Th Jh Kc Ks", "3c 4c", melds=(["7h 8h 9h"], []))
    before = state.position()

    with pytest.raises(IllegalAction):
        state.play(action)

    assert not state.is_legal(action)
    assert state.position() == before


def test_the_cards_of_an_action_come_in_any_order_and_are_told_in_canonical_order():
    state = enter("9h Jk 7h Kc Ks Th", "3c 4c")

    assert state.play("meld 9h Jk 7h") == ["0 meld 0 7h 9h Jk"]
    assert state.play("add 0 Th") == ["0 add 0 Th"]


# What nobody may learn


@pytest.mark.parametrize("players", [2, 4])
@pytest.mark.parametrize("casual", [False, True])
@pytest.mark.parametrize("seed", range(8))
def test_hidden_cards_do_not_show_in_what_a_seat_is_sent_until_they_are_seen(players, casual, seed):
    """Hands of opponents and partner, packets and stock: dealt anew they change nothing that is sent."""
    rng = Random(seed)
    seat = seed % players
    for number, state in enumerate(finished(rng, players, casual=casual, max_rounds=1)):
        if number % 9 == seed % 9:
            one, other = state.clone(), GAME.from_view(state.view(seat), rng)
            play_until_they_part(one, other, seat, rng)


def play_until_they_part(one, other, seat, rng):
    while True:
        assert other.view(seat) == one.view(seat)
        assert other.to_act() == one.to_act()
        if one.to_act() is None:
            return
        if one.to_act() == seat:
            assert other.legal() == one.legal()
            assert other.fallback() == one.fallback()
        action = rng.choice(one.legal())
        if not other.is_legal(action):
            return
        events, others_events = one.play(action), other.play(action)
        if one.to_act() is None or action == "draw" or f"{seat} packet" in events:
            return
        assert others_events == events


def test_known_cards_are_those_that_everybody_saw_go_to_a_hand():
    """Whoever only listens, and counts the pile, knows them too."""
    for casual in (False, True):
        known = [Counter(), Counter(), Counter(), Counter()]
        state = GAME.new(Options(casual=casual), 4, 0)
        rng, events = Random(5), []
        for _ in range(600):
            if state.to_act() is None:
                if state.over():
                    break
                state.deal(clumped(rng))
                known = [Counter() for _ in known]
            for event in events:
                seat, verb, *words = event.split()
                if verb == "take":
                    known[int(seat)] += Counter(words)
                elif verb in ("meld", "add", "discard"):
                    known[int(seat)] -= Counter(words)
            assert [Counter(row) for row in state.view(1)["known"]] == known
            events = state.play(rng.choice(state.legal()))
            events = [] if "round_end" in events[-1] else events


def test_a_view_holds_no_more_than_the_page_allows():
    view = dealt(4).view(2)

    assert not {"hands", "packets", "stock", "last_deal"} & set(view)
    assert (view["hand_counts"], view["packets_left"], view["stock_count"]) == ([11] * 4, 2, 39)


# Positions and views


def test_no_card_is_lost_or_made():
    for players, casual in ((2, False), (4, True)):
        for state in finished(Random(players), players, casual=casual, max_rounds=2):
            position = state.position()
            zones = [position["discard"], position["stock"], *position["hands"], *position["packets"]]
            zones += [laid for own in position["melds"] for laid in own]

            assert Counter(card for zone in zones for card in zone) == dict.fromkeys(NAMES, 2)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"hands": [["7h", "7h"], ["7h"]]}, "7h stands three times"),
        ({"hands": [["7h"]]}, "hands and known must each have 2 rows"),
        ({"hands": [["7h"], []]}, "holds no cards"),
        ({"known": [["8h"], []]}, "known cards must be in the hand"),
        ({"must_use": ["7h"]}, "must_use must be cards of the seat on turn"),
        ({"packets": [["5s"]]}, "one row of cards for each side"),
        ({"packets": [["5s"], []]}, "one row of cards for each side"),
        ({"melds": [[["7h", "8h", "Th"]], []]}, "7h 8h Th is no meld"),
        ({"melds": [[["7h", "7d", "7s"]], []]}, "7h 7d 7s is no meld"),
        ({"phase": "swap"}, "phase is 'swap'"),
        ({"turn": 2}, "a seat below 2"),
        ({"players": 3}, "2 or 4 play"),
        ({"dealer": 2}, "2 or 4 play"),
        ({"phase": "justify", "must_use": ["7h"]}, "could do nothing in phase justify"),
        ({"hands": [["7h"], ["3c"]]}, "could do nothing in phase meld"),
    ],
)
def test_a_position_that_cannot_be_is_refused(change, sentence):
    position = enter("7h Kc", "3c").position()

    with pytest.raises(ValueError, match=sentence):
        GAME.from_position(position | change)


def test_a_position_without_a_phase_enters_at_the_draw_and_ends_a_round_without_stock():
    position = enter("7h Kc", "3c").position()
    del position["phase"]

    assert GAME.from_position(position).phase == "draw"
    assert GAME.from_position(position | {"stock": []}).last_deal["closed"] is None


def test_from_view_keeps_what_is_known_and_shares_out_what_is_not():
    rng = Random(4)
    for players in (2, 4):
        for number, state in enumerate(finished(rng, players, max_rounds=1)):
            seat = number % players
            position = GAME.from_view(state.view(seat), rng).position()

            assert position["hands"][seat] == state.view(seat)["hand"]
            assert all(
                Counter(known) <= Counter(hand)
                for known, hand in zip(position["known"], position["hands"], strict=True)
            )


def test_from_view_gives_who_took_the_pile_a_hand_that_can_use_it():
    hand = "7h 8h Th Jh Kc Ks Qs"
    state = enter(hand, "3c 4c", melds=([], []), phase="draw", discard="9h", stock=cards("Ac"))
    state.play("take")

    for seed in range(20):
        guess = GAME.from_view(state.view(1), Random(seed))

        assert any("9h" in action for action in guess.legal())
        assert guess.view(1) == state.view(1)


def test_from_view_finds_the_only_cards_that_could_use_the_pile():
    """All wilds, nines and eights lie on the table: a ten needs one jack and one queen."""
    laid = ["7h 8h 9h 2c", "7h 8h 9h 2c", "Jh Qh 2d", "3c 4c 2d", "5c 6c 2h"]
    laid += ["7c 8c 2h", "9c Tc 2s", "3d 4d 2s", "5d 6d Jk", "7d 8d Jk"]
    state = enter("Jh Qh Kc Ks", "3c", melds=([], laid), phase="draw", discard="Th")
    state.play("take")

    for seed in range(10):
        guess = GAME.from_view(state.view(1), Random(seed))

        assert guess.legal() == ["meld Th Jh Qh"]
        assert guess.view(1) == state.view(1)


def test_from_view_refuses_a_view_with_which_no_deal_agrees():
    state = enter("7h 8h 9h Kc Ks", "3c 4c", phase="draw", discard="9h")
    state.play("take")
    view = state.view(1) | {"hand_counts": [3, 2]}

    with pytest.raises(ValueError, match="no deal agrees"):
        GAME.from_view(view, Random(1))
