"""Idiot told as a story: one generator that follows the rules page from top to bottom, with cards as text.

It shares nothing with the engine and is slow on purpose; `lockstep` plays both side by side.
"""

from collections.abc import Generator
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

from tests.models.stories import PLACE, RANKS, Ask, Deck, canonical

LOW_TO_HIGH = ["3", "4", "5", "6", "7", "8", "9", "J", "Q", "K", "A"]


@dataclass
class Table:
    """All that lies on the table, and the paper with the places."""

    players: int
    dealer: int
    rounds: int = 1
    seven_low: bool = False
    lowest_starts: bool = False
    max_plies: int = 500
    round: int = 0
    turn: int | None = None
    finished: bool = False
    said: list[str] = field(default_factory=list)
    totals: list[float] = field(default_factory=list)
    hands: list[list[str]] = field(default_factory=list)
    open: list[list[str]] = field(default_factory=list)
    hidden: list[list[str | None]] = field(default_factory=list)
    stock: list[str] = field(default_factory=list)
    pile: list[str] = field(default_factory=list)
    burnt: list[str] = field(default_factory=list)
    seen: list[list[str]] = field(default_factory=list)
    """By seat: cards that everybody saw go to the hand."""
    out: list[int] = field(default_factory=list)
    plies: int = 0

    def view(self, seat: int, phase: str) -> dict[str, Any]:
        return {
            "game": "idiot",
            "players": self.players,
            "seat": seat,
            "dealer": self.dealer,
            "round": self.round,
            "rounds": self.rounds,
            "options": {
                "rounds": self.rounds,
                "seven_low": self.seven_low,
                "lowest_starts": self.lowest_starts,
                "max_plies": self.max_plies,
            },
            "phase": phase,
            "turn": self.turn,
            "hand": canonical(self.hands[seat]),
            "open": [canonical(row) for row in self.open],
            "hidden_slots": [[card is not None for card in row] for row in self.hidden],
            "hand_counts": [len(hand) for hand in self.hands],
            "stock_count": len(self.stock),
            "pile": self.pile,
            "burnt": canonical(self.burnt),
            "known": [canonical(cards) for cards in self.seen],
            "out": self.out,
            "totals": self.totals,
            "plies": self.plies,
            "max_plies": self.max_plies,
        }

    def places(self) -> list[float]:
        return places(self)

    def scores(self) -> list[float]:
        return scores(self)


Story = Generator[Deck | Ask, list[str] | str, None]


def seats_from_left(table: Table, of: int) -> list[int]:
    return [(of + step) % table.players for step in range(1, table.players + 1)]


def match(table: Table) -> Story:
    """All rounds, the dealer moving to the left."""
    table.totals = [0.0] * table.players
    while table.round < table.rounds:
        if table.round > 0:
            table.dealer = seats_from_left(table, table.dealer)[0]
        table.round += 1
        deck = yield Deck()
        assert isinstance(deck, list)
        lay_out(table, deck)
        yield from swap(table)
        yield from turns(table)
        for seat, place in enumerate(round_places(table)):
            table.totals[seat] += place
    table.finished = True


def lay_out(table: Table, deck: list[str]) -> None:
    cards = list(deck)
    rows: list[dict[int, list[str]]] = []
    for _ in range(3):
        rows.append({seat: [] for seat in range(table.players)})
        for _ in range(3):
            for seat in seats_from_left(table, table.dealer):
                rows[-1][seat].append(cards.pop(0))
    blind, table.open, table.hands = (list(row.values()) for row in rows)
    table.hidden = [list(row) for row in blind]
    table.seen = [[] for _ in range(table.players)]
    table.stock, table.pile, table.burnt, table.out, table.plies = cards, [], [], [], 0


def swap(table: Table) -> Story:
    rows = {}
    for seat in seats_from_left(table, table.dealer):
        six = canonical(table.hands[seat] + table.open[seat])
        answer = yield Ask(seat, "swap", "six", [f"open {' '.join(row)}" for row in combinations(six, 3)])
        assert isinstance(answer, str)
        rows[seat] = answer.split(" ")[1:]
    for seat, row in rows.items():
        six = table.hands[seat] + table.open[seat]
        table.seen[seat] = [card for card in table.open[seat] if card not in row]
        table.hands[seat] = [card for card in six if card not in row]
        table.open[seat] = row
        table.said.append(f"{seat} open {' '.join(canonical(row))}")


def first_to_play(table: Table) -> int:
    seats = seats_from_left(table, table.dealer)
    if table.lowest_starts:
        for rank in LOW_TO_HIGH:
            for seat in seats:
                if any(card[0] == rank for card in table.hands[seat]):
                    return seat
    return seats[0]


def turns(table: Table) -> Story:
    seat = first_to_play(table)
    while len(table.out) < table.players - 1 and table.plies < table.max_plies:
        table.turn = seat
        zone = zone_of(table, seat)
        answer = yield Ask(seat, "turn", zone, legal_from(table, seat, zone))
        assert isinstance(answer, str)
        table.plies += 1
        plays_again = carry_out(table, seat, zone, answer)
        if seat in table.out or not plays_again:
            seat = next(other for other in seats_from_left(table, seat) if other not in table.out)
    table.turn = None


def zone_of(table: Table, seat: int) -> str:
    if table.hands[seat] != []:
        return "hand"
    return "open" if table.open[seat] != [] else "blind"


def legal_from(table: Table, seat: int, zone: str) -> list[str]:
    if zone == "blind":
        return [f"flip {slot}" for slot in (0, 1, 2) if table.hidden[seat][slot] is not None]
    cards = canonical(table.hands[seat] if zone == "hand" else table.open[seat])
    plays = []
    for rank in RANKS:
        of_rank = [card for card in cards if card[0] == rank]
        sets = [list(some) for size in (1, 2, 3, 4) for some in combinations(of_rank, size)]
        if fits(table, rank):
            plays += sorted(sets, key=lambda some: [PLACE[card] for card in some])
    legal = [f"play {' '.join(some)}" for some in plays]
    return [*legal, "pickup"] if table.pile != [] else legal


def fits(table: Table, rank: str) -> bool:
    if rank in ("2", "T") or table.pile == []:
        return True
    top = table.pile[-1][0]
    if top == "2":
        return True
    if top == "7" and table.seven_low:
        return rank in ("3", "4", "5", "6", "7")
    return LOW_TO_HIGH.index(rank) >= LOW_TO_HIGH.index(top)


def carry_out(table: Table, seat: int, zone: str, action: str) -> bool:
    """Whether the pile burns."""
    verb, *words = action.split(" ")
    if verb == "pickup":
        table.said.append(f"{seat} pickup {len(table.pile)}")
        take_pile(table, seat)
        return False
    if verb == "flip":
        card = table.hidden[seat][int(words[0])]
        assert card is not None
        table.hidden[seat][int(words[0])] = None
        if not fits(table, card[0]):
            table.said.append(f"{seat} flip {words[0]} {card} fail")
            table.hands[seat].append(card)
            table.seen[seat].append(card)
            take_pile(table, seat)
            return False
        table.said.append(f"{seat} flip {words[0]} {card} ok")
        return resolve(table, seat, [card])
    cards = canonical(words)
    table.said.append(f"{seat} play {' '.join(cards)}")
    for card in cards:
        (table.hands if zone == "hand" else table.open)[seat].remove(card)
        if card in table.seen[seat]:
            table.seen[seat].remove(card)
    return resolve(table, seat, cards)


def take_pile(table: Table, seat: int) -> None:
    table.hands[seat] += table.pile
    table.seen[seat] += table.pile
    table.pile = []


def resolve(table: Table, seat: int, cards: list[str]) -> bool:
    """Whether the pile burns."""
    table.pile += cards
    top_four = [card[0] for card in table.pile[-4:]]
    burns = cards[0][0] == "T" or (len(top_four) == 4 and len(set(top_four)) == 1)
    if burns:
        table.burnt += table.pile
        table.pile = []
        table.said.append("burn")
    drawn = 0
    while len(table.hands[seat]) < 3 and table.stock != []:
        table.hands[seat].append(table.stock.pop(0))
        drawn += 1
    if drawn > 0:
        table.said.append(f"{seat} draw {drawn}")
    if cards_left(table, seat) == 0:
        table.out.append(seat)
        table.said.append(f"{seat} out {len(table.out)}")
    return burns


def cards_left(table: Table, seat: int) -> int:
    blind = [card for card in table.hidden[seat] if card is not None]
    return len(table.hands[seat]) + len(table.open[seat]) + len(blind)


def round_places(table: Table) -> list[float]:
    """Who is out in that order, then by cards left; equal counts share the places they fill."""
    groups = [[seat] for seat in table.out]
    others = [seat for seat in range(table.players) if seat not in table.out]
    counts = sorted({cards_left(table, seat) for seat in others})
    groups += [[seat for seat in others if cards_left(table, seat) == count] for count in counts]
    return places_of(groups)


def scores(table: Table) -> list[float]:
    return table.totals


def places(table: Table) -> list[float]:
    sums = sorted(set(table.totals))
    return places_of(
        [[seat for seat in range(table.players) if table.totals[seat] == wanted] for wanted in sums]
    )


def places_of(groups: list[list[int]]) -> list[float]:
    places = {}
    next_place = 1
    for group in groups:
        filled = range(next_place, next_place + len(group))
        for seat in group:
            places[seat] = sum(filled) / len(filled)
        next_place += len(group)
    return [places[seat] for seat in sorted(places)]
