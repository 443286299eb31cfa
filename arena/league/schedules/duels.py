"""What Swiss and knock-out tournaments share: rounds of duels, and what came of them."""

from collections.abc import Iterable, Iterator, Sequence

import msgspec

from arena.league.batches import Block, Played
from arena.league.schedules.line_ups import sides_needed
from arena.league.tables import seatings, tag
from arena.model import Entrant, League, Result

Pair = frozenset[Entrant]


class Score(msgspec.Struct, frozen=True):
    """What a bot took from one other."""

    boards: float
    """Won; a board on which both took as many points is half of one for each."""
    points: float
    """One for each match won, one half for a tie."""


def rotations(league: League) -> int:
    """Tables that a block of a duel has."""
    pair = league.extensions[-1].entrants[: sides_needed(league.game, league.players)]
    return len(seatings(league, Block(pair, first=1, boards=1)))


def duel(league: League, one: Entrant, other: Entrant, *, first: int, boards: int) -> Iterator[Block]:
    """So many boards of two bots, in blocks."""
    line_up = tuple(sorted((one, other), key=tag))
    for start in range(first, first + boards, league.block):
        yield Block(line_up, start, min(league.block, first + boards - start))


def met(played: Iterable[Played]) -> dict[Pair, int]:
    """Boards that every two bots have played."""
    boards: dict[Pair, int] = {}
    for each in played:
        for block in each.blocks:
            pair = frozenset(block.line_up)
            boards[pair] = boards.get(pair, 0) + block.boards
    return boards


def scores(results: Sequence[Result]) -> dict[Entrant, Score]:
    """What each bot took in one round, in which it meets one other."""
    points: dict[tuple[str, Entrant], float] = {}
    for row in results:
        for number, side in enumerate(row.sides):
            here, there = row.places[number], row.places[1 - number]
            key = (row.board, side[0])
            points[key] = points.get(key, 0.0) + (here < there) + (here == there) / 2
    boards = {
        board: sum(value for (name, _), value in points.items() if name == board) for board, _ in points
    }
    found: dict[Entrant, Score] = {}
    for (board, bot), value in points.items():
        earlier = found.get(bot, Score(0.0, 0.0))
        won = (2 * value > boards[board]) + (2 * value == boards[board]) / 2
        found[bot] = Score(earlier.boards + won, earlier.points + value)
    return found
