"""Imperial: what lies in the hands is counted, then twelve tricks are played; 120 points win.

P1..P29 are the rulings of `docs/games/imperial.md`.

            deal(deck): hands, imperials, honours (P3 to P13)
    phase deal ------------------------------------------------> phase play, 12 tricks (P14 to P19)
         ^                       |                                   |
         |                       | target reached (P22)              | last trick: all is booked (P20)
         |                       v                                   v
         |                   phase over <---- target or deal cap ----+
         +---------------------------- nobody there yet -------------+

A trick is a list of (seat, card).
"""

from collections.abc import Iterable, Mapping, Sequence
from copy import deepcopy
from dataclasses import asdict, dataclass, field
from math import comb
from random import Random
from typing import Any, Final, Literal, Self, TypeVar

from arena.games.base import Game, IllegalAction, average_ranks, each_for_himself, parse_options, quoted
from arena.games.cards import (
    ACE,
    ANY,
    CARDS,
    FULL_DECK,
    JACK,
    KING,
    NAMES,
    NINE,
    QUEEN,
    RANK_MASKS,
    RANKS,
    SEVEN,
    SIX,
    SUITS,
    cards_in,
    mask,
    names,
    parse,
)

Phase = Literal["deal", "play", "over"]

POINTS: Final = 4
"""For the most honours (P11), and for each trick above par (P20)."""

IMPERIAL_POINTS: Final = 24
"""Twice that for trumps (P7, P8)."""

HAND: Final = 12

DECKS: Final = {2: [*range(4 * SEVEN, 52)], 3: [*range(4 * SIX, 52)]}
"""By player count, in canonical order (P1)."""

ORDERS: Final = {
    players: tuple(
        tuple((dealer + step) % players for step in range(1, players + 1)) for dealer in range(players)
    )
    for players in DECKS
}
"""By player count and dealer: the seats in the order of the deal, elder first, the dealer last (P3, P9)."""

STRENGTH: Final = "6789TAJQK"
"""From low to high: the ace stands below the jack (P2)."""

SUIT_MASKS: Final = tuple(mask(range(suit, 52, 4)) for suit in range(4))


def _beaten_by(card: int, trump: int) -> int:
    """Cards that win over a card on the table when they follow it (P19)."""
    higher = STRENGTH[STRENGTH.find(RANKS[card >> 2]) + 1 :]
    trumps = SUIT_MASKS[trump] if card & 3 != trump else 0
    return mask([CARDS[rank + SUITS[card & 3]] for rank in higher]) | trumps


BEATEN_BY: Final = tuple(tuple(_beaten_by(card, trump) for card in FULL_DECK) for trump in range(4))
"""By trump suit and card."""

HONOURS: Final = sum(RANK_MASKS[rank] for rank in (KING, QUEEN, JACK, ACE, SEVEN, SIX))
"""P10; sixes are only in the deck of three players."""
IMPERIALS: Final = tuple(mask([rank * 4 + suit for rank in (KING, QUEEN, JACK, ACE)]) for suit in range(4))

PLAYS: Final = tuple("play " + NAMES[card] for card in FULL_DECK)
CARD_PLAYED: Final = {action: card for card, action in enumerate(PLAYS)}
PLAY_EVENTS: Final = tuple(tuple(f"{seat} {action}" for action in PLAYS) for seat in range(3))
TRICK_EVENTS: Final = tuple(f"{seat} wins_trick" for seat in range(3))

NO_DEAL: Final = "no deal agrees with this view"

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Options:
    """What can be agreed before a match."""

    target_imperials: int = field(default=5, metadata={"range": (1, 50)})
    """The match is won with 24 times as many points (P27)."""
    max_deals: int = field(default=100, metadata={"range": (1, 1000)})
    """P28."""


def _deck(_options: Options, players: int) -> list[int]:
    """32 cards from the sevens for two, 36 from the sixes for three (P1)."""
    return DECKS[players].copy()


LOW_RANKS: Final = sum(RANK_MASKS[SIX:NINE])
MIDDLE_RANKS: Final = sum(RANK_MASKS[NINE:QUEEN])
HIGH_RANKS: Final = sum(RANK_MASKS[QUEEN:])


class _Plays(dict[int, list[str]]):
    """By mask: actions, in canonical order. Remembers all that it is asked for.

    Asked for cards of one suit, or of three ranks, it stays small; hands hardly ever come back.
    """

    def __missing__(self, cards: int) -> list[str]:
        self[cards] = [PLAYS[card] for card in cards_in(cards)]
        return self[cards]


PLAYS_OF: Final = _Plays()


class Imperial:
    """One match. Hidden from the seats: `hands` but for `shown`, and `talon`."""

    __slots__ = (
        "bound",
        "capped",
        "deal_number",
        "dealer",
        "hands",
        "honour_to",
        "honours",
        "imperials",
        "last_deal",
        "leader",
        "options",
        "phase",
        "played",
        "players",
        "points",
        "revoked",
        "revokes",
        "seat",
        "shown",
        "talon",
        "target",
        "trick",
        "trump",
        "turned",
        "winner",
        "won",
    )

    def __init__(self, options: Options, players: int, dealer: int) -> None:
        self.options = options
        self.players = players
        self.target = IMPERIAL_POINTS * options.target_imperials
        self.dealer = dealer
        self.deal_number = 0
        self.phase: Phase = "deal"
        self.points: tuple[int, ...] = (0,) * players
        self.revokes: tuple[int, ...] = (0,) * players
        self.winner: int | None = None
        self.capped = False
        self.last_deal: dict[str, Any] | None = None
        """Breakdown of the finished deal; made anew each time and never changed, so clones may share it."""
        self._clear()

    def _clear(self) -> None:
        """Forget the deal before."""
        none = (0,) * self.players
        self.hands = list(none)
        self.talon: tuple[int, ...] = ()
        self.trump: int | None = None
        self.turned: int | None = None
        self.shown = 0
        self.imperials: tuple[tuple[int, ...], ...] = ((),) * self.players
        self.honours: tuple[int, ...] | None = None
        self.honour_to: int | None = None
        self.revoked: tuple[bool, ...] = (False,) * self.players
        self.seat: int | None = None
        self.bound = 0
        """Cards of the suit that the seat to act must play; 0 when any card goes."""
        self.leader: int | None = None
        self.trick: list[tuple[int, int]] = []
        self.won = list(none)
        self.played: list[tuple[int, int]] = []

    def over(self) -> bool:
        """Whether the match has ended."""
        return self.phase == "over"

    def to_act(self) -> int | None:
        """Seat to play a card; None between deals and when over."""
        return self.seat

    def deal(self, deck: list[int]) -> list[str]:
        """Deal by twos (P3) and count what is counted before the first lead (P9)."""
        assert self.phase == "deal", f"phase {self.phase}; a deck is dealt in phase deal"
        assert sorted(deck) == DECKS[self.players], f"not the deck of {self.players} players"
        self._clear()
        self.deal_number += 1
        dealt = HAND * self.players
        step = 2 * self.players
        for first, seat in zip(range(0, step, 2), self._from_elder(), strict=True):
            self.hands[seat] = mask(deck[first:dealt:step] + deck[first + 1 : dealt : step])
        self.turned = deck[dealt] if self.players == 2 else deck[-1]
        self.talon = tuple(deck[dealt + 1 :])
        return self._open()

    def legal(self) -> list[str]:
        """Cards that may be played without a revoke, in canonical order (P14 to P18)."""
        if self.seat is None:
            return []
        if self.bound:
            return PLAYS_OF[self.bound].copy()
        hand = self.hands[self.seat]
        return PLAYS_OF[hand & LOW_RANKS] + PLAYS_OF[hand & MIDDLE_RANKS] + PLAYS_OF[hand & HIGH_RANKS]

    def is_legal(self, action: object) -> bool:
        """Say whether the action plays a card of the hand: a revoke is taken too (P25)."""
        card = _played(action)
        return card is not None and self.seat is not None and self.hands[self.seat] >> card & 1 == 1

    def play(self, action: str) -> list[str]:
        """Play a card; a revoke plays the fallback in its place (P25)."""
        seat, card, trick = self.seat, _played(action), self.trick
        if seat is None or card is None or not self.hands[seat] >> card & 1:
            raise IllegalAction(self._refusal(action))
        events: list[str] = []
        if self.bound and not self.bound >> card & 1:
            card = self._revoke(seat, card, events)
        self.hands[seat] ^= 1 << card
        trick.append((seat, card))
        events.append(PLAY_EVENTS[seat][card])
        if len(trick) < self.players:
            self.seat = (seat + 1) % self.players
            self.bound = self._bound(self.seat, trick[0][1])
        else:
            self._finish_trick(events)
        return events

    def fallback(self) -> str:
        """First legal card in canonical order."""
        return self.legal()[0]

    def places(self) -> tuple[float, ...]:
        """Winner first, the others by points, equal points share (P24, P28)."""
        assert self.over()
        return average_ranks([(seat != self.winner, -points) for seat, points in enumerate(self.points)])

    def scores(self) -> tuple[int, ...]:
        """Game points by seat."""
        return self.points

    def _from_elder(self) -> tuple[int, ...]:
        return ORDERS[self.players][self.dealer]

    def _open(self) -> list[str]:
        """Count imperials, then honours; whoever reaches the target wins at once (P9, P22, P23)."""
        assert self.turned is not None
        self.trump = self.turned & 3
        if self.players == 3:
            self.shown = self.hands[self.dealer] & 1 << self.turned
        events = [f"deal {self.deal_number} trump {SUITS[self.trump]} turned {NAMES[self.turned]}"]
        self._show_imperials(events)
        if self.winner is None:
            self._announce_honours(events)
        if self.winner is None:
            self.phase = "play"
            self.seat = self.leader = self._from_elder()[0]
        return events

    def _show_imperials(self, events: list[str]) -> None:
        """P6 to P9: elder first; the target is tested after each player."""
        for seat in self._from_elder():
            missing = ~self.hands[seat]
            suits = tuple([suit for suit, imperial in enumerate(IMPERIALS) if not imperial & missing])
            if not suits:
                continue
            for suit in suits:
                self.shown |= IMPERIALS[suit]
                events.append(f"{seat} imperial {SUITS[suit]} {self._worth((suit,))}")
            self.imperials = _with(self.imperials, seat, suits)
            self._book(seat, self._worth(suits), events)
            if self.winner is not None:
                return

    def _worth(self, suits: Sequence[int]) -> int:
        """Points for imperials of these suits (P7, P8)."""
        return IMPERIAL_POINTS * (len(suits) + (self.trump in suits))

    def _announce_honours(self, events: list[str]) -> None:
        """P10 to P13: all counts are public; four points for the one who has the most."""
        self.honours = tuple([(hand & HONOURS).bit_count() for hand in self.hands])
        events += [f"{seat} honours {self.honours[seat]}" for seat in self._from_elder()]
        most = max(self.honours)
        if self.honours.count(most) == 1:
            self.honour_to = self.honours.index(most)
            events.append(f"{self.honour_to} honour_points {POINTS}")
            self._book(self.honour_to, POINTS, events)

    def _book(self, seat: int, points: int, events: list[str]) -> None:
        """Write points down before the first lead, where the first to reach the target wins (P22)."""
        self.points = _with(self.points, seat, self.points[seat] + points)
        if self.points[seat] >= self.target:
            self._end_deal((0,) * self.players)
            self._win(seat, events)

    def _bound(self, seat: int, led: int) -> int:
        """Cards of the suit that a seat must play when a card was led; 0 when any goes (P16, P17)."""
        assert self.trump is not None
        hand = self.hands[seat]
        return hand & SUIT_MASKS[led & 3] or hand & SUIT_MASKS[self.trump]

    def _revoke(self, seat: int, attempted: int, events: list[str]) -> int:
        """Card that is played instead; the seat is marked, and all have seen the attempted one (P25)."""
        played = cards_in(self.bound)[0]
        self.revoked = _with(self.revoked, seat, value=True)
        self.revokes = _with(self.revokes, seat, self.revokes[seat] + 1)
        self.shown |= 1 << attempted
        events.append(f"{seat} revoke attempted {NAMES[attempted]} played {NAMES[played]}")
        return played

    def _finish_trick(self, events: list[str]) -> None:
        """Give the trick to the highest trump, else to the highest card of the suit led (P19)."""
        assert self.trump is not None
        trick, beaten_by = self.trick, BEATEN_BY[self.trump]
        winner, best = trick[0]
        for seat, card in trick:
            if beaten_by[best] >> card & 1:
                winner, best = seat, card
        self.won[winner] += 1
        self.played += trick
        trick.clear()
        self.bound = 0
        self.seat = self.leader = winner
        events.append(TRICK_EVENTS[winner])
        if not self.hands[winner] and not any(self.hands):
            self._score_tricks(events)

    def _score_tricks(self, events: list[str]) -> None:
        """Book all trick points at once, then see who has won (P20, P24 to P28)."""
        par = HAND // self.players
        tricks = tuple(
            [
                0 if lost else POINTS * max(0, won - par)
                for won, lost in zip(self.won, self.revoked, strict=True)
            ]
        )
        self.points = tuple([sum(pair) for pair in zip(self.points, tricks, strict=True)])
        events += [f"{seat} trick_points {points}" for seat, points in enumerate(tricks)]
        self._end_deal(tricks)
        reached = [seat for seat in self._from_elder() if self.points[seat] >= self.target]
        if reached:
            self._win(max(reached, key=self.points.__getitem__), events)
        elif self.deal_number >= self.options.max_deals:
            self.phase = "over"
            self.capped = True
        else:
            self.dealer = (self.dealer + 1) % self.players

    def _end_deal(self, trick_points: tuple[int, ...]) -> None:
        """Leave the deal and keep its breakdown."""
        self.phase = "deal"
        self.seat = None
        self.last_deal = {
            "deal": self.deal_number,
            "dealer": self.dealer,
            "imperial_points": [self._worth(suits) for suits in self.imperials],
            "honour_points": [POINTS * (seat == self.honour_to) for seat in range(self.players)],
            "won": self.won.copy(),
            "revoked": list(self.revoked),
            "trick_points": list(trick_points),
            "scores": list(self.points),
        }

    def _win(self, seat: int, events: list[str]) -> None:
        self.phase = "over"
        self.winner = seat
        events.append(f"{seat} wins")

    def _refusal(self, action: str) -> str:
        if self.seat is None:
            return f"{quoted(action)}, but nobody is to act in phase {self.phase}"
        return f"{quoted(action)} plays no card of seat {self.seat}; expected {', '.join(self.legal())}"

    # Copies, positions, views

    def clone(self) -> Self:
        """Copy that shares nothing mutable."""
        twin = object.__new__(type(self))
        twin.options = self.options
        twin.players = self.players
        twin.target = self.target
        twin.dealer = self.dealer
        twin.deal_number = self.deal_number
        twin.phase = self.phase
        twin.points = self.points
        twin.revokes = self.revokes
        twin.winner = self.winner
        twin.capped = self.capped
        twin.last_deal = self.last_deal
        twin.hands = self.hands.copy()
        twin.talon = self.talon
        twin.trump = self.trump
        twin.turned = self.turned
        twin.shown = self.shown
        twin.imperials = self.imperials
        twin.honours = self.honours
        twin.honour_to = self.honour_to
        twin.revoked = self.revoked
        twin.seat = self.seat
        twin.bound = self.bound
        twin.leader = self.leader
        twin.trick = self.trick.copy()
        twin.won = self.won.copy()
        twin.played = self.played.copy()
        return twin

    def position(self) -> dict[str, Any]:
        """Whole truth as JSON values."""
        shared = self.view(0)
        for key in ("seat", "hand", "hand_counts", "target"):
            del shared[key]
        return shared | {
            "options": asdict(self.options),
            "phase": self.phase,
            "to_act": self.seat,
            "hands": [list(names(hand)) for hand in self.hands],
            "talon": [NAMES[card] for card in self.talon],
            "winner": self.winner,
            "capped": self.capped,
            "last_deal": self.last_deal and deepcopy(self.last_deal),
        }

    def view(self, seat: int) -> dict[str, Any]:
        """Own hand and what is public, the cards that lie open to all as `known`."""
        return {
            "game": "imperial",
            "players": self.players,
            "seat": seat,
            "dealer": self.dealer,
            "deal": self.deal_number,
            "trump": None if self.trump is None else SUITS[self.trump],
            "turned": None if self.turned is None else NAMES[self.turned],
            "hand": list(names(self.hands[seat])),
            "hand_counts": [hand.bit_count() for hand in self.hands],
            "known": [list(names(hand & self.shown)) for hand in self.hands],
            "trick": [[player, NAMES[card]] for player, card in self.trick],
            "leader": self.leader,
            "won": self.won.copy(),
            "played": [[player, NAMES[card]] for player, card in self.played],
            "imperials": [[SUITS[suit] for suit in suits] for suits in self.imperials],
            "honours": None if self.honours is None else list(self.honours),
            "honour_to": self.honour_to,
            "scores": list(self.points),
            "target": self.target,
            "revoked": list(self.revoked),
            "revokes": list(self.revokes),
        }

    @classmethod
    def from_position(cls, position: Mapping[str, Any]) -> Self:
        """Inverse of `position`; what is not named is empty, 0 or out of play.

        Without "phase" it enters in the middle of the play where "to_act" is given, else before the first
        lead (P9) with the hands and "turned". Raises ValueError for what cannot be.
        """
        options = parse_options(Options, position.get("options", {}))
        state = cls(options, position["players"], position.get("dealer", 0))
        state._place(position)
        if "phase" in position or "to_act" in position:
            state._resume(position)
        else:
            state._open()
        return state

    def _place(self, position: Mapping[str, Any]) -> None:
        """Take over what a deal begins with."""
        self.deal_number = position.get("deal", 1)
        self.points = tuple(position.get("scores", self.points))
        self.revokes = tuple(position.get("revokes", self.revokes))
        self.hands = [_mask(hand) for hand in position["hands"]]
        self.talon = tuple(map(parse, position.get("talon", ())))
        self.turned = _card(position.get("turned"))
        self.trick = _pairs(position.get("trick", ()))
        self.played = _pairs(position.get("played", ()))
        places = [*map(cards_in, self.hands), self.talon, [card for _, card in self.trick + self.played]]
        cards = [card for place in places for card in place]
        if len(cards) != len(set(cards)) or not set(cards).issubset(DECKS[self.players]):
            raise ValueError(f"a card stands in two places, or is not in the deck of {self.players} players")

    def _resume(self, position: Mapping[str, Any]) -> None:
        """Take over what has happened since the deal was opened."""
        self.phase = position.get("phase", "play")
        self.seat = position["to_act"]
        self.leader = position.get("leader", self.trick[0][0] if self.trick else self.seat)
        self.trump = _suit(position.get("trump"))
        self.won = list(position.get("won", self.won))
        if self.trick and self.seat is not None:
            self.bound = self._bound(self.seat, self.trick[0][1])
        self.shown = sum(map(_mask, position.get("known", ())))
        self.imperials = _suits(position.get("imperials", [[]] * self.players))
        honours = position.get("honours")
        self.honours = None if honours is None else tuple(honours)
        self.honour_to = position.get("honour_to")
        self.revoked = tuple(position.get("revoked", self.revoked))
        self.winner = position.get("winner")
        self.capped = position.get("capped", False)
        self.last_deal = deepcopy(position.get("last_deal"))

    @classmethod
    def from_view(cls, view: Mapping[str, Any], rng: Random) -> Self:
        """A state that agrees with a view and with all that public play tells, each such deal equally likely.

        Kept are the open cards (`known`), the suits in which a seat showed itself void, the announced
        honours, and that nobody has an imperial he did not show. Raises ValueError when no deal agrees.
        A view does not tell `max_deals`; a caller that needs it adds the "options" of the match to the view.
        """
        options = {**view.get("options", {}), "target_imperials": view["target"] // IMPERIAL_POINTS}
        unseen = _Unseen(view)
        hands = unseen.deal(rng)
        talon = cards_in(unseen.pool & ~sum(hands)) if view["turned"] else []
        rng.shuffle(talon)
        guessed = {
            "options": options,
            "hands": [names(hand) for hand in hands],
            "talon": [NAMES[card] for card in talon],
        }
        return cls.from_position(
            {**view, **guessed, **_phase(view, parse_options(Options, options).max_deals)}
        )


def _phase(view: Mapping[str, Any], max_deals: int) -> dict[str, Any]:
    """Where a match stands, which a view does not say in so many words."""
    players, scores = view["players"], view["scores"]
    if max(scores) >= view["target"]:
        order = ORDERS[players][view["dealer"]]
        return {"phase": "over", "to_act": None, "winner": max(order, key=scores.__getitem__)}
    if any(view["hand_counts"]):
        return {"phase": "play", "to_act": (view["leader"] + len(view["trick"])) % players}
    capped = view["deal"] >= max_deals
    return {"phase": "over" if capped else "deal", "to_act": None, "capped": capped}


class _Unseen:
    """The cards a seat cannot see, and what it knows about who may hold them."""

    __slots__ = ("gone", "hands", "imperials", "kinds", "opened", "others", "pool", "void")

    def __init__(self, view: Mapping[str, Any]) -> None:
        players, seat = view["players"], view["seat"]
        plays = _pairs([*view["played"], *view["trick"]])
        turned = _card(view["turned"])
        self.others = [other for other in range(players) if other != seat]
        self.gone = [mask([card for player, card in plays if player == other]) for other in range(players)]
        self.hands = [_mask(cards) for cards in view["known"]]
        self.hands[seat] = _mask(view["hand"])
        self.pool = mask(DECKS[players])
        for seen in (*self.gone, *self.hands, 0 if turned is None else 1 << turned):
            self.pool &= ~seen
        self.void = _voids(plays, players, _suit(view["trump"]))
        self.imperials = _suits(view["imperials"])
        self.opened = view["honours"] is not None
        self.kinds = self._kinds(view["hand_counts"], view["honours"])

    def _kinds(self, counts: Sequence[int], honours: Sequence[int] | None) -> list[tuple[int, list[int]]]:
        """Unseen cards, those of a kind together, with the number the others hold of them."""
        missing = [counts[seat] - self.hands[seat].bit_count() for seat in self.others]
        if honours is None:
            return [(self.pool, missing)]
        high = [
            honours[seat] - ((self.gone[seat] | self.hands[seat]) & HONOURS).bit_count()
            for seat in self.others
        ]
        low = [both - one for both, one in zip(missing, high, strict=True)]
        return [(self.pool & HONOURS, high), (self.pool & ~HONOURS, low)]

    def deal(self, rng: Random) -> list[int]:
        """Hands of all seats; of hopeless guesses in a row, thousands only happen when no deal agrees."""
        for _ in range(10_000):
            hands = self.guess(rng)
            if self.agrees(hands):
                return hands
        raise ValueError(NO_DEAL)

    def guess(self, rng: Random) -> list[int]:
        """Hands in which all is as it is known, but for imperials that should have been shown."""
        hands = self.hands.copy()
        void = [self.void[seat] for seat in self.others]
        for cards, wanted in self.kinds:
            for seat, dealt in zip(self.others, _share(cards, wanted, void, rng), strict=True):
                hands[seat] |= dealt
        return hands

    def agrees(self, hands: Sequence[int]) -> bool:
        """Whether nobody was dealt an imperial that he did not show before the honours (P6, P9)."""
        return not self.opened or not any(
            (hands[seat] | self.gone[seat]) & imperial == imperial and suit not in self.imperials[seat]
            for seat in self.others
            for suit, imperial in enumerate(IMPERIALS)
        )


def _share(cards: int, wanted: Sequence[int], void: Sequence[int], rng: Random) -> list[int]:
    """Share cards out to one or two seats, each way equally likely; what is left stays out of play."""
    one, two = (*wanted, 0)[:2]
    not_one, not_two = (*void, ANY)[:2]
    only_one = cards_in(cards & ~not_one & not_two)
    only_two = cards_in(cards & ~not_two & not_one)
    free = cards_in(cards & ~not_one & ~not_two)
    ways = {
        (i, j): comb(len(only_one), i)
        * comb(len(only_two), j)
        * comb(len(free), one - i)
        * comb(left, two - j)
        for i in range(max(0, one - len(free)), min(one, len(only_one)) + 1)
        for left in (len(free) - one + i,)
        for j in range(max(0, two - left), min(two, len(only_two)) + 1)
    }
    if not ways:
        raise ValueError(NO_DEAL)
    i, j = rng.choices(list(ways), weights=list(ways.values()))[0]
    dealt = rng.sample(free, one - i + two - j)
    hands = [rng.sample(only_one, i) + dealt[: one - i], rng.sample(only_two, j) + dealt[one - i :]]
    return [mask(hand) for hand in hands[: len(wanted)]]


def _voids(plays: Sequence[tuple[int, int]], players: int, trump: int | None) -> list[int]:
    """By seat: the cards of suits it cannot hold, since it played another in their place (P16, P17)."""
    void = [0] * players
    for start in range(0, len(plays), players):
        led = plays[start][1] & 3
        for seat, card in plays[start + 1 : start + players]:
            if card & 3 != led:
                void[seat] |= SUIT_MASKS[led]
                if trump is not None and card & 3 != trump:
                    void[seat] |= SUIT_MASKS[trump]
    return void


def _with(values: tuple[T, ...], seat: int, value: T) -> tuple[T, ...]:
    """Copy with one entry replaced."""
    return (*values[:seat], value, *values[seat + 1 :])


def _mask(cards: Iterable[str]) -> int:
    return mask(map(parse, cards))


def _played(action: object) -> int | None:
    return CARD_PLAYED.get(action) if isinstance(action, str) else None


def _suit(name: str | None) -> int | None:
    return None if name is None else SUITS.index(name)


def _card(name: str | None) -> int | None:
    return None if name is None else parse(name)


def _suits(by_seat: Iterable[Iterable[str]]) -> tuple[tuple[int, ...], ...]:
    return tuple([tuple(map(SUITS.index, suits)) for suits in by_seat])


def _pairs(pairs: Iterable[Sequence[Any]]) -> list[tuple[int, int]]:
    return [(seat, parse(card)) for seat, card in pairs]


GAME: Final = Game(
    name="imperial",
    players=(2, 3),
    options=Options,
    sides=each_for_himself,
    deck=_deck,
    new=Imperial,
    from_position=Imperial.from_position,
    from_view=Imperial.from_view,
)
