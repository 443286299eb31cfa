"""Idiot by rules of thumb: a strong open row, low cards first and all of a rank together, no idle pick-up."""

from itertools import takewhile
from typing import Any

from protocol.client import Decision, run

WORTH = {rank: worth for worth, rank in enumerate("3456789JQKA2T")}
"""Cards in the order in which to give them away: a 2 fits on anything, a ten also burns the pile."""
DEAR = WORTH["K"]
"""From here on cards go one by one: each may save from a pick-up later."""


def choose(decision: Decision) -> str:
    view, legal = decision.view, decision.legal
    if view["phase"] == "swap":
        return max(legal, key=lambda action: sum(WORTH[card[0]] for card in action.split()[1:]))
    plays = [action for action in legal if action.startswith("play")]
    if not plays:
        return legal[0]  # a blind flip, or nothing fits
    return min(plays, key=lambda action: price(action.split()[1:], view))


def price(cards: list[str], view: dict[str, Any]) -> tuple[int, int]:
    """How dear a play is: four of a rank on top burn the pile and give another turn."""
    rank = cards[0][0]
    on_top = list(takewhile(lambda card: card[0] == rank, reversed(view["pile"])))
    if len(on_top) + len(cards) >= 4:
        return (-1, 0)
    return (WORTH[rank], -len(cards) if WORTH[rank] < DEAR else len(cards))


if __name__ == "__main__":
    run(choose)
