"""Plays any legal action, in every game; sheds cards while it can instead of taking some."""

import random

from protocol.client import Decision, run

RELUCTANT = {"pickup", "pass"}


def choose(decision: Decision) -> str:
    eager = [action for action in decision.legal if action not in RELUCTANT]
    return random.choice(eager or decision.legal)


if __name__ == "__main__":
    run(choose)
