"""Imperial told as a story: one generator that follows the rules page from top to bottom, with cards as text.

It shares nothing with the engine and is slow on purpose; `lockstep` plays both side by side.
"""

from collections.abc import Generator
from dataclasses import dataclass, field

HIGH_TO_LOW = ["K", "Q", "J", "A", "T", "9", "8", "7", "6"]
SORTED = ["6", "7", "8", "9", "T", "J", "Q", "K", "A"]
SUITS = ["c", "d", "h", "s"]


@dataclass
class Deck:
    """The story wants the next deck."""


@dataclass
class Card:
    """The story wants a card of a seat."""

    seat: int
    legal: list[str]


@dataclass
class Score:
    """What is written on the paper, and what has been said aloud."""

    points: list[int]
    dealer: int
    deal: int = 0
    said: list[str] = field(default_factory=list)
    hands: list[list[str]] = field(default_factory=list)
    tricks: list[int] = field(default_factory=list)
    revoked: list[bool] = field(default_factory=list)
    winner: int | None = None
    finished: bool = False


Story = Generator[Deck | Card, list[str] | str, None]


def canonical(cards: list[str]) -> list[str]:
    return sorted(cards, key=lambda card: (SORTED.index(card[0]), SUITS.index(card[1])))


def match(score: Score, *, players: int, target: int, max_deals: int) -> Story:
    """Deals until somebody has won or the cap is reached."""
    while score.winner is None and score.deal < max_deals:
        if score.deal > 0:
            score.dealer = left_of(score.dealer, players)
        yield from one_deal(score, players, target)
    score.finished = True


def one_deal(score: Score, players: int, target: int) -> Story:
    order = [left_of(score.dealer, players)]
    while len(order) < players:
        order.append(left_of(order[-1], players))
    deck = yield Deck()
    assert isinstance(deck, list)
    score.deal += 1
    trump = give_cards(score, deck, order)
    if not show_imperials(score, order, trump, target) and not count_honours(score, order, target):
        yield from twelve_tricks(score, order[0], trump, players)
        book_tricks(score, order, target)


def left_of(seat: int, players: int) -> int:
    return seat + 1 if seat + 1 < players else 0


def give_cards(score: Score, deck: list[str], order: list[int]) -> str:
    """Two at a time, six times round; gives the trump suit."""
    pile = list(deck)
    score.hands = [[] for _ in order]
    score.tricks = [0 for _ in order]
    score.revoked = [False for _ in order]
    for _ in range(6):
        for seat in order:
            score.hands[seat].append(pile.pop(0))
            score.hands[seat].append(pile.pop(0))
    turned = pile[0] if len(order) == 2 else score.hands[order[-1]][-1]
    score.said.append(f"deal {score.deal} trump {turned[1]} turned {turned}")
    return turned[1]


def show_imperials(score: Score, order: list[int], trump: str, target: int) -> bool:
    for seat in order:
        for suit in SUITS:
            if all(rank + suit in score.hands[seat] for rank in ["K", "Q", "J", "A"]):
                worth = 48 if suit == trump else 24
                score.said.append(f"{seat} imperial {suit} {worth}")
                score.points[seat] += worth
        if has_won(score, seat, target):
            return True
    return False


def count_honours(score: Score, order: list[int], target: int) -> bool:
    counts = {}
    for seat in order:
        counts[seat] = len([card for card in score.hands[seat] if card[0] in "KQJA76"])
        score.said.append(f"{seat} honours {counts[seat]}")
    for seat in order:
        if all(counts[seat] > counts[other] for other in order if other != seat):
            score.said.append(f"{seat} honour_points 4")
            score.points[seat] += 4
            return has_won(score, seat, target)
    return False


def has_won(score: Score, seat: int, target: int) -> bool:
    if score.points[seat] >= target:
        score.winner = seat
        score.said.append(f"{seat} wins")
        return True
    return False


def twelve_tricks(score: Score, leader: int, trump: str, players: int) -> Story:
    for _ in range(12):
        on_table: list[str] = []
        seats: list[int] = []
        seat = leader
        while len(on_table) < players:
            legal = allowed(score.hands[seat], on_table, trump)
            answer = yield Card(seat, [f"play {card}" for card in legal])
            assert isinstance(answer, str)
            card = answer.removeprefix("play ")
            assert card in score.hands[seat]
            if card not in legal:
                score.revoked[seat] = True
                score.said.append(f"{seat} revoke attempted {card} played {legal[0]}")
                card = legal[0]
            score.said.append(f"{seat} play {card}")
            score.hands[seat].remove(card)
            on_table.append(card)
            seats.append(seat)
            seat = left_of(seat, players)
        leader = seats[on_table.index(best_card(on_table, trump))]
        score.tricks[leader] += 1
        score.said.append(f"{leader} wins_trick")


def allowed(hand: list[str], on_table: list[str], trump: str) -> list[str]:
    if on_table == []:
        return canonical(hand)
    for suit in [on_table[0][1], trump]:
        of_suit = [card for card in hand if card[1] == suit]
        if of_suit != []:
            return canonical(of_suit)
    return canonical(hand)


def best_card(on_table: list[str], trump: str) -> str:
    for suit in [trump, on_table[0][1]]:
        for rank in HIGH_TO_LOW:
            if rank + suit in on_table:
                return rank + suit
    raise AssertionError(on_table)


def book_tricks(score: Score, order: list[int], target: int) -> None:
    free = {2: 6, 3: 4}[len(order)]
    for seat in sorted(order):
        worth = 4 * (score.tricks[seat] - free)
        if worth < 0 or score.revoked[seat]:
            worth = 0
        score.points[seat] += worth
        score.said.append(f"{seat} trick_points {worth}")
    highest = max(score.points)
    if highest >= target:
        first = next(seat for seat in order if score.points[seat] == highest)
        assert has_won(score, first, target)


def places(score: Score) -> list[float]:
    """Winner first, the rest by points, equal points share the places they fill."""
    groups: list[list[int]] = []
    if score.winner is not None:
        groups.append([score.winner])
    others = [seat for seat in range(len(score.points)) if seat != score.winner]
    totals = sorted({score.points[seat] for seat in others}, reverse=True)
    groups += [[seat for seat in others if score.points[seat] == points] for points in totals]
    result = [0.0] * len(score.points)
    next_place = 1
    for group in groups:
        filled = range(next_place, next_place + len(group))
        for seat in group:
            result[seat] = sum(filled) / len(filled)
        next_place += len(group)
    return result
