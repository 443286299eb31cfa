"""Mpirimpa told as a story: a generator that follows the rules page from top to bottom, with cards as text.

Every meld that can exist is written down once, in a book; cards are a meld when they stand there. It shares
nothing with the engine and is slow on purpose; `lockstep` plays both side by side.
"""

from collections.abc import Generator, Iterable
from dataclasses import dataclass, field
from functools import lru_cache

RANKS = ["2", "3", "4", "5", "6", "7", "8", "9", "T", "J", "Q", "K", "A"]
SUITS = ["c", "d", "h", "s"]
WILDS = ["2c", "2d", "2h", "2s", "Jk"]
ROW = ["A", *RANKS]
"""The places of a run: the ace stands at both ends."""

VALUES = {"2": 20, "A": 15, "J": 10, "8": 10, "9": 10, "T": 10, "Q": 10, "K": 10}
"""By rank; the ranks that are missing are worth 5, a joker 25."""

BONUS = {"clean": 200, "dirty": 100, "clean_trump": 500, "dirty_trump": 300, "full": 500, "full_trump": 1000}

Numbered = frozenset[tuple[str, int]]
"""Cards of which the first copy has the number 1, the second the number 2: so that sets can hold two."""


def numbered(cards: Iterable[str]) -> Numbered:
    return numbered_row(tuple(cards))


@lru_cache(maxsize=1 << 16)
def numbered_row(cards: tuple[str, ...]) -> Numbered:
    found: set[tuple[str, int]] = set()
    for card in cards:
        number = 1
        while (card, number) in found:
            number += 1
        found.add((card, number))
    return frozenset(found)


@dataclass
class Entry:
    """One meld of the book."""

    kind: str
    suit: str | None
    wild: str | None
    cards: Numbered


def runs() -> Generator[Entry, None, None]:
    for suit in SUITS:
        for size in range(3, 14):
            for first in range(len(ROW) - size + 1):
                cards = [rank + suit for rank in ROW[first : first + size]]
                yield Entry("run", suit, None, numbered(cards))
                for place in range(size):
                    for wild in WILDS:
                        others = cards[:place] + cards[place + 1 :]
                        yield Entry("run", suit, wild, numbered([*others, wild]))


def sets() -> Generator[Entry, None, None]:
    for rank in RANKS[1:]:
        for hands in all_counts(4):
            cards = [rank + suit for suit, count in zip(SUITS, hands, strict=True) for _ in range(count)]
            if len(cards) >= 3:
                yield Entry("set", None, None, numbered(cards))
            if len(cards) >= 2:
                for wild in WILDS:
                    yield Entry("set", None, wild, numbered([*cards, wild]))


def all_counts(suits: int) -> list[list[int]]:
    """None, one or two cards of each suit."""
    if suits == 0:
        return [[]]
    return [[count, *others] for count in (0, 1, 2) for others in all_counts(suits - 1)]


BOOK: dict[Numbered, Entry] = {}
for written in [*runs(), *sets()]:
    if written.cards not in BOOK or written.wild is None:
        BOOK[written.cards] = written

THREE_RUNS = [entry.cards for entry in BOOK.values() if len(entry.cards) == 3 and entry.kind == "run"]
THREES = [entry.cards for entry in BOOK.values() if len(entry.cards) == 3]
WITH: dict[str, list[Numbered]] = {
    rank + suit: [cards for cards in BOOK if (rank + suit, 1) in cards] for rank in RANKS for suit in SUITS
}


IN_ORDER = [*[rank + suit for rank in RANKS for suit in SUITS], "Jk"]
PLACE = {card: place for place, card in enumerate(IN_ORDER)}


def canonical(cards: Iterable[str]) -> list[str]:
    return sorted(cards, key=PLACE.__getitem__)


def places_in_order(cards: Iterable[str]) -> list[int]:
    return [PLACE[card] for card in cards]


def without(cards: list[str], some: Iterable[str]) -> list[str]:
    left = list(cards)
    for card in some:
        left.remove(card)
    return left


def plain(cards: Numbered) -> list[str]:
    return [card for card, _ in cards]


@dataclass
class Deck:
    """The story wants the next deck."""


@dataclass
class Ask:
    """The story wants an action of a seat."""

    table: "Table"
    seat: int
    phase: str
    legal: list[str]

    def accepts(self, action: str) -> bool:
        return self.table.accepts(self.phase, self.seat, action)


@dataclass
class Table:
    """All that lies on the table and stands on the paper."""

    players: int
    casual: bool
    dealer: int
    totals: list[int] = field(default_factory=lambda: [0, 0])
    round: int = 0
    said: list[str] = field(default_factory=list)
    finished: bool = False
    trump: str | None = None
    hands: list[list[str]] = field(default_factory=list)
    packets: list[list[str]] = field(default_factory=list)
    pile: list[str] = field(default_factory=list)
    stock: list[str] = field(default_factory=list)
    melds: list[list[list[str]]] = field(default_factory=list)
    taken: list[bool] = field(default_factory=list)
    must_use: list[str] = field(default_factory=list)
    may_not_return: str | None = None
    closed: int | None = None
    turns: int = 0

    def accepts(self, phase: str, seat: int, action: str) -> bool:
        """Judge an action word by word."""
        verb, *words = action.split(" ")
        if phase == "draw":
            return action == "draw" or (action == "take" and self.may_take(seat))
        if verb == "discard":
            return phase == "meld" and len(words) == 1 and self.may_discard(seat, words[0])
        if phase == "justify" and not set(words) & set(self.must_use):
            return False
        return self.may_lay(seat, self.hands[seat], action)

    def may_take(self, seat: int) -> bool:
        if self.pile == []:
            return False
        return self.casual or self.layings(seat, self.hands[seat] + self.pile, self.pile) != []

    def may_discard(self, seat: int, card: str) -> bool:
        hand = self.hands[seat]
        if card not in hand:
            return False
        if card == self.may_not_return and any(other != card for other in hand):
            return False
        return len(hand) > 1 or self.may_empty(seat % 2, self.melds[seat % 2])

    def may_lay(self, seat: int, hand: list[str], action: str) -> bool:
        verb, *words = action.split(" ")
        own = [list(meld) for meld in self.melds[seat % 2]]
        if verb == "add":
            indexes = [str(index) for index in range(len(own))]
            if words == [] or words[0] not in indexes:
                return False
            own[int(words[0])] += words[1:]
            changed, cards = own[int(words[0])], words[1:]
        elif verb == "meld":
            own.append(words)
            changed, cards = words, words
        else:
            return False
        if cards == [] or not numbered(cards) <= numbered(hand) or not self.is_meld(changed):
            return False
        return len(hand) - len(cards) >= 2 or self.may_empty(seat % 2, own)

    def is_meld(self, cards: list[str]) -> bool:
        if len(cards) > 13:
            return False
        entry = BOOK.get(numbered(cards))
        return entry is not None and (self.casual or entry.kind == "run")

    def may_empty(self, side: int, melds: list[list[str]]) -> bool:
        big = [BOOK[numbered(meld)] for meld in melds if len(meld) >= 7]
        if not self.taken[side]:
            return big != []
        return any(entry.wild is None for entry in big)

    def layings(self, seat: int, hand: list[str], taken: list[str] | None) -> list[str]:
        """What the list names of melds and adds; with cards taken, those that use one of them."""
        held, wanted = numbered(hand), hand if taken is None else taken
        nearly_all = [hand, *[without(hand, [card]) for card in set(hand)]] if len(hand) <= 14 else []
        melds = {tuple(canonical(plain(cards))) for cards in self.threes() if cards <= held}
        melds |= {tuple(canonical(cards)) for cards in nearly_all if self.is_meld(cards)}
        texts = [f"meld {' '.join(cards)}" for cards in sorted(melds, key=places_in_order)]
        for index, meld in enumerate(self.melds[seat % 2]):
            adds = {(card,) for card in set(hand) if akin(card, meld) and self.is_meld([*meld, card])}
            adds |= {tuple(canonical(cards)) for cards in nearly_all if self.is_meld([*meld, *cards])}
            adds |= set(together(meld, hand, wanted))
            texts += [f"add {index} {' '.join(cards)}" for cards in sorted(adds, key=places_in_order)]
        return [
            text
            for text in texts
            if not set(text.split()).isdisjoint(wanted) and self.may_lay(seat, hand, text)
        ]

    def threes(self) -> list[Numbered]:
        return THREES if self.casual else THREE_RUNS

    def discards(self, seat: int) -> list[str]:
        cards = canonical(set(self.hands[seat]))
        return [f"discard {card}" for card in cards if self.may_discard(seat, card)]


def akin(card: str, meld: list[str]) -> bool:
    """Whether a card has suit or rank of a meld, or may be wild: others can be left untried."""
    natural = next(other for other in meld if other not in WILDS)
    return card in WILDS or card[0] == natural[0] or card[1] == natural[1]


def together(meld: list[str], hand: list[str], wanted: list[str]) -> list[tuple[str, ...]]:
    """Adds that use a card wanted, and of which no part would do that."""
    held, names, useful = numbered(hand), frozenset(hand), set(wanted)
    by_first = additions(numbered(meld))
    found = [
        add
        for first in names
        for cards, add in by_first.get(first, ())
        if cards <= names and add <= held and not useful.isdisjoint(cards)
    ]
    return [tuple(canonical(plain(add))) for add in found if not any(other < add for other in found)]


@lru_cache(maxsize=1 << 14)
def additions(meld: Numbered) -> dict[str, list[tuple[frozenset[str], Numbered]]]:
    """All that can be added to a meld to make another one of the book, by the first card added."""
    natural = next(card for card, _ in meld if card not in WILDS)
    found: dict[str, list[tuple[frozenset[str], Numbered]]] = {}
    for longer in WITH[natural]:
        if meld < longer:
            cards = canonical(plain(longer - meld))
            found.setdefault(cards[0], []).append((frozenset(cards), numbered(cards)))
    return found


Story = Generator[Deck | Ask, list[str] | str, None]


def match(table: Table, *, target: int, max_rounds: int, max_turns: int, trump_suit: bool) -> Story:
    """Rounds until a side has the target and more than the other, or the cap is reached."""
    while not table.finished:
        if table.round > 0:
            table.dealer = (table.dealer + 1) % table.players
        deck = yield Deck()
        assert isinstance(deck, list)
        give_cards(table, deck, trump_suit=trump_suit)
        yield from one_round(table, max_turns)
        score(table)
        best, other = max(table.totals), min(table.totals)
        table.finished = (best >= target and best > other) or table.round == max_rounds


def give_cards(table: Table, deck: list[str], *, trump_suit: bool) -> None:
    cards = list(deck)
    table.round += 1
    table.turns = 0
    table.hands = [[] for _ in range(table.players)]
    table.melds, table.taken, table.closed = [[], []], [False, False], None
    for _ in range(11):
        for step in range(table.players):
            table.hands[(table.dealer + 1 + step) % table.players].append(cards.pop(0))
    table.packets = [[cards.pop(0) for _ in range(11)] for _ in range(2)]
    table.pile = [cards.pop(0)]
    table.stock = cards
    table.trump = table.pile[0][1] if trump_suit and table.pile[0] != "Jk" else None


def one_round(table: Table, max_turns: int) -> Story:
    seat = table.dealer
    while table.closed is None and table.stock != [] and table.turns < max_turns:
        seat = (seat + 1) % table.players
        yield from one_turn(table, seat)
        table.turns += 1


def one_turn(table: Table, seat: int) -> Story:
    phase = "meld"
    legal = ["draw", "take"] if table.may_take(seat) else ["draw"]
    answer = yield Ask(table, seat, "draw", legal)
    if answer == "draw":
        table.hands[seat].append(table.stock.pop(0))
        table.said.append(f"{seat} draw")
    else:
        table.said.append(f"{seat} take {' '.join(table.pile)}")
        table.hands[seat] += table.pile
        if not table.casual:
            phase, table.must_use = "justify", list(table.pile)
        elif len(table.pile) == 1:
            table.may_not_return = table.pile[0]
        table.pile = []
    answer = ""
    while table.closed is None and not answer.startswith("discard"):
        if phase == "justify":
            legal = table.layings(seat, table.hands[seat], table.must_use)
        else:
            legal = table.layings(seat, table.hands[seat], None) + table.discards(seat)
        said = yield Ask(table, seat, phase, legal)
        assert isinstance(said, str)
        answer, phase, table.must_use = said, "meld", []
        carry_out(table, seat, answer)
    table.may_not_return = None


def carry_out(table: Table, seat: int, action: str) -> None:
    verb, *words = action.split(" ")
    own = table.melds[seat % 2]
    if verb == "discard":
        table.pile.append(words[0])
        table.said.append(f"{seat} discard {words[0]}")
    elif verb == "meld":
        own.append(words)
        table.said.append(f"{seat} meld {len(own) - 1} {' '.join(canonical(words))}")
    else:
        index, *words = words
        own[int(index)] += words
        table.said.append(f"{seat} add {index} {' '.join(canonical(words))}")
    table.hands[seat] = without(table.hands[seat], words)
    if table.hands[seat] == []:
        if table.taken[seat % 2]:
            table.closed = seat % 2
            table.said.append(f"{seat} close")
        else:
            table.taken[seat % 2] = True
            table.hands[seat] = table.packets.pop(0)
            table.said.append(f"{seat} packet")


def score(table: Table) -> None:
    for side in (0, 1):
        points = sum(value(card) for meld in table.melds[side] for card in meld)
        points += sum(BONUS[class_of(meld, table.trump)] for meld in table.melds[side] if len(meld) >= 7)
        points += 100 if table.closed == side else 0
        for seat in range(side, table.players, 2):
            points -= sum(value(card) for card in table.hands[seat])
        points -= 0 if table.taken[side] else 100
        table.totals[side] += points
    table.said.append(f"round_end {table.totals[0]} {table.totals[1]}")


def value(card: str) -> int:
    return 25 if card == "Jk" else VALUES.get(card[0], 5)


def class_of(meld: list[str], trump: str | None) -> str:
    entry = BOOK[numbered(meld)]
    suffix = "_trump" if entry.suit is not None and entry.suit == trump else ""
    if entry.wild is not None:
        return "dirty" + suffix
    return ("full" if entry.kind == "run" and len(meld) == 13 else "clean") + suffix


def places(table: Table) -> list[float]:
    first, second = table.totals
    if first == second:
        return [1.5, 1.5]
    return [1.0, 2.0] if first > second else [2.0, 1.0]
