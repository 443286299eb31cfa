"""Small leagues whose results are known, for what is shown of them."""

import random
from collections.abc import Iterable, Sequence
from itertools import combinations

from arena.leaderboard import Scope
from arena.model import Clock, Entrant, Extension, FaultKind, League, Result

HOSTILE = (
    "007",
    "1e5",
    "日本",
    " lead",
    "trail ",
    "\x1b[31mred",
    "a|b",
    "\u202edne",
    "nan",
    "-",
    "<b>&",
    "\n\t\x00",
)


def bot(name: str, version: str = "") -> Entrant:
    return Entrant(name, version or name.encode().hex().ljust(64, "0")[:64])


ANN, BEA, CAT, DAN = map(bot, ("Ann", "Bea", "Cat", "Dan"))


def duel(board: object, first: Entrant, second: Entrant, score: float = 1, *, faults: int = 0) -> Result:
    """The first against the second; the faults are the second's."""
    places = {1: (1.0, 2.0), 0.5: (1.5, 1.5), 0: (2.0, 1.0)}[score]
    scores = None if faults else (5 + 3 * score, 8 - 3 * score)
    return Result(str(board), ((first,), (second,)), places, scores, ((), (FaultKind.CRASH,) * faults))


def league_of(*entrants: Entrant, sandbox: str = "bwrap") -> League:
    extension = Extension(entrants, 4, bytes(32))
    return League("cup", "idiot", 2, {}, Clock(), 4, sandbox, (extension,))


CUP = league_of(ANN, BEA)


def played(entrants: Iterable[Entrant], boards: int = 12, *, seed: int = 1) -> list[Result]:
    """Everybody against everybody, both seatings of each board."""
    rng = random.Random(seed)
    return [
        duel(f"{board} {one.name} {two.name}", *seated, rng.choice((0, 0.5, 1)))
        for one, two in combinations(entrants, 2)
        for board in range(boards)
        for seated in ((one, two), (two, one))
    ]


def cup(results: Sequence[Result], *entrants: Entrant) -> Scope:
    """One league of these results; `entrants` are those that may not have played."""
    return Scope((league_of(*(entrants or (ANN, BEA))),), results)
