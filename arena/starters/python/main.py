"""A bot: it is asked, and answers. `choose` is yours to change; the rest of the talking is the SDK's.

What a view holds, and what actions mean, is on the page of the game: type `arena rules GAME`.
"""

import sys

from protocol.client import Decision, End, Start, run


class Bot:
    """One of these lives as long as the process, through all matches of a table."""

    def start(self, start: Start) -> None:
        """A match begins. `random` was just seeded with `start.seed`: the same cards, the same play."""
        self.seat, self.asked = start.seat, 0

    def choose(self, decision: Decision) -> str:
        """Answer a question with one of the legal actions; this bot takes the first."""
        self.asked += 1
        # decision.view is all that your seat may know, such as decision.view["hand"]
        # decision.events tells what the others did since you were last asked
        return decision.legal[0]

    def end(self, end: End) -> None:
        """A match has ended. What is printed to stderr is kept with it, for your eyes."""
        sys.stderr.write(f"seat {self.seat}, place {end.places[end.side]} after {self.asked} questions\n")


run(Bot())
