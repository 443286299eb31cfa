"""IMP by rules of thumb: a strong open row, ordinary cards from low to high, the special ones last."""

from protocol.client import Decision, run

WORTH = {rank: worth for worth, rank in enumerate("56789JQKAT432")}
"""Cards in the order in which to give them away: ten, 4, 3 and 2 fit on anything."""


def choose(decision: Decision) -> str:
    legal = decision.legal
    if decision.view["phase"] == "setup":
        return max(legal, key=lambda action: sum(WORTH[card[0]] for card in action.split()[1:]))
    plays = [action for action in legal if action.startswith("play")]
    if plays:
        return min(plays, key=lambda action: WORTH[action.split()[1][0]])
    return legal[0]  # a quad, a blind flip, or nothing fits


if __name__ == "__main__":
    run(choose)
