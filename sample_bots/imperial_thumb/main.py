"""Imperial by rules of thumb: cash what nothing beats, win as cheaply as possible, else throw the lowest."""

from typing import Any

from protocol.client import Decision, run

STRENGTH = {rank: strength for strength, rank in enumerate("6789TAJQK")}


def choose(decision: Decision) -> str:
    view = decision.view
    cards = [action.removeprefix("play ") for action in decision.legal]
    card = follow(cards, view) if view["trick"] else lead(cards, view)
    return f"play {card}"


def lead(cards: list[str], view: dict[str, Any]) -> str:
    """A card that nothing beats, trumps first; else a low card of the longest plain suit."""
    sure = [card for card in cards if is_highest(card, view)]
    if sure:
        return max(sure, key=lambda card: (card[1] == view["trump"], length(card, cards)))
    return min(cards, key=lambda card: (card[1] == view["trump"], -length(card, cards), STRENGTH[card[0]]))


def follow(cards: list[str], view: dict[str, Any]) -> str:
    """The cheapest card that wins for certain, else the cheapest at all."""
    best = max((card for _, card in view["trick"]), key=lambda card: power(card, view))
    last = len(view["trick"]) == view["players"] - 1
    winning = [
        card for card in cards if power(card, view) > power(best, view) and (last or is_highest(card, view))
    ]
    return min(winning or cards, key=lambda card: (card[1] == view["trump"], STRENGTH[card[0]]))


def power(card: str, view: dict[str, Any]) -> int:
    """Orders the cards of a trick: trumps, then the suit led, then what cannot win."""
    if card[1] == view["trump"]:
        return 10 + STRENGTH[card[0]]
    return STRENGTH[card[0]] if card[1] == view["trick"][0][1][1] else -1


def is_highest(card: str, view: dict[str, Any]) -> bool:
    """Whether no card of its suit that others may still hold is higher."""
    gone = {*view["hand"], *(played for _, played in view["played"] + view["trick"])}
    if view["players"] == 2:
        gone.add(view["turned"])  # with three it is in the dealer's hand
    return gone.issuperset(rank + card[1] for rank in STRENGTH if STRENGTH[rank] > STRENGTH[card[0]])


def length(card: str, cards: list[str]) -> int:
    return sum(other[1] == card[1] for other in cards)


if __name__ == "__main__":
    run(choose)
