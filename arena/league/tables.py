"""From blocks of boards to the tables that play them: seatings, seeds, keys."""

import hashlib
import math
from collections.abc import Iterator
from itertools import islice, permutations

from arena.deals import board_seed
from arena.games import GAMES
from arena.league.batches import Block, LineUp
from arena.model import Board, Entrant, League, Partners, TableJob

TAG_HEX = 12
"""Hex digits of an entrant's tag in the keys; that a league has no two equal ones is checked."""


def tag(entrant: Entrant) -> str:
    """Short name of an entrant in keys, equal in all leagues."""
    text = f"{entrant.name}\0{entrant.version}"
    return hashlib.sha256(text.encode()).hexdigest()[:TAG_HEX]


def called(league: League, block: Block) -> str:
    """The line-up as keys have it; mixed ones do not come in the order of tags, so their place leads."""
    tags = [tag(entrant) for entrant in block.line_up]
    if league.partners is Partners.MIXED:
        return f"{block.place:06}-{tags[0]}+{tags[1]}.{tags[2]}+{tags[3]}"
    return ".".join(tags)


def tables(league: League, block: Block, *, stem: str, submissions: str) -> Iterator[TableJob]:
    """The tables of one block of the league's last extension: one for each seating, keys by `stem`."""
    boards = _boards(league, block)
    for number, seating in enumerate(seatings(league, block)):
        yield TableJob(
            key=f"{stem}-{number}",
            game=league.game,
            options=league.options,
            seating=seating,
            boards=boards,
            clock=league.clock,
            sandbox=league.sandbox,
            submissions=submissions,
            auto_forced=league.auto_forced,
        )


def seatings(league: League, block: Block) -> list[tuple[Entrant, ...]]:
    """Distinct rotations of a line-up around the table, the first one as it stands."""
    sides = GAMES[league.game].sides(league.players)
    seats = [seat for side in sides for seat in side]
    bots = [bot for members in _members(league, block) for bot in members]
    base = [bot for _, bot in sorted(zip(seats, bots, strict=True))]
    rotations = [tuple(base[-turn:] + base[:-turn]) for turn in range(len(base))]
    return list(dict.fromkeys(rotations))


def _boards(league: League, block: Block) -> tuple[Board, ...]:
    versions = _versions(league, block.line_up)
    return tuple(
        Board(
            number,
            board_seed(
                league.extensions[-1].secret,
                game=league.game,
                options=league.options,
                versions=versions,
                number=number,
            ),
        )
        for number in range(block.first, block.first + block.boards)
    )


def _versions(league: League, line_up: LineUp) -> list[str]:
    """Versions as they go into the seeds: one text a side, so that other partners have other cards."""
    versions = [entrant.version for entrant in line_up]
    if league.partners is Partners.MIXED:
        return ["+".join(sorted(pair)) for pair in (versions[:2], versions[2:])]
    return versions


def _members(league: League, block: Block) -> list[tuple[Entrant, ...]]:
    """Who plays each side, in the order of its seats.

    Rotations alone would keep everyone's left neighbour for good; so orders take turns from block to block.
    """
    turn = (block.first - 1) // league.block
    if league.partners is Partners.MIXED:
        one, two, three, four = block.line_up
        return [(one, two), (four, three) if turn % 2 else (three, four)]
    sides = GAMES[league.game].sides(league.players)
    circle = _circle(block.line_up, turn)
    return [(bot,) * len(seats) for bot, seats in zip(circle, sides, strict=True)]


def _circle(line_up: LineUp, turn: int) -> LineUp:
    """Order of the sides around the table; each of the possible ones is followed by its mirror image."""
    first, *rest = line_up
    orders = math.factorial(len(rest))
    order = next(islice(permutations(rest), turn // 2 % orders, None))
    return (first, *(order[::-1] if turn % 2 else order))
