"""Every line-up plays every board."""

import math
from collections.abc import Iterator, Sequence

import msgspec

from arena.league.batches import PLAYED, Batch, Block, End, Played, Rate, Size
from arena.league.schedules.line_ups import boards_held, kept_line_ups, line_up_count, line_ups
from arena.league.tables import seatings
from arena.model import League


def round_robin(league: League, played: Sequence[Played], rate: Rate) -> Batch | End:
    """All boards of an extension as one batch, which is never listed as a whole."""
    del rate
    if played and played[-1].extension == len(league.extensions) - 1:
        return PLAYED
    return Batch(_Blocks(league))


class _Blocks(msgspec.Struct, frozen=True):
    """Block by block over all line-ups.

    Wherever the league is stopped, its line-ups have played the same number of blocks, one more or less.
    """

    league: League

    def __iter__(self) -> Iterator[Block]:
        league = self.league
        number = len(league.extensions) - 1
        held, boards = boards_held(league, number), league.extensions[number].boards
        for first in _block_starts(league, number):
            count = min(league.block, boards - first + 1)
            for place, line_up in enumerate(line_ups(league, number)):
                own = first - held(line_up)
                if own >= 1 and own % league.block == 1 % league.block:
                    yield Block(line_up, first, count, place)


def _block_starts(league: League, number: int) -> list[int]:
    """First boards of an extension's blocks, for line-ups that are new in it and for those that go on."""
    boards, held = league.extensions[number].boards, league.extensions[number - 1].boards if number else 0
    fresh = set(range(1, boards + 1, league.block))
    going_on = set(range(held + 1, boards + 1, league.block))
    return sorted(fresh | going_on)


def round_robin_size(league: League) -> Size:
    """Line-ups, tables and matches of a round robin, by counting instead of listing."""
    every = tables = matches = held = 0
    last = len(league.extensions) - 1
    rotations = len(seatings(league, Block(next(line_ups(league, last)), first=1, boards=1)))
    for number, extension in enumerate(league.extensions):
        known = kept_line_ups(league, number)
        new = line_up_count(league, number) - known
        more = extension.boards - held
        tables += rotations * (new * _blocks(league, extension.boards) + known * _blocks(league, more))
        matches += rotations * (new * extension.boards + known * more)
        every += new
        held = extension.boards
    return Size(every, tables, matches)


def _blocks(league: League, boards: int) -> int:
    return math.ceil(boards / league.block)
