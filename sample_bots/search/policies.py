"""Quick policies for the playouts, and what the state in which a playout ends is worth to a side.

In a playout all cards lie open, so a policy may look at them. It is asked for every action of every playout:
of two policies the quicker often makes the better bot, since it leaves time for more playouts.
"""

from collections.abc import Callable
from functools import cache

from arena.games.base import State
from arena.games.cards import CARDS, FULL_DECK, JOKER, RANK_MASKS, RANKS
from arena.games.idiot import Idiot
from arena.games.imp import Imp
from arena.games.imperial import BEATEN_BY, CARD_PLAYED, PLAYS, STRENGTH, SUIT_MASKS, Imperial
from arena.games.mpirimpa import NO_PACKET, Mpirimpa
from arena.games.mpirimpa_melds import BONUS, MPIRIMPA, POINTS, Meld, points_in

# Idiot and IMP


def without_suits(action: str) -> str:
    """What matters of an action when cards are shed."""
    verb, *named = action.split()
    return verb if verb == "flip" else " ".join([verb, *sorted(name[0] for name in named)])


def cheapest_first(low: str, high: str) -> Callable[[State], str]:
    """Shed the ranks in this order, of low ones all cards, of high ones one; lay the last ones open."""
    cost = {rank: number for number, rank in enumerate(low + high)}

    @cache
    def price(action: str) -> float:
        verb, *named = action.split()
        if verb == "open":
            return -sum(cost[card[0]] for card in named)
        if verb == "play":
            return cost[named[0][0]] + (len(named) if named[0][0] in high else -len(named)) / 8
        return {"quad": 0, "pass": 1, "flip": 0, "pickup": 100}[verb]

    return lambda state: min(state.legal(), key=price)


def cards_ahead(helpers: str) -> Callable[[Idiot | Imp, int], float]:
    """Share of the others who are beaten; as long as that is open, a guess from the cards that are left.

    Cards of the helping ranks count less, blind ones more: these are soon gone, those are slow to get rid of.
    """
    helping = sum(RANK_MASKS[RANKS.index(rank)] for rank in helpers)

    def left(state: Idiot | Imp, seat: int) -> float:
        cards = state.hands[seat] | state.open[seat]
        helped = (cards & helping).bit_count()
        return cards.bit_count() - 0.7 * helped + 2 * state.slots[seat].bit_count()

    def worth(state: Idiot | Imp, seat: int) -> float:
        if state.over():
            places = state.places()
            return (len(places) - places[seat]) / (len(places) - 1)
        own = left(state, seat)
        least = min(left(state, other) for other in range(state.players) if other != seat)
        return 0.5 + 0.4 * (least - own) / (least + own + 8)

    return worth


# Imperial

POWER = [
    [STRENGTH.find(RANKS[card >> 2]) + 10 * (card & 3 == trump) for card in FULL_DECK] for trump in range(4)
]
"""By trump suit and card: what it would be a pity to waste."""


def cheap_tricks(state: Imperial) -> str:
    """Lead what nobody can top, trumps first, or else the lowest; win as cheaply as possible, or throw it."""
    assert state.trump is not None
    cards = [CARD_PLAYED[action] for action in state.legal()]
    beaten_by, power = BEATEN_BY[state.trump], POWER[state.trump].__getitem__
    if state.trick:
        best = state.trick[0][1]
        for _, card in state.trick:
            best = card if beaten_by[best] >> card & 1 else best
        winning = [card for card in cards if beaten_by[best] >> card & 1]
        return PLAYS[min(winning or cards, key=power)]
    others = sum(hand for seat, hand in enumerate(state.hands) if seat != state.seat)
    sure = [card for card in cards if not beaten_by[card] & others & SUIT_MASKS[card & 3]]
    return PLAYS[max(sure, key=power) if sure else min(cards, key=power)]


def points_ahead(state: Imperial, seat: int) -> float:
    """Points after the deal above those of the best other seat; a match won is worth two imperials more."""
    scores = [*state.scores()]
    own = scores.pop(seat)
    won = 48 * (1 if state.winner == seat else -1) if state.over() else 0
    return own - max(scores) + won


# Mpirimpa

NEAR = [
    sum(1 << other for other in FULL_DECK if card != JOKER and (other - card) % 52 in (4, 8, 44, 48))
    for card in (*FULL_DECK, JOKER)
]
"""By card: those of its suit that could come to lie in a run next to it, or with one card between."""

FEW = 5
"""Cards in a hand below which, as with few turns to go, nothing is kept back for better melds."""


@cache
def read(action: str) -> tuple[str, int, int, int]:
    """Verb, number of the meld it adds to, number of cards, and how many of these can be wild."""
    verb, *words = action.split()
    meld = int(words.pop(0)) if verb == "add" else -1
    return verb, meld, len(words), sum(word == "Jk" or word[0] == "2" for word in words)


def lay_clean(state: Mpirimpa) -> str:
    """Take the pile if allowed; lay what has no wild card, the rest only late; discard a lonely high card."""
    legal = state.legal()
    if state.phase == "draw":
        return legal[-1]
    hand, own = state.hands[state.turn], state.melds[state.turn & 1]
    late = hand.bit_count() < FEW or len(state.stock) - state.drawn < 2 * FEW

    def gain(action: str) -> int:
        verb, meld, cards, wilds = read(action)
        if verb == "discard":
            card = CARDS[action.split()[1]]
            return -200 if wilds else POINTS[card] - 20 * (hand & NEAR[card]).bit_count() - 100
        size = cards + (own[meld].size if verb == "add" else 0)
        if not wilds:
            return 10 + size
        spoils = verb == "add" and own[meld].clean_mpirimpa
        return size if (late or size == MPIRIMPA) and not spoils else -1000

    return max(legal, key=gain)


def table_ahead(state: Mpirimpa, side: int) -> float:
    """Points of the match, with those in sight, above the other side's."""
    points = [scored + in_sight(state, number) for number, scored in enumerate(state.scores())]
    return points[side] - points[1 - side]


def in_sight(state: Mpirimpa, side: int) -> float:
    """What lies on the table and what it may become; held cards count half, for some will be laid."""
    if state.to_act() is None:
        return 0  # the round is scored
    melds = sum(meld.points + prospect(meld, state.trump) for meld in state.melds[side])
    held = sum(points_in(hand) / 2 + 3 * hand.bit_count() for hand in state.hands[side::2])
    return melds - held + (0 if state.taken[side] else NO_PACKET)


def prospect(meld: Meld, trump: int | None) -> float:
    """Bonus of a meld; of a shorter one, a part of what it would have with seven cards."""
    if meld.mpirimpa:
        return BONUS[meld.title(trump)]
    suffix = "_trump" if meld.suit is not None and meld.suit == trump else ""
    bonus = BONUS[("clean" if meld.wild is None else "dirty") + suffix]
    return bonus / 2 * (meld.size / MPIRIMPA) ** 2
