"""Mpirimpa by rules of thumb: lay what is clean, keep the wilds for an mpirimpa, throw lonely high cards."""

from typing import Any

from protocol.client import Decision, run

PLACES = "A23456789TJQK"
POINTS = {"A": 15, **dict.fromkeys("34567", 5), **dict.fromkeys("89TJQK", 10)}
LATE = 8
"""Cards in the stock from which on nothing is kept back: what stays in the hand will be deducted."""


def choose(decision: Decision) -> str:
    view, legal = decision.view, decision.legal
    if view["phase"] == "draw":
        return "take" if "take" in legal and is_useful(view) else legal[0]
    laying = [action for action in legal if not action.startswith("discard")]
    best = max(laying, key=lambda action: worth(view, action), default=None)
    if best and (view["phase"] == "justify" or worth(view, best) > 0):
        return best
    discards = [action for action in legal if action.startswith("discard")]
    return min(discards or legal, key=lambda action: use(view, action.split()[1]))


def is_useful(view: dict[str, Any]) -> bool:
    """In the standard game a pile that may be taken can be laid from; in the casual one, see for yourself."""
    fitting = [card for card in view["discard"] if is_wild(card) or neighbours(card, view["hand"], view) > 1]
    return not view["options"]["casual"] or bool(fitting) or len(view["discard"]) > 3


def worth(view: dict[str, Any], action: str) -> int:
    """What a meld or an add is worth; above 0 it is done at once."""
    verb, *cards = action.split()
    own = view["melds"][view["side"]]
    old = own[int(cards.pop(0))] if verb == "add" else None
    size = len(cards) + (len(old["cards"]) if old else 0)
    if not any(is_wild(card) for card in cards):
        return 10 + size
    if old and old["clean"] and size > 7:
        return -1  # a wild would spoil a clean one
    needed = not any(meld["class"] for meld in own) and not view["taken"][view["side"]]
    if size >= 7 and needed:
        return 10
    return size if view["stock_count"] < LATE or len(view["hand"]) < 5 else 0


def use(view: dict[str, Any], card: str) -> int:
    """How sorry one would be to have discarded a card."""
    if is_wild(card):
        return 100
    others = view["melds"][1 - view["side"]]
    helps = any(meld["suit"] == card[1] and neighbours(card, meld["cards"], view) for meld in others)
    return 10 * neighbours(card, view["hand"], view) + 15 * helps - POINTS[card[0]]


def neighbours(card: str, cards: list[str], view: dict[str, Any]) -> int:
    """How many of the cards could lie in one meld with it, next to it or with one card between."""
    if is_wild(card):
        return 0
    count = 0
    for other in cards:
        apart = (PLACES.find(other[0]) - PLACES.find(card[0])) % 13
        run = other[1] == card[1] and apart in (1, 2, 11, 12)
        count += run or (view["options"]["casual"] and apart == 0)
    return count


def is_wild(card: str) -> bool:
    return card == "Jk" or card[0] == "2"


if __name__ == "__main__":
    run(choose)
