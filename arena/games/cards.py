"""Cards as small ints, sets of different cards as bit masks; text exists only at the edge.

A card is 4 * rank + suit, so that the order of the ints is the canonical order: by rank from 2 to A,
then by suit c d h s, the joker last. In a mask card `c` is bit `1 << c`, and a rank is four bits together.
"""

from collections.abc import Callable, Iterable
from functools import lru_cache

RANKS = "23456789TJQKA"
SUITS = "cdhs"
JOKER = 52

TWO, THREE, FOUR, FIVE, SIX, SEVEN, EIGHT, NINE, TEN, JACK, QUEEN, KING, ACE = range(13)
"""Ranks as ints: the rank of card c is `c >> 2`, its suit `c & 3`."""

NAMES = (*(rank + suit for rank in RANKS for suit in SUITS), "Jk")
CARDS = {name: card for card, name in enumerate(NAMES)}

FULL_DECK = tuple(range(52))
"""Canonical order, without jokers."""

RANK_MASKS = tuple(0b1111 << 4 * rank for rank in range(13))
"""By rank: its four cards."""

ANY = (1 << 52) - 1
"""Mask of all cards but jokers."""

ANY_OR_JOKER = (1 << 53) - 1


def mask(cards: Iterable[int]) -> int:
    """Set of different cards."""
    return sum([1 << card for card in cards])


def cards_in(cards: int) -> list[int]:
    """Cards of a mask in canonical order."""
    found = []
    while cards:
        lowest = cards & -cards
        found.append(lowest.bit_length() - 1)
        cards ^= lowest
    return found


TextTable = tuple[tuple[tuple[str, ...], ...], ...]
"""By pair of ranks, then by the cards held of the two as eight bits: texts."""


def text_table(texts: Callable[[list[int]], Iterable[str]]) -> TextTable:
    """Table of what `texts` gives for the cards held of one rank, from 2 up to A and the joker."""
    by_rank = [
        [tuple(texts(cards_in(held << 4 * rank & ANY_OR_JOKER))) for held in range(16)] for rank in range(14)
    ]
    return tuple(
        tuple(lower[held & 15] + upper[held >> 4] for held in range(256))
        for lower, upper in zip(by_rank[::2], by_rank[1::2], strict=True)
    )


def listed(cards: int, table: TextTable) -> list[str]:
    """Texts of a mask, two ranks at a time: several times as fast as going from card to card."""
    of_23, of_45, of_67, of_89, of_tj, of_qk, of_a = table
    in_23, in_45, in_67, in_89, in_tj, in_qk, in_a = cards.to_bytes(7, "little")
    return [
        *of_23[in_23],
        *of_45[in_45],
        *of_67[in_67],
        *of_89[in_89],
        *of_tj[in_tj],
        *of_qk[in_qk],
        *of_a[in_a],
    ]


NAMES_HELD = text_table(lambda cards: [NAMES[card] for card in cards])


@lru_cache(maxsize=1 << 13)
def names(cards: int) -> tuple[str, ...]:
    """Text of the cards, in canonical order, remembered: for rows that come back in view after view."""
    return tuple(listed(cards, NAMES_HELD))


def parse(name: object) -> int:
    """Card of its text; raises ValueError."""
    card = CARDS.get(name) if isinstance(name, str) else None
    if card is None:
        raise ValueError(f"{name!r} is no card; a rank of {RANKS} and a suit of {SUITS} are expected, or Jk")
    return card
