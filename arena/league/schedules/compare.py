"""Two bots on the same deals, until it is known which is stronger, or all boards are played."""

import math
from collections.abc import Iterable, Iterator, Sequence
from itertools import product

from arena.league.batches import Batch, Block, End, LineUp, Played, Rate, Size
from arena.league.tables import seatings
from arena.model import HOUSE, Comparison, Entrant, League, Result, UserError
from arena.ratings.sequential import Sample, Verdict, decided, sample

ENDS = {
    Verdict.H1: "H1 is accepted",
    Verdict.H0: "H0 is accepted",
    Verdict.ALIKE: "the two score alike on nearly all boards",
}


def compare(league: League, played: Sequence[Played], rate: Rate) -> Batch | End:
    """The next boards, unless the ones so far decide."""
    del rate
    asked = comparison_of(league)
    verdict = None if asked.fixed else decided(seen(league, played), asked.bounds)
    if verdict:
        return End(ENDS[verdict])
    boards, most = boards_of(played), league.extensions[-1].boards
    if boards == most:
        return End(f"all {most} boards are played")
    return Batch(tuple(_blocks(league, boards + 1, min(asked.batch, most - boards))))


def compare_size(league: League) -> Size:
    """All boards that are allowed."""
    asked = comparison_of(league)
    tables = boards = 0
    for extension in league.extensions:
        whole, rest = divmod(extension.boards - boards, asked.batch)
        tables += whole * _per_block(league, asked.batch) + _per_block(league, rest)
        boards = extension.boards
    times = matches_of(league)
    at_most = not asked.fixed or (asked.new, asked.old, *asked.field).count(HOUSE) > 1
    return Size(len(orders(league)), times * tables, times * boards, at_most=at_most)


def check_compare(league: League) -> None:
    """Raise UserError for a league that was not begun as a comparison, or got bots that are no part of it."""
    if league.comparison is None:
        raise UserError("a comparison is begun by another command; type: arena compare NEW OLD")
    asked = league.comparison
    own = {asked.new, asked.old, *asked.field}
    others = [entrant.name for entrant in league.extensions[-1].entrants if entrant not in own]
    if others:
        raise UserError(f"a comparison gets no more bots, so {others[0]} cannot be added; leave --bots out")


def comparison_of(league: League) -> Comparison:
    """What a league compares; it must be a comparison."""
    assert league.comparison is not None, league.name
    return league.comparison


def orders(league: League) -> tuple[LineUp, ...]:
    """The line-up, and the one with the two exchanged where rotations do not exchange them."""
    asked = comparison_of(league)
    first, second = (asked.new, asked.old, *asked.field), (asked.old, asked.new, *asked.field)
    return (first, second) if asked.field else (first,)


def matches_of(league: League) -> int:
    """Matches on a board; with several house bots, on the first one, and on others as many or fewer."""
    return len({seats for order in orders(league) for seats in seatings(league, Block(order, 1, 1))})


def boards_of(played: Iterable[Played]) -> int:
    """Boards that were played, each with all its seatings."""
    return sum(len({row.board for row in each.results}) for each in played)


def seen(league: League, played: Iterable[Played]) -> Sample:
    """Scores of the boards that were played."""
    asked = comparison_of(league)
    return sample(
        (score for each in played for score in scores(asked.new, asked.old, each.results)), matches_of(league)
    )


def scores(new: Entrant, old: Entrant, results: Iterable[Result]) -> list[float]:
    """Of each board, the mean of what the one took from the other: 1 for a better place, 1/2 for the same.

    A house bot that is compared while others sit there is all of them.
    """
    twice: dict[str, int] = {}
    times: dict[str, int] = {}
    for row in results:
        for mine, other in product(_places(row, new), _places(row, old)):
            twice[row.board] = twice.get(row.board, 0) + 1 + (mine < other) - (mine > other)
            times[row.board] = times.get(row.board, 0) + 1
    return [twice[board] / (2 * times[board]) for board in twice]


def _places(row: Result, bot: Entrant) -> list[float]:
    return [place for side, place in zip(row.sides, row.places, strict=True) if side[0] == bot]


def side_of(row: Result, bot: Entrant) -> int:
    """The side that a bot plays, the first one of a house bot that plays several."""
    return next(number for number, side in enumerate(row.sides) if side[0] == bot)


def _blocks(league: League, first: int, boards: int) -> Iterator[Block]:
    """So many boards in each order; equal deals stand apart, so that other tables are played between."""
    known: set[tuple[int, tuple[Entrant, ...]]] = set()
    for order in orders(league):
        for start in range(first, first + boards, league.block):
            block = Block(order, start, min(league.block, first + boards - start))
            fresh = {(start, seating) for seating in seatings(league, block)}
            if not fresh & known:  # two house bots can make the exchanged order a rotation
                known |= fresh
                yield block


def _per_block(league: League, boards: int) -> int:
    return math.ceil(boards / league.block)
