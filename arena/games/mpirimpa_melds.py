"""Melds of Mpirimpa, as multisets: what is one, what it is worth, and which cards may be added to it.

A *bag* is a multiset of cards in one int. The two packs hold every card twice, so bit `card` says that it is
there, and bit `TWICE + card` that it is there a second time. Of two bags `a & b` is what they share,
`a & ~b == 0` says that b holds all of a, and `a.bit_count()` counts the cards.

The numbers M5.. name the rulings of `docs/games/mpirimpa.md`.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, lru_cache
from operator import attrgetter
from typing import Final, Literal

from arena.games.cards import (
    ACE,
    CARDS,
    JOKER,
    NAMES,
    NAMES_HELD,
    RANK_MASKS,
    RANKS,
    SUITS,
    TWO,
    cards_in,
    listed,
    mask,
    names,
)

TWICE: Final = JOKER + 1
ONCE: Final = (1 << TWICE) - 1
"""First copies: with it a bag becomes the set of its cards."""

SUIT_MASKS: Final = tuple(mask(range(suit, JOKER, 4)) for suit in range(len(SUITS)))
EVERYTHING: Final = ONCE | ONCE << TWICE
"""Both packs."""

WILDS: Final = RANK_MASKS[TWO] | 1 << JOKER
"""Jokers and twos (M9, M11)."""

ACES: Final = RANK_MASKS[ACE]

LONGEST: Final = len(RANKS)
"""Cards of a run at most (M8)."""

MPIRIMPA: Final = 7
"""Cards of a meld from which on it is an mpirimpa (M15)."""

POINTS: Final = (20,) * 4 + (5,) * 20 + (10,) * 24 + (15,) * 4 + (25,)
"""By card (M5)."""

BONUS: Final = {
    None: 0,
    "clean": 200,
    "dirty": 100,
    "clean_trump": 500,
    "dirty_trump": 300,
    "full": 500,
    "full_trump": 1000,
}
"""By class; one for each meld (M16)."""

HIGH_ACE: Final = 1 << 4 * (ACE + 1)
"""Bit of the high ace where runs are laid out by places: ace, 2 .. K, ace, four bits each."""


# Bags


def bag(cards: Iterable[int]) -> int:
    """Multiset of some cards; raises ValueError when one stands there three times."""
    found = 0
    for card in cards:
        copy = 1 << card
        if found & copy:
            copy <<= TWICE
        if found & copy:
            raise ValueError(f"{NAMES[card]} stands three times, two packs have it twice")
        found |= copy
    return found


def plus(some: int, more: int) -> int:
    """All cards of two bags, of which no card is there three times."""
    return some | more | (some & more & ONCE) << TWICE


def minus(all_cards: int, some: int) -> int:
    """A bag without some of its cards."""
    left = all_cards ^ some
    lone = left >> TWICE & ~left
    return left ^ lone ^ lone << TWICE


def listed_cards(cards: int) -> list[int]:
    """Cards of a bag in canonical order."""
    return sorted(cards_in(cards & ONCE) + cards_in(cards >> TWICE))


@lru_cache(maxsize=1 << 13)
def bag_names(cards: int) -> tuple[str, ...]:
    """Text of the cards of a bag, in canonical order."""
    if cards <= ONCE:
        return names(cards)
    twice = listed(cards & ONCE, NAMES_HELD) + listed(cards >> TWICE, NAMES_HELD)
    return tuple(sorted(twice, key=CARDS.__getitem__))


def points_in(cards: int) -> int:
    """Card points of a bag: the face value, also of a card that is wild (M5)."""
    return sum([POINTS[card] for card in listed_cards(cards)])


# Melds


@dataclass(frozen=True, slots=True)
class Meld:
    """A valid meld. Which place its wild takes is not part of it: it slides (M13)."""

    bag: int
    kind: Literal["run", "set"]
    cards: tuple[int, ...]
    """As they lie: a run from low to high with the wild in its place, a set with the wild last."""
    near: int
    """Set of the cards that can be added some day: of the suit or the rank, and wilds while there is room."""
    far: int
    """Bag of the cards that can never be added."""
    wild: int | None
    canonical: tuple[int, ...]
    """The cards in canonical order: melds are listed by it."""
    action: str
    size: int
    points: int

    @property
    def mpirimpa(self) -> bool:
        """Whether it has seven cards (M15)."""
        return self.size >= MPIRIMPA

    @property
    def clean_mpirimpa(self) -> bool:
        """Whether it allows to close (M26)."""
        return self.size >= MPIRIMPA and self.wild is None

    @property
    def suit(self) -> int | None:
        """Suit of a run."""
        return _lowest(self.bag & ~WILDS) & 3 if self.kind == "run" else None

    @property
    def rank(self) -> int | None:
        """Rank of a set."""
        return _lowest(self.bag & ~WILDS) >> 2 if self.kind == "set" else None

    def title(self, trump: int | None) -> str | None:
        """Class of an mpirimpa, the highest that fits (M16 to M18); None below seven cards."""
        if not self.mpirimpa:
            return None
        clean = "full" if self.kind == "run" and self.size == LONGEST else "clean"
        trumps = self.suit is not None and self.suit == trump
        return (clean if self.wild is None else "dirty") + ("_trump" if trumps else "")


@lru_cache(maxsize=1 << 15)
def meld_of(cards: int) -> Meld | None:
    """Run or set that a bag of cards makes, None if neither (M6 to M11, M33). No bag makes both."""
    plain = cards & ~(WILDS | WILDS << TWICE)
    if cards.bit_count() < 3 or not plain:
        return None  # two twos of one suit are never both natural, so a plain card is needed
    return _run(cards, _lowest(plain) & 3) or _set(cards, plain)


def _lowest(cards: int) -> int:
    return (cards & -cards).bit_length() - 1


def _run(cards: int, suit: int) -> Meld | None:
    """Run of the cards, the wild in its gap or at an end (M6 to M11)."""
    layout = _layout(cards, suit)
    if layout is None:
        return None
    places, wild = layout
    first, last = _lowest(places) >> 2, places.bit_length() - 1 >> 2
    order = [_at(place, suit) if places >> 4 * place & 1 else wild for place in range(first, last + 1)]
    if len(order) < cards.bit_count():
        order.insert(len(order) if last < LONGEST else 0, wild)
    can_be_natural = wild == 4 * TWO + suit
    near = SUIT_MASKS[suit] | (WILDS if wild is None or can_be_natural else 0)
    return _made("run", cards, [card for card in order if card is not None], near, wild)


def _layout(cards: int, suit: int) -> tuple[int, int | None] | None:
    """Places of a run that its natural cards take, four bits each, and its wild; None if it is no run.

    Tried without a wild, then with each card that can be one; the ace low, then high.
    """
    for wild in (None, *cards_in(cards & WILDS)):
        naturals = cards if wild is None else minus(cards, 1 << wild)
        if naturals & ~SUIT_MASKS[suit]:
            continue
        high = naturals >> suit << 4
        for places in (high ^ HIGH_ACE | 1, high) if high & HIGH_ACE else (high,):
            span = (places.bit_length() - 1 >> 2) - (_lowest(places) >> 2) + 1
            gaps = span - places.bit_count()
            if gaps == 0 if wild is None else gaps == 1 or (gaps == 0 and span < LONGEST):
                return places, wild
    return None


def _at(place: int, suit: int) -> int:
    """Card of a suit at a place of runs: the ace at both ends."""
    return ((place - 1) % LONGEST << 2) + suit


def _set(cards: int, plain: int) -> Meld | None:
    """Cards of one rank from 3 to A and at most one wild (M33)."""
    rank, wild = RANK_MASKS[_lowest(plain) >> 2], cards ^ plain
    if plain & ~(rank | rank << TWICE) or plain.bit_count() < 2 or wild.bit_count() > 1:
        return None
    order = listed_cards(plain) + listed_cards(wild)
    return _made("set", cards, order, rank if wild else rank | WILDS, _lowest(wild) if wild else None)


def _made(kind: Literal["run", "set"], cards: int, order: list[int], near: int, wild: int | None) -> Meld:
    return Meld(
        bag=cards,
        kind=kind,
        cards=tuple(order),
        near=near,
        far=EVERYTHING & ~(near | near << TWICE),
        wild=wild,
        canonical=tuple(sorted(order)),
        action=f"meld {' '.join(bag_names(cards))}",
        size=len(order),
        points=points_in(cards),
    )


# What may be laid: the parts of the legal list


@lru_cache(maxsize=1 << 15)
def fitting(cards: int) -> int:
    """Set of the cards of which one alone may be added to the meld that these cards are."""
    meld = meld_of(cards)
    assert meld is not None
    suit = meld.suit
    candidates = meld.near & ~(cards >> TWICE)
    if suit is None:
        return candidates
    return mask([card for card in cards_in(candidates) if _layout(plus(cards, 1 << card), suit)])


def threes(hand: int, wanted: int = ONCE, *, sets: bool) -> list[Meld]:
    """Every meld of three cards of a hand with a wanted one; sets only in the casual variant."""
    found: list[Meld] = []
    parts = 0
    wilds = hand & WILDS
    for family in _FAMILIES if sets else _RUNS:
        own = hand & family
        if own & own - 1 and own & ~WILDS and wanted & (family | WILDS):
            melds = _threes_held(family, own | wilds)
            if melds:
                parts += 1
                found += melds
    if parts > 1:
        found.sort(key=attrgetter("canonical"))
    return found if wanted == ONCE else [meld for meld in found if meld.bag & wanted]


_FAMILIES: Final = (
    *(suit | (suit & RANK_MASKS[TWO]) << TWICE for suit in SUIT_MASKS),
    *(rank | rank << TWICE for rank in RANK_MASKS[TWO + 1 :]),
)
"""Bags out of which, with a wild, three cards make a run or a set: a suit with its second 2, a rank twice."""

_RUNS: Final = _FAMILIES[: len(SUITS)]

_REACHES: Final = tuple(family | WILDS for family in _FAMILIES)


@lru_cache(maxsize=1 << 15)
def _threes_held(family: int, held: int) -> tuple[Meld, ...]:
    absent, by_wild = ~held, _threes_of(family)
    wilds = (None, *cards_in(held & WILDS))
    found = [meld for wild in wilds for meld in by_wild[wild] if not meld.bag & absent]
    return tuple(sorted(found, key=attrgetter("canonical")))


@cache
def _threes_of(family: int) -> dict[int | None, list[Meld]]:
    """Every meld of three cards in a family, by its wild."""
    suit = _FAMILIES.index(family)
    if suit < len(SUITS):
        whole = {window for window, _ in _windows(suit) if window.bit_count() == 3}
        pairs = {window ^ 1 << card for window in whole for card in cards_in(window)}
    else:
        rank = cards_in(family & ONCE)
        pairs = {plus(1 << card, 1 << other) for card in rank for other in rank}
        whole = {plus(pair, 1 << card) for pair in pairs for card in rank if not pair >> TWICE & 1 << card}
    bags = whole | {plus(pair, 1 << wild) for pair in pairs for wild in cards_in(WILDS)}
    found: dict[int | None, list[Meld]] = {wild: [] for wild in (None, *cards_in(WILDS))}
    for meld in filter(None, map(meld_of, bags)):
        found[meld.wild].append(meld)
    return found


@cache
def _windows(suit: int) -> tuple[tuple[int, int], ...]:
    """Every stretch of 3 to 13 neighbours of a suit, the ace low or high: its cards, those at its ends."""
    row = [1 << _at(place, suit) for place in range(LONGEST + 1)]
    return tuple(
        (sum(row[first : first + size]), row[first] | row[first + size - 1])
        for size in range(3, LONGEST + 1)
        for first in range(len(row) - size + 1)
    )


def all_but_one(hand: int) -> list[int]:
    """A hand, and the hand without one card: what may empty it."""
    return [hand, *[minus(hand, 1 << card) for card in cards_in(hand & ONCE)]]


def long_melds(hand: int, *, sets: bool) -> list[Meld]:
    """Melds of more than three cards that use a hand up, or all but one card of it."""
    size = hand.bit_count()
    if not 4 <= size <= LONGEST + 1:
        return []
    for reach in _REACHES if sets else _REACHES[: len(SUITS)]:
        if (hand & reach).bit_count() >= size - 2:
            break
    else:
        return []
    melds = [meld_of(cards) for cards in all_but_one(hand)]
    return [meld for meld in melds if meld and meld.size > 3 and (sets or meld.kind == "run")]


def joint_adds(meld: Meld, hand: int, wanted: int) -> list[int]:
    """Several cards of a hand that the legal list adds to a meld at once."""
    found = [cards for cards in leaps(meld.bag) if not cards & ~hand] if meld.bag & ACES else []
    if (hand & meld.far).bit_count() <= 1 and hand.bit_count() + meld.size <= LONGEST + 1:
        found += long_adds(meld, hand)
    if wanted != ONCE:
        found += bridges(meld, hand, wanted)
    return found


def long_adds(meld: Meld, hand: int) -> list[int]:
    """Two or more cards that use a hand up, or all but one card of it, and may be added together."""
    return [cards for cards in all_but_one(hand) if cards.bit_count() > 1 and meld_of(plus(meld.bag, cards))]


def bridges(meld: Meld, hand: int, wanted: int) -> list[int]:
    """Cards that must be added together so that a wanted one of them can be added at all (M21).

    Each gives two or more cards of the hand that may be added to the run, of which no fewer do with a wanted
    card among them.
    """
    alone = fitting(meld.bag) & wanted
    useful = wanted & hand & meld.near & ~alone & ~(meld.bag & ~WILDS)
    if meld.kind == "set" or not useful:
        return []
    joined = {
        added
        for lacking, has_wild in _stretches(meld.bag)
        if useful & (lacking | WILDS) and not (missing := lacking & ~hand) & missing - 1
        for added in _completions(lacking, hand, has_wild=has_wild)
        if added & useful and not added & alone and added.bit_count() > 1
    }
    return [added for added in joined if not any(other != added and not other & ~added for other in joined)]


@lru_cache(maxsize=1 << 15)
def leaps(cards: int) -> tuple[int, ...]:
    """Cards that may be added together to the meld that these cards are, but no part of them by itself.

    Only runs with an ace have some: they carry it from one end to the other. Without them 2 3 could not come
    to 5 6 7 8 9 T J Q 2 A, where a 2 is the king, to make A 2 3 2 5 6 7 8 9 T J Q.
    """
    meld = meld_of(cards)
    assert meld is not None
    return tuple(bridges(meld, minus(EVERYTHING, cards), ONCE))


@lru_cache(maxsize=1 << 13)
def _stretches(cards: int) -> tuple[tuple[int, bool], ...]:
    """Longer runs that end where a run does: what it lacks of them, and whether it has a wild to spare."""
    suit = _lowest(cards & ~WILDS) & 3
    found = []
    for window, ends in _windows(suit):
        spare = minus(cards, cards & window)
        if cards & ends and spare.bit_count() <= 1 and not spare & ~WILDS:
            found.append((window & ~cards, spare > 0))
    return tuple(found)


def _completions(lacking: int, hand: int, *, has_wild: bool) -> list[int]:
    """Ways to fill the places of a stretched run, of which a hand lacks one at most; one wild may help."""
    missing = lacking & ~hand
    but_one = [lacking ^ 1 << card for card in cards_in(missing or lacking)]
    if has_wild:
        return but_one
    ways = [plus(part, 1 << wild) for part in but_one for wild in cards_in(hand & WILDS)]
    return [way for way in ways if not way & ~hand] + ([] if missing else [lacking])
