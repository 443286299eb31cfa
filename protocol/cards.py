"""Helpers for cards as the games write them: "Th" is the ten of hearts, "Jk" the joker."""

from collections import defaultdict
from collections.abc import Iterable

RANKS = "23456789TJQKA"
SUITS = "cdhs"
JOKER = "Jk"


def rank(card: str) -> str:
    """One of `RANKS`; the joker's is "Jk"."""
    return card if card == JOKER else card[0]


def suit(card: str) -> str | None:
    """One of `SUITS`; None for the joker."""
    return None if card == JOKER else card[1]


def cards_of(action: str) -> list[str]:
    """The cards that an action or an event names, in its order."""
    return [word for word in action.split(" ") if is_card(word)]


def is_card(word: str) -> bool:
    """Whether a word is a card."""
    return word == JOKER or (len(word) == 2 and word[0] in RANKS and word[1] in SUITS)


def ordered(cards: Iterable[str], ranks: str = RANKS) -> list[str]:
    """Cards from low to high by a game's order of ranks, then by suit; the joker and unnamed ranks last."""

    def place(card: str) -> tuple[int, str]:
        found = ranks.find(card[0]) if card != JOKER else -1
        return (found if found >= 0 else len(ranks), card[1:])

    return sorted(cards, key=place)


def by_rank(cards: Iterable[str]) -> dict[str, list[str]]:
    """Cards in groups of one rank, in the order in which the ranks come first."""
    return _grouped((rank(card), card) for card in cards)


def by_suit(cards: Iterable[str]) -> dict[str, list[str]]:
    """Cards in groups of one suit, in the order in which the suits come first; jokers under "Jk"."""
    return _grouped((suit(card) or JOKER, card) for card in cards)


def _grouped(keyed: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    found: defaultdict[str, list[str]] = defaultdict(list)
    for key, card in keyed:
        found[key].append(card)
    return dict(found)
