"""Helpers for cards that the SDK brings."""

from arena.games.cards import NAMES
from protocol.cards import by_rank, by_suit, cards_of, is_card, ordered, rank, suit


def test_every_card_of_the_games_has_a_rank_and_a_suit():
    assert [rank(name) + (suit(name) or "") for name in NAMES] == list(NAMES)
    assert all(map(is_card, NAMES))
    assert not any(map(is_card, ("", "T", "1h", "Th ", "th", "pass")))


def test_cards_are_ordered_by_rank_then_suit_or_by_the_order_of_a_game():
    assert ordered(reversed(NAMES)) == list(NAMES)
    assert ordered(["Jk", "3h", "Th", "2c", "9d"], "3456789JQKA2T") == ["3h", "9d", "2c", "Th", "Jk"]


def test_cards_are_grouped():
    cards = ["Th", "Jk", "9h", "Tc"]

    assert by_rank(cards) == {"T": ["Th", "Tc"], "Jk": ["Jk"], "9": ["9h"]}
    assert by_suit(cards) == {"h": ["Th", "9h"], "Jk": ["Jk"], "c": ["Tc"]}


def test_the_cards_of_an_action_are_found():
    assert cards_of("add 0 2c Jk") == ["2c", "Jk"]
    assert cards_of("pickup") == []
