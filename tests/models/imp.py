"""IMP told as a story: one generator that follows the rules page from top to bottom, with cards as text.

It shares nothing with the engine and is slow on purpose; `lockstep` plays both side by side.
"""

from collections.abc import Generator
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

from tests.models.stories import RANKS, SUITS, Ask, Deck, canonical

LOW_TO_HIGH = ["5", "6", "7", "8", "9", "J", "Q", "K", "A"]
ALWAYS = ["2", "3", "4", "T"]


@dataclass
class Table:
    """All that lies on the table."""

    players: int
    dealer: int
    play_on: bool = True
    max_plies: int = 500
    turn: int | None = None
    dir: int = 1
    finished: bool = False
    said: list[str] = field(default_factory=list)
    hands: list[list[str]] = field(default_factory=list)
    open: list[list[str]] = field(default_factory=list)
    hidden: list[list[str | None]] = field(default_factory=list)
    stock: list[str] = field(default_factory=list)
    pile: list[str] = field(default_factory=list)
    graveyard: list[str] = field(default_factory=list)
    seen: list[list[str]] = field(default_factory=list)
    """By seat: cards that everybody saw go to the hand."""
    out: list[int] = field(default_factory=list)
    plies: int = 0

    def view(self, seat: int, phase: str) -> dict[str, Any]:
        return {
            "game": "imp",
            "players": self.players,
            "seat": seat,
            "dealer": self.dealer,
            "phase": phase,
            "turn": self.turn,
            "dir": self.dir,
            "hand": canonical(self.hands[seat]),
            "open": [canonical(row) for row in self.open],
            "hidden_slots": [[card is not None for card in row] for row in self.hidden],
            "hand_counts": [len(hand) for hand in self.hands],
            "stock_count": len(self.stock),
            "pile": self.pile,
            "effective": effective(self.pile),
            "graveyard": canonical(self.graveyard),
            "known": [canonical(cards) for cards in self.seen],
            "out": self.out,
            "plies": self.plies,
            "max_plies": self.max_plies,
        }

    def places(self) -> list[float]:
        return places(self)

    def scores(self) -> list[float]:
        return scores(self)


Story = Generator[Deck | Ask, list[str] | str, None]


def match(table: Table) -> Story:
    deck = yield Deck()
    assert isinstance(deck, list)
    order = [(table.dealer + step) % table.players for step in range(1, table.players + 1)]
    lay_out(table, deck, order)
    yield from name_rows(table, order)
    table.turn = order[0]
    yield from turns(table)


def turns(table: Table) -> Story:
    """From the start of a turn to the end of the match."""
    while not is_over(table):
        yield from quad_window(table)
        if not is_over(table):
            yield from one_turn(table)
    table.turn = None
    table.finished = True


def lay_out(table: Table, deck: list[str], order: list[int]) -> None:
    table.stock = list(deck)
    table.hands, table.open, table.seen = [[] for _ in order], [[] for _ in order], [[] for _ in order]
    table.hidden = [[] for _ in order]
    for _ in range(3):
        for seat in order:
            table.hidden[seat].append(table.stock.pop(0))
    for _ in range(6):
        for seat in order:
            table.hands[seat].append(table.stock.pop(0))


def name_rows(table: Table, order: list[int]) -> Story:
    rows = []
    for seat in order:
        threes = combinations(canonical(table.hands[seat]), 3)
        answer = yield Ask(seat, "setup", "six", [f"open {' '.join(three)}" for three in threes])
        assert isinstance(answer, str)
        rows.append(answer.split(" ")[1:])
    for seat, row in zip(order, rows, strict=True):
        table.open[seat] = row
        for card in row:
            table.hands[seat].remove(card)
        table.said.append(f"{seat} open {' '.join(canonical(row))}")


def is_over(table: Table) -> bool:
    if table.out != [] and not table.play_on:
        return True
    return len(table.out) >= table.players - 1 or table.plies == table.max_plies


def in_playing_order(table: Table, first: int) -> list[int]:
    seats = [(first + table.dir * step) % table.players for step in range(table.players)]
    return [seat for seat in seats if seat not in table.out]


def pass_turn_on(table: Table) -> None:
    assert table.turn is not None
    table.turn = in_playing_order(table, (table.turn + table.dir) % table.players)[0]


def quad_window(table: Table) -> Story:
    passed: list[int] = []
    while not is_over(table):
        assert table.turn is not None
        holders = [seat for seat in in_playing_order(table, table.turn) if quads(table.hands[seat]) != []]
        asked = [seat for seat in holders if seat not in passed][:1]
        if asked == []:
            return
        seat = asked[0]
        answer = yield Ask(seat, "quad", "hand", [*quads(table.hands[seat]), "pass"])
        if answer == "pass":
            passed.append(seat)
        else:
            assert isinstance(answer, str)
            lay_quad(table, seat, answer.split(" ")[1])
            passed = []


def quads(hand: list[str]) -> list[str]:
    return [f"quad {rank}" for rank in RANKS if all(rank + suit in hand for suit in SUITS)]


def lay_quad(table: Table, seat: int, rank: str) -> None:
    table.said.append(f"{seat} quad {rank}")
    for suit in SUITS:
        take_from(table.hands[seat], rank + suit, table.seen[seat])
        table.graveyard.append(rank + suit)
    refill(table, seat)
    leave_without_cards(table, seat)
    if seat in table.out and seat == table.turn:
        pass_turn_on(table)


def take_from(cards: list[str], card: str, seen: list[str]) -> None:
    cards.remove(card)
    if card in seen:
        seen.remove(card)


def one_turn(table: Table) -> Story:
    seat = table.turn
    assert seat is not None
    zone, cards = "hand", table.hands[seat]
    if cards == []:
        zone, cards = "open", table.open[seat]
    if cards == []:
        zone = "hidden"
    answer = yield Ask(seat, "turn", zone, legal_from(table, seat, zone, canonical(cards)))
    assert isinstance(answer, str)
    table.plies += 1
    verb, *words = answer.split(" ")
    if verb == "pickup":
        table.said.append(f"{seat} pickup {len(table.pile)}")
        take_pile(table, seat)
        pass_turn_on(table)
    elif verb == "play":
        take_from(cards, words[0], table.seen[seat])
        table.said.append(f"{seat} play {words[0]}")
        resolve(table, seat, words[0])
    else:
        flip(table, seat, int(words[0]))


def legal_from(table: Table, seat: int, zone: str, cards: list[str]) -> list[str]:
    if zone == "hidden":
        return [f"flip {slot}" for slot in (0, 1, 2) if table.hidden[seat][slot] is not None]
    plays = [f"play {card}" for card in cards if fits(table.pile, card)]
    return plays if plays != [] else ["pickup"]


def effective(pile: list[str]) -> str | None:
    for card in reversed(pile):
        if card[0] != "3":
            return card[0]
    return None


def fits(pile: list[str], card: str) -> bool:
    rank, to_beat = card[0], effective(pile)
    if rank in ALWAYS or to_beat is None:
        return True
    if to_beat == "7":
        return rank in ("5", "6", "7")
    return LOW_TO_HIGH.index(rank) >= LOW_TO_HIGH.index(to_beat)


def flip(table: Table, seat: int, slot: int) -> None:
    card = table.hidden[seat][slot]
    assert card is not None
    table.hidden[seat][slot] = None
    if fits(table.pile, card):
        table.said.append(f"{seat} flip {slot} {card} ok")
        resolve(table, seat, card)
    else:
        table.said.append(f"{seat} flip {slot} {card} fail")
        table.hands[seat].append(card)
        table.seen[seat].append(card)
        take_pile(table, seat)
        pass_turn_on(table)


def take_pile(table: Table, seat: int) -> None:
    table.hands[seat] += table.pile
    table.seen[seat] += table.pile
    table.pile = []


def resolve(table: Table, seat: int, card: str) -> None:
    if card[0] in ("2", "T"):
        table.graveyard += [*table.pile, card]
        table.pile = []
    elif card[0] == "4":
        table.graveyard.append(card)
    else:
        table.pile.append(card)
    if card[0] == "8":
        table.dir = -table.dir
        table.said.append(f"dir {table.dir}")
    refill(table, seat)
    leave_without_cards(table, seat)
    if card[0] != "2" or seat in table.out:
        pass_turn_on(table)


def refill(table: Table, seat: int) -> None:
    drawn = 0
    while len(table.hands[seat]) < 3 and table.stock != []:
        table.hands[seat].append(table.stock.pop(0))
        drawn += 1
    if drawn > 0:
        table.said.append(f"{seat} draw {drawn}")


def leave_without_cards(table: Table, seat: int) -> None:
    if cards_left(table, seat) == 0:
        table.out.append(seat)
        table.said.append(f"{seat} out {len(table.out)}")


def cards_left(table: Table, seat: int) -> int:
    hidden = [card for card in table.hidden[seat] if card is not None]
    return len(table.hands[seat]) + len(table.open[seat]) + len(hidden)


def places(table: Table) -> list[float]:
    """Who is out in that order; the others by cards left, or together where they do not play on."""
    groups = [[seat] for seat in table.out]
    others = [seat for seat in range(table.players) if seat not in table.out]
    if table.out != [] and not table.play_on:
        groups.append(others)
    else:
        counts = sorted({cards_left(table, seat) for seat in others})
        groups += [[seat for seat in others if cards_left(table, seat) == count] for count in counts]
    result = {}
    next_place = 1
    for group in groups:
        filled = range(next_place, next_place + len(group))
        for seat in group:
            result[seat] = sum(filled) / len(filled)
        next_place += len(group)
    return [result[seat] for seat in sorted(result)]


def scores(table: Table) -> list[float]:
    return [(table.players - place) / (table.players - 1) for place in places(table)]
