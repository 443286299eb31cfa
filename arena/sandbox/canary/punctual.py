"""A bot that works for as long as it is told to, and answers then. For the doctor's clock."""

import time

from protocol.client import Decision, run


def choose(decision: Decision) -> str:
    """Work without a pause for the time that the view names, or sleep, and take the first action."""
    until = time.monotonic() + decision.view["take_ms"] / 1_000
    if decision.view["asleep"]:
        time.sleep(max(0.0, until - time.monotonic()))
    while time.monotonic() < until:
        pass
    return decision.legal[0]


if __name__ == "__main__":
    run(choose)
