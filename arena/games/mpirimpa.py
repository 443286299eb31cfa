"""Mpirimpa (Buraco): runs on the table, two packets, and the pile for who can use it at once.

               deal(deck): M3, M4                                    emptied: packet (M24)
    phase deal ------------------> draw --draw, or take (casual)--> meld <-------+
        ^                          ^  |                             ^  | meld, add
        |                          |  +--take--> justify --meld, add+  +--------+
        |                          +--------------discard--------------+
        |                          |
        +---- the round ends: closed (M26), no stock (M32), or the cap of turns (M38) ----> over (M34, M35)

The numbers M1.. name the rulings of `docs/games/mpirimpa.md`. Hands are bags (see `mpirimpa_melds`).
"""

from collections.abc import Iterable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field, fields
from functools import lru_cache
from itertools import islice
from operator import attrgetter
from random import Random
from typing import Any, Final, Literal, NamedTuple, Self, get_args

from arena.games.base import Game, IllegalAction, average_ranks, parse_options, quoted
from arena.games.cards import (
    CARDS,
    FULL_DECK,
    JOKER,
    NAMES,
    RANKS,
    SUITS,
    cards_in,
    listed,
    parse,
    text_table,
)
from arena.games.mpirimpa_melds import (
    ACES,
    BONUS,
    ONCE,
    Meld,
    bag,
    bag_names,
    fitting,
    joint_adds,
    listed_cards,
    long_melds,
    meld_of,
    minus,
    plus,
    points_in,
    threes,
)

Phase = Literal["deal", "draw", "justify", "meld", "over"]

DECK: Final = (*FULL_DECK, *FULL_DECK, JOKER, JOKER)
"""Two packs and two jokers (M1)."""

HAND: Final = 11
"""Cards of a hand, and of a packet (M3)."""

CLOSING: Final = 100
"""For the side that closes (M26)."""

NO_PACKET: Final = -100
"""For a side that has not taken its packet (M31)."""

DISCARDS: Final = text_table(lambda cards: [f"discard {NAMES[card]}" for card in cards])

COUNTS: Final = {"draw": (0, 0), "take": (0, 0), "meld": (3, 13), "add": (1, 10), "discard": (1, 1)}
"""Cards that an action names, at least and at most (M8)."""

INDEXES: Final = {str(index): index for index in range(len(DECK) // 3)}

LONGEST_ACTION: Final = 60
"""Letters; no action that could be legal has more, and longer ones are not remembered."""

SIDES: Final = {2: ((0,), (1,)), 4: ((0, 2), (1, 3))}
"""By player count (M2)."""

GUESSES: Final = 200
"""Hands tried in `from_view` before one is built that can justify the pile it took."""


@dataclass(frozen=True, slots=True)
class Options:
    """What can be agreed before a match."""

    target: int = field(default=505, metadata={"range": (505, 5005)})
    """M34."""
    trump_suit: bool = True
    """Whether the first discard names a trump suit (M4)."""
    casual: bool = False
    """Sets, and the pile for the asking (M33)."""
    max_rounds: int = field(default=20, metadata={"range": (1, 1000)})
    """M35."""
    max_turns: int = field(default=400, metadata={"range": (1, 100_000)})
    """Of all seats together in one round (M38)."""


OPTIONS: Final = tuple(each.name for each in fields(Options))

_option_values: Final = attrgetter(*OPTIONS)


class Standing(NamedTuple):
    """Where a match stands after a round."""

    winner: int | None
    """Side; None for a draw and as long as the match is not finished."""
    finished: bool


def standing(totals: Sequence[int], *, rounds: int, options: Options, left: int | None = None) -> Standing:
    """Whether the match is won after so many rounds (M34, M35); a side that left has lost it (M36)."""
    ahead = None if totals[0] == totals[1] else int(totals[1] > totals[0])
    if left is not None:
        return Standing(1 - left, finished=True)
    won = ahead is not None and totals[ahead] >= options.target
    finished = won or rounds >= options.max_rounds
    return Standing(ahead if finished else None, finished)


class Move(NamedTuple):
    """An action, read."""

    verb: str
    meld: int
    """Which one of its own side an `add` is for."""
    cards: int
    """Bag."""
    text: str
    """As the events tell it: cards in canonical order."""


LAYING: Final = frozenset({"meld", "add"})

NO_MOVE: Final = Move("", 0, 0, "")


def _move(action: object) -> Move:
    return _read(action) if isinstance(action, str) and len(action) <= LONGEST_ACTION else NO_MOVE


@lru_cache(maxsize=1 << 14)
def _read(action: str) -> Move:
    """Read an action whose cards stand in any order; NO_MOVE when it is none in any position."""
    verb, *words = action.split(" ")
    meld = INDEXES.get(words.pop(0)) if verb == "add" and words else 0
    cards = [CARDS.get(word, -1) for word in words]
    least, most = COUNTS.get(verb, (1, 0))
    if meld is None or -1 in cards or not least <= len(cards) <= most:
        return NO_MOVE
    if any(cards.count(card) > 2 for card in cards):
        return NO_MOVE
    head = f"add {meld}" if verb == "add" else verb
    return Move(verb, meld, bag(cards), " ".join([head, *bag_names(bag(cards))]))


class Mpirimpa:
    """One match. Hidden from the seats: `hands` but for `known`, `packets`, and `stock`."""

    __slots__ = (
        "barred",
        "dealer",
        "drawn",
        "hands",
        "justifying",
        "known",
        "last_deal",
        "melds",
        "must_use",
        "options",
        "packets",
        "phase",
        "pile",
        "pile_bag",
        "players",
        "round",
        "scored",
        "stock",
        "taken",
        "trump",
        "turn",
        "turns",
    )

    def __init__(self, options: Options, players: int, dealer: int) -> None:
        self.options = options
        self.players = players
        self.dealer = dealer
        self.round = 0
        self.phase: Phase = "deal"
        self.scored: tuple[int, int] = (0, 0)
        """By side: points of the finished rounds."""
        self.last_deal: dict[str, Any] | None = None
        """What each side scored in the round that ended last."""
        self._clear()

    def _clear(self) -> None:
        """Forget the round before."""
        self.turn = (self.dealer + 1) % self.players
        self.turns = 0
        self.trump: int | None = None
        self.hands = [0] * self.players
        self.known = [0] * self.players
        """By seat: the cards of the hand that everybody saw go there with the pile."""
        self.melds: list[tuple[Meld, ...]] = [(), ()]
        """By side, in the order in which they were laid."""
        self.pile: list[int] = []
        self.pile_bag = 0
        self.stock: tuple[int, ...] = ()
        """As dealt; the next card is element `drawn`."""
        self.drawn = 0
        self.packets: tuple[int, ...] = ()
        """Those not taken yet; the first is taken first."""
        self.taken = (False, False)
        self.must_use = 0
        """In phase justify: the cards taken, of which one must be laid."""
        self.justifying: tuple[str, ...] | None = None
        """What the pile, taken, lets the seat on turn lay at once; None until somebody wants to know."""
        self.barred: int | None = None
        """Casual variant: the card that was taken alone, and may not be discarded this turn (M33)."""

    # The match

    def over(self) -> bool:
        """Whether the match has ended."""
        return self.phase == "over"

    def to_act(self) -> int | None:
        """Seat on turn; None between rounds and when over."""
        return None if self.phase in ("deal", "over") else self.turn

    def deal(self, deck: list[int]) -> list[str]:
        """Hands one card at a time, two packets, the first discard, the stock (M3, M4)."""
        assert self.phase == "deal", f"phase {self.phase}; a deck is dealt in phase deal"
        assert sorted(deck) == sorted(DECK), "a deck is two packs of 52 cards and two jokers"
        self._clear()
        self.round += 1
        dealt = HAND * self.players
        for place in range(self.players):
            self.hands[(self.turn + place) % self.players] = bag(deck[place : dealt : self.players])
        first = dealt + 2 * HAND
        self.packets = (bag(deck[dealt : dealt + HAND]), bag(deck[dealt + HAND : first]))
        self._put_on_pile(deck[first])
        if self.options.trump_suit and deck[first] != JOKER:
            self.trump = deck[first] & 3
        self.stock = tuple(deck[first + 1 :])
        self.phase = "draw"
        return []

    def places(self) -> tuple[float, ...]:
        """By side: more points are better, equal points share (M34, M35)."""
        assert self.over()
        return average_ranks([-points for points in self.scored])

    def scores(self) -> tuple[int, ...]:
        """By side: points of the finished rounds."""
        return self.scored

    # Deciding

    def legal(self) -> list[str]:
        """List actions enough to reach every table that can be reached: see the page."""
        if self.phase == "draw":
            return ["draw", "take"] if self._may_take() else ["draw"]
        if self.phase == "justify":
            return [*self._justifying(self.hands[self.turn], self.must_use)]
        if self.phase == "meld":
            return [*self._layings(self.hands[self.turn], ONCE), *listed(self._discardable(), DISCARDS)]
        return []

    def is_legal(self, action: object) -> bool:
        """Say exactly whether `play` would take it."""
        move = _move(action)
        return self._allows(move) if move.verb not in LAYING else self._laid(move) is not None

    def fallback(self) -> str:
        """Draw, else take; lay what must be laid; else discard."""
        if self.phase == "meld":
            return listed(self._discardable(), DISCARDS)[0]
        return self.legal()[0]

    def _allows(self, move: Move) -> bool:
        """Whether the phase takes this `draw`, `take` or `discard`."""
        if self.phase == "draw":
            return move.verb == "draw" or (move.verb == "take" and self._may_take())
        return self.phase == "meld" and move.verb == "discard" and bool(move.cards & self._discardable())

    def _laid(self, move: Move) -> tuple[Meld, ...] | None:
        """Own melds as a `meld` or `add` would leave them; None when it is not legal."""
        if self.phase == "meld" or (self.phase == "justify" and move.cards & self.must_use):
            return self._melds_after(move, self.hands[self.turn])
        return None

    def _may_take(self) -> bool:
        """Whether the pile may be taken: one of its cards can be laid at once, or nobody asks (M21, M33)."""
        if self.options.casual or not self.pile:
            return bool(self.pile)
        hand = plus(self.hands[self.turn], self.pile_bag)
        if hand.bit_count() > 2 and any(
            self.pile_bag & fitting(meld.bag) for meld in self.melds[self.turn & 1]
        ):
            return True  # a card of the pile alone: found at once, and most often
        return bool(self._justifying(hand, self.pile_bag))

    def _justifying(self, hand: int, pile: int) -> tuple[str, ...]:
        """What may be laid at once by a hand that holds the pile; worked out once in a turn."""
        if self.justifying is None:
            self.justifying = tuple(self._layings(hand, pile))
        return self.justifying

    def _melds_after(self, move: Move, hand: int) -> tuple[Meld, ...] | None:
        """Own melds with cards of this hand laid; None when they make no meld, or too few are left (M23)."""
        melds = self.melds[self.turn & 1]
        old = 0 if move.verb == "meld" else melds[move.meld].bag if move.meld < len(melds) else None
        if old is None or move.cards & ~hand:
            return None
        made = meld_of(plus(old, move.cards))
        if made is None or (made.kind == "set" and not self.options.casual):
            return None
        melds = (*melds[: move.meld], made, *melds[move.meld + 1 :]) if old else (*melds, made)
        enough = hand.bit_count() >= move.cards.bit_count() + 2
        return melds if enough or self._may_empty(melds) else None

    def _may_empty(self, melds: Iterable[Meld]) -> bool:
        """Whether these own melds allow to take the packet (M24), or to close (M26)."""
        if self.taken[self.turn & 1]:
            return any(meld.clean_mpirimpa for meld in melds)
        return any(meld.mpirimpa for meld in melds)

    def _layings(self, hand: int, wanted: int) -> list[str]:
        """Melds and adds with a wanted card that the legal list holds, in order."""
        return self._listed_melds(hand, wanted) + self._listed_adds(hand, wanted)

    def _listed_melds(self, hand: int, wanted: int) -> list[str]:
        casual, own, size = self.options.casual, self.melds[self.turn & 1], hand.bit_count()
        melds = threes(hand, wanted, sets=casual)
        long = long_melds(hand, sets=casual)
        if long:
            with_wanted = [meld for meld in long if meld.bag & wanted]
            melds = sorted(melds + with_wanted, key=attrgetter("canonical"))
        return [meld.action for meld in melds if size >= meld.size + 2 or self._may_empty((*own, meld))]

    def _listed_adds(self, hand: int, wanted: int) -> list[str]:
        actions: list[str] = []
        few = hand.bit_count() < 3
        for index, meld in enumerate(self.melds[self.turn & 1]):
            near = hand & wanted & meld.near
            if not near:
                continue
            alone = near & fitting(meld.bag)
            joint: list[int] = []
            if wanted != ONCE or meld.bag & ACES or (hand & meld.far).bit_count() <= 1:  # else there are none
                joint = joint_adds(meld, hand, wanted)
            if joint or few:
                bags = {1 << card for card in cards_in(alone)}.union(joint)
                actions += self._allowed_adds(index, bags, hand, wanted)
            elif alone:
                actions += _single_adds(index, alone)
        return actions

    def _allowed_adds(self, index: int, bags: Iterable[int], hand: int, wanted: int) -> list[str]:
        """Those that hold a wanted card and leave enough in the hand."""
        moves = [
            Move("add", index, cards, f"add {index} {' '.join(bag_names(cards))}")
            for cards in sorted(bags, key=listed_cards)
        ]
        return [move.text for move in moves if move.cards & wanted and self._melds_after(move, hand)]

    def _discardable(self) -> int:
        """Set of the cards that may be discarded (M23, M33)."""
        hand = self.hands[self.turn]
        cards = hand & ONCE
        if hand.bit_count() == 1 and not self._may_empty(self.melds[self.turn & 1]):
            return 0
        if self.barred is not None and cards != 1 << self.barred:
            cards &= ~(1 << self.barred)
        return cards

    # Playing

    def play(self, action: str) -> list[str]:
        """Play for the seat to act; gives the events, or raises IllegalAction and changes nothing."""
        move = _move(action)
        if move.verb in LAYING:
            melds = self._laid(move)
            if melds is not None:
                return self._lay(move, melds)
        elif self._allows(move):
            if move.verb == "discard":
                return self._discard(move)
            return self._draw() if move.verb == "draw" else self._take()
        raise IllegalAction(self._refusal(action))

    def _draw(self) -> list[str]:
        self.hands[self.turn] = plus(self.hands[self.turn], 1 << self.stock[self.drawn])
        self.drawn += 1
        self.phase = "meld"
        return [f"{self.turn} draw"]

    def _take(self) -> list[str]:
        """Whole pile to the hand (M22)."""
        seat = self.turn
        event = f"{seat} take {' '.join([NAMES[card] for card in self.pile])}"
        self.hands[seat] = plus(self.hands[seat], self.pile_bag)
        self.known[seat] = plus(self.known[seat], self.pile_bag)
        if self.options.casual:
            self.phase = "meld"
            self.barred = self.pile[0] if len(self.pile) == 1 else None
        else:
            self.phase = "justify"
            self.must_use = self.pile_bag
        self.pile = []
        self.pile_bag = 0
        return [event]

    def _lay(self, move: Move, melds: tuple[Meld, ...]) -> list[str]:
        """Lay a new meld, or add to one (M12)."""
        seat, side = self.turn, self.turn & 1
        events = [f"{seat} {move.text}"]
        if move.verb == "meld":
            events = [f"{seat} meld {len(self.melds[side])} {' '.join(bag_names(move.cards))}"]
        self.melds[side] = melds
        self.phase = "meld"
        self.must_use = 0
        self._remove(move.cards)
        if not self.hands[seat]:
            self._emptied(events)
        return events

    def _discard(self, move: Move) -> list[str]:
        """Put a card on the pile; it is the end of the turn (M20)."""
        events = [f"{self.turn} {move.text}"]
        self._remove(move.cards)
        self._put_on_pile(move.cards.bit_length() - 1)
        if not self.hands[self.turn]:
            self._emptied(events)
        if self.phase == "meld":
            self._next_turn(events)
        return events

    def _remove(self, cards: int) -> None:
        """Take cards out of the hand; of equal ones those that everybody knows go first."""
        seat = self.turn
        self.hands[seat] = minus(self.hands[seat], cards)
        self.known[seat] = minus(self.known[seat], self.known[seat] & cards)

    def _put_on_pile(self, card: int) -> None:
        self.pile.append(card)
        self.pile_bag = plus(self.pile_bag, 1 << card)

    def _emptied(self, events: list[str]) -> None:
        """Take the packet, or close (M24 to M29)."""
        side = self.turn & 1
        if self.taken[side]:
            events.append(f"{self.turn} close")
            self._end_round(events, closed=side)
            return
        self.taken = (side == 0 or self.taken[0], side == 1 or self.taken[1])
        self.hands[self.turn], *left = self.packets
        self.packets = tuple(left)
        events.append(f"{self.turn} packet")

    def _next_turn(self, events: list[str]) -> None:
        self.turn = (self.turn + 1) % self.players
        self.turns += 1
        self.phase = "draw"
        self.justifying = None
        self.barred = None
        self._begin_turn(events)

    def _begin_turn(self, events: list[str]) -> None:
        """End the round without a closer: no stock, or the cap of turns (M32, M38)."""
        if self.drawn == len(self.stock) or self.turns >= self.options.max_turns:
            self._end_round(events, closed=None)

    # The end of a round

    def _end_round(self, events: list[str], closed: int | None) -> None:
        """Score it; then the match is over, or the dealer's left deals the next (M37)."""
        self.barred = None
        sides = [self._side_score(side, closed) for side in (0, 1)]
        self.scored = (self.scored[0] + sides[0]["total"], self.scored[1] + sides[1]["total"])
        self.last_deal = {"round": self.round, "dealer": self.dealer, "closed": closed, "sides": sides}
        events.append(f"round_end {self.scored[0]} {self.scored[1]}")
        if standing(self.scored, rounds=self.round, options=self.options).finished:
            self.phase = "over"
        else:
            self.phase = "deal"
            self.dealer = (self.dealer + 1) % self.players

    def _side_score(self, side: int, closed: int | None) -> dict[str, int]:
        """What a side scores in this round, part by part (M5, M16, M26, M29 to M31)."""
        score = {
            "melds": sum([meld.points for meld in self.melds[side]]),
            "bonus": sum([BONUS[meld.title(self.trump)] for meld in self.melds[side]]),
            "close": CLOSING if side == closed else 0,
            "hand": -sum([points_in(self.hands[seat]) for seat in SIDES[self.players][side]]),
            "packet": 0 if self.taken[side] else NO_PACKET,
        }
        return score | {"total": sum(score.values())}

    def _refusal(self, action: str) -> str:
        expected = self.legal()
        if not expected:
            return f"{quoted(action)}, but nobody is to act in phase {self.phase}"
        more = f" or {len(expected) - 6} more" if len(expected) > 6 else ""
        return (
            f"{quoted(action)} is not legal for seat {self.turn} in phase {self.phase};"
            f" expected {', '.join(expected[:6])}{more}"
        )

    # Copies, positions, views

    def clone(self) -> Self:
        """Copy that shares nothing mutable."""
        twin = object.__new__(type(self))
        twin.options = self.options
        twin.players = self.players
        twin.dealer = self.dealer
        twin.round = self.round
        twin.phase = self.phase
        twin.scored = self.scored
        twin.last_deal = self.last_deal
        twin.turn = self.turn
        twin.turns = self.turns
        twin.trump = self.trump
        twin.hands = self.hands.copy()
        twin.known = self.known.copy()
        twin.melds = self.melds.copy()
        twin.pile = self.pile.copy()
        twin.pile_bag = self.pile_bag
        twin.stock = self.stock
        twin.drawn = self.drawn
        twin.packets = self.packets
        twin.taken = self.taken
        twin.must_use = self.must_use
        twin.justifying = self.justifying
        twin.barred = self.barred
        return twin

    def position(self) -> dict[str, Any]:
        """Whole truth as JSON values, every field."""
        shared = self.view(0)
        for key in ("mode", "seat", "side", "hand", "hand_counts", "stock_count", "packets_left", "target"):
            del shared[key]
        return shared | {
            "players": self.players,
            "turn": self.turn,
            "hands": [[*bag_names(hand)] for hand in self.hands],
            "melds": [[[NAMES[card] for card in meld.cards] for meld in own] for own in self.melds],
            "stock": [NAMES[card] for card in self.stock[self.drawn :]],
            "packets": [[*bag_names(packet)] for packet in self.packets],
            "last_deal": deepcopy(self.last_deal),
        }

    def view(self, seat: int) -> dict[str, Any]:
        """All that a seat may know."""
        return {
            "game": "mpirimpa",
            "mode": "1v1" if self.players == 2 else "2v2",
            "seat": seat,
            "side": seat & 1,
            "dealer": self.dealer,
            "round": self.round,
            "phase": self.phase,
            "turn": self.to_act(),
            "turns": self.turns,
            "trump": None if self.trump is None else SUITS[self.trump],
            "hand": [*bag_names(self.hands[seat])],
            "hand_counts": [hand.bit_count() for hand in self.hands],
            "known": [[*bag_names(cards)] for cards in self.known],
            "melds": [[_described(meld, self.trump) for meld in own] for own in self.melds],
            "discard": [NAMES[card] for card in self.pile],
            "stock_count": len(self.stock) - self.drawn,
            "packets_left": len(self.packets),
            "taken": [*self.taken],
            "must_use": [*bag_names(self.must_use)],
            "barred": None if self.barred is None else NAMES[self.barred],
            "scores": [*self.scored],
            "target": self.options.target,
            "options": dict(zip(OPTIONS, _option_values(self.options), strict=True)),
        }

    @classmethod
    def from_position(cls, position: Mapping[str, Any]) -> Self:
        """Inverse of `position`; what is not named is empty, 0 or out of play.

        Without "phase" it enters at the start of a turn. Raises ValueError for what cannot be.
        """
        state = cls._entered(position)
        if state.to_act() is not None and not state.legal():
            raise ValueError(f"seat {state.turn} could do nothing in phase {state.phase}")
        return state

    @classmethod
    def _entered(cls, position: Mapping[str, Any]) -> Self:
        options = parse_options(Options, position.get("options", {}))
        players, dealer = position["players"], position.get("dealer", 0)
        if players not in SIDES or dealer not in range(players):
            raise ValueError(f"{players} players and dealer {dealer}; 2 or 4 play, the dealer is one of them")
        state = cls(options, players, dealer)
        state._place(position)
        state._check_cards()
        state._check_turn()
        if state.phase == "draw":
            state._begin_turn([])
        return state

    def _place(self, position: Mapping[str, Any]) -> None:
        """Fill the zones from a position."""
        none: list[list[str]] = [[]] * self.players
        self.round = position.get("round", 0 if position.get("phase") == "deal" else 1)
        self.phase = position.get("phase", "draw")
        self.scored = tuple(position.get("scores", self.scored))
        self.last_deal = deepcopy(position.get("last_deal"))
        self.turn = position.get("turn", self.turn)
        self.turns = position.get("turns", 0)
        trump, barred = position.get("trump"), position.get("barred")
        self.trump = None if trump is None else SUITS.index(trump)
        self.barred = None if barred is None else parse(barred)
        self.hands = [_bag(hand) for hand in position.get("hands", none)]
        self.known = [_bag(cards) for cards in position.get("known", none)]
        self.melds = [tuple([self._meld(cards) for cards in own]) for own in position.get("melds", ((), ()))]
        self.pile = [parse(name) for name in position.get("discard", ())]
        self.pile_bag = bag(self.pile)
        self.stock = tuple([parse(name) for name in position.get("stock", ())])
        self.packets = tuple([_bag(packet) for packet in position.get("packets", ())])
        self.taken = tuple(position.get("taken", self.taken))
        self.must_use = _bag(position.get("must_use", ()))

    def _meld(self, cards: Sequence[str]) -> Meld:
        made = meld_of(_bag(cards))
        if made is None or (made.kind == "set" and not self.options.casual):
            raise ValueError(f"{' '.join(cards)} is no meld")
        return made

    def _check_cards(self) -> None:
        """Refuse more cards than there are, and cards that are not where they are said to be."""
        if any(len(zone) != self.players for zone in (self.hands, self.known)) or {2} != {
            len(self.melds),
            len(self.taken),
        }:
            raise ValueError(f"hands and known must each have {self.players} rows, melds and taken 2")
        melds = [meld.bag for own in self.melds for meld in own]
        zones = [*self.hands, *self.packets, *melds, self.pile_bag]
        bag([card for zone in zones for card in listed_cards(zone)] + [*self.stock])
        if any(known & ~hand for known, hand in zip(self.known, self.hands, strict=True)):
            raise ValueError("known cards must be in the hand of their seat")

    def _check_turn(self) -> None:
        """Refuse a turn that no play leads to."""
        if self.phase not in get_args(Phase) or self.turn not in range(self.players):
            raise ValueError(
                f"phase is {self.phase!r} and turn {self.turn};"
                f" a phase of {', '.join(get_args(Phase))} and a seat below {self.players} are expected"
            )
        if self.must_use & ~self.hands[self.turn] or (self.phase == "justify") != (self.must_use > 0):
            raise ValueError("must_use must be cards of the seat on turn in phase justify, else empty")
        if self.to_act() is None:
            return
        if not all(self.hands):
            raise ValueError("a seat holds no cards, although the round goes on")
        if not all(self.packets) or len(self.packets) + sum(self.taken) != 2:
            raise ValueError("packets must have one row of cards for each side that has not taken it")

    @classmethod
    def from_view(cls, view: Mapping[str, Any], rng: Random) -> Self:
        """A state consistent with one seat's view, the unseen cards dealt at random.

        Where another seat has just taken the pile its hand is one that can lay one of those cards.
        """
        hidden = _Hidden(view)
        for _ in range(GUESSES):
            rng.shuffle(hidden.unseen)
            state = cls._entered(hidden.position())
            if state.to_act() is None or state.legal():
                return state
        return cls._justified(hidden, rng)

    @classmethod
    def _justified(cls, hidden: "_Hidden", rng: Random) -> Self:
        """A state in which the seat on turn was dealt what it needs to lay a card of the pile it took."""
        state = cls._entered(hidden.position())
        known = _bag(hidden.hands[state.turn])
        actions = state._layings(plus(known, _bag(hidden.unseen)), state.must_use)  # noqa: SLF001 - a state of ours
        for action in rng.sample(actions, len(actions)):
            cards = _move(action).cards
            hidden.deal_first(state.turn, bag_names(minus(cards, cards & known)))
            state = cls._entered(hidden.position())
            if state.legal():
                return state
        raise ValueError("no deal agrees with this view")


class _Hidden:
    """The cards that a seat cannot see, in the order in which they are to be dealt."""

    def __init__(self, view: Mapping[str, Any]) -> None:
        self.view = view
        self.hands = [[*cards] for cards in view["known"]]
        self.hands[view["seat"]] = [*view["hand"]]
        self.unseen = [NAMES[card] for card in DECK]
        for cards in (
            *self.hands,
            view["discard"],
            *[meld["cards"] for own in view["melds"] for meld in own],
        ):
            for card in cards:
                self.unseen.remove(card)

    def deal_first(self, seat: int, cards: Sequence[str]) -> None:
        """Have these cards dealt to a seat."""
        for card in cards:
            self.unseen.remove(card)
        before = sum([self._missing(other) for other in range(seat)])
        self.unseen[before:before] = cards

    def _missing(self, seat: int) -> int:
        return int(self.view["hand_counts"][seat]) - len(self.hands[seat])

    def position(self) -> dict[str, Any]:
        """Position in which hands, packets and stock are dealt of the unseen cards in their order."""
        view, unseen = self.view, iter(self.unseen)
        players, turn = len(self.hands), view["turn"]
        return {
            **view,
            "players": players,
            "turn": (view["dealer"] + 1) % players if turn is None else turn,
            "hands": [[*hand, *islice(unseen, self._missing(seat))] for seat, hand in enumerate(self.hands)],
            "melds": [[meld["cards"] for meld in own] for own in view["melds"]],
            "packets": [[*islice(unseen, HAND)] for _ in range(view["packets_left"])],
            "stock": [*islice(unseen, view["stock_count"])],
        }


@lru_cache(maxsize=1 << 12)
def _single_adds(index: int, cards: int) -> tuple[str, ...]:
    return tuple([f"add {index} {NAMES[card]}" for card in cards_in(cards)])


def _described(meld: Meld, trump: int | None) -> dict[str, Any]:
    """A meld as views show it."""
    words = _in_words(meld.bag, trump)
    return {**words, "cards": [*words["cards"]]}


@lru_cache(maxsize=1 << 12)
def _in_words(cards: int, trump: int | None) -> dict[str, Any]:
    meld = meld_of(cards)
    assert meld is not None
    return {
        "cards": tuple([NAMES[card] for card in meld.cards]),
        "kind": meld.kind,
        "suit": None if meld.suit is None else SUITS[meld.suit],
        "rank": None if meld.rank is None else RANKS[meld.rank],
        "wild": None if meld.wild is None else NAMES[meld.wild],
        "clean": meld.wild is None,
        "class": meld.title(trump),
    }


def _bag(cards: Iterable[str]) -> int:
    return bag(map(parse, cards))


def _deck(_options: Options, _players: int) -> list[int]:
    return [*DECK]


GAME: Final = Game(
    name="mpirimpa",
    players=(2, 4),
    options=Options,
    sides=SIDES.__getitem__,
    deck=_deck,
    new=Mpirimpa,
    from_position=Mpirimpa.from_position,
    from_view=Mpirimpa.from_view,
)
