"""Whoever loses a duel is out: a bracket in which the first seeds meet last."""

from collections.abc import Sequence

import msgspec

from arena.league.batches import Batch, End, Played, Rate, Size, Story
from arena.league.schedules.duels import Score, duel, rotations, scores
from arena.model import League, UserError

EXTRA = 3
"""Boards that are played one by one where a duel is tied; then the better seed goes on."""

ALONE = "–"  # noqa: RUF001 - a dash, not a minus
"""In the place of who would be the other."""


class _Duel(msgspec.Struct):
    """Two seeds that meet, or one that goes on without."""

    one: int
    other: int | None
    boards: list[float]
    """Won by each."""
    extra: int = 0
    """Boards beyond those that each duel has."""
    winner: int | None = None


def knockout(league: League, played: Sequence[Played], rate: Rate) -> Batch | End:
    """The next round, or one more board for the duels that are tied."""
    del rate
    bracket = _bracket(league, played)
    entrants, boards = league.extensions[-1].entrants, league.extensions[-1].boards
    open_duels = [each for each in bracket[-1] if each.winner is None]
    if not open_duels:
        return End(f"{entrants[_winner(bracket)].name} won the final")
    fresh = not any(map(_began, open_duels))
    return Batch(
        tuple(
            block
            for each in open_duels
            if each.other is not None
            for block in duel(
                league,
                entrants[each.one],
                entrants[each.other],
                first=1 if fresh else boards + each.extra + 1,
                boards=boards if fresh else 1,
            )
        )
    )


def knockout_size(league: League) -> Size:
    """All duels with all extra boards."""
    extension = league.extensions[-1]
    duels = len(extension.entrants) - 1
    blocks = -(-extension.boards // league.block) + EXTRA
    times = duels * rotations(league)
    return Size(duels, times * blocks, times * (extension.boards + EXTRA), at_most=True)


def check_knockout(league: League) -> None:
    """Raise UserError for an even number of boards."""
    boards = league.extensions[-1].boards
    if boards % 2 == 0:
        raise UserError(
            f"a duel is the best of an odd number of boards, not of {boards}; type --boards {boards + 1}"
        )


def knockout_story(league: League, played: Sequence[Played]) -> Story:
    """The bracket as far as it is known."""
    bracket = _bracket(league, played)
    names = [entrant.name for entrant in league.extensions[-1].entrants]
    rows = tuple(
        (
            _called(len(duels)),
            _seeded(names, each.one),
            _seeded(names, each.other),
            _result(each),
            _next(names, each),
        )
        for duels in bracket
        for each in duels
    )
    return Story("Bracket", ("round", "bot", "against", "boards", "goes on"), rows)


def seeding(size: int) -> list[int]:
    """Seeds from the top of a bracket to its bottom, so that the first two can only meet in the final."""
    order = [0]
    while len(order) < size:
        order = [seed for one in order for seed in (one, 2 * len(order) - 1 - one)]
    return order


def _bracket(league: League, played: Sequence[Played]) -> list[list[_Duel]]:
    """Rounds so far; the last one has duels without a winner until all is played."""
    entrants = league.extensions[-1].entrants
    size = 1 << (len(entrants) - 1).bit_length()
    order = [seed if seed < len(entrants) else None for seed in seeding(size)]
    bracket: list[list[_Duel]] = []
    batches = list(played)
    while len(order) > 1:
        duels = [_paired(*order[place : place + 2]) for place in range(0, len(order), 2)]
        bracket.append(duels)
        while batches and any(each.winner is None for each in duels):
            _add(league, duels, batches.pop(0))
        if any(each.winner is None for each in duels):
            break
        order = [each.winner for each in duels]
    return bracket


def _paired(one: int | None, other: int | None) -> _Duel:
    first, *rest = sorted(seed for seed in (one, other) if seed is not None)
    return _Duel(first, rest[0], [0.0, 0.0]) if rest else _Duel(first, None, [], winner=first)


def _add(league: League, duels: Sequence[_Duel], played: Played) -> None:
    """Count a batch, and say who won of those whose duel it decides."""
    entrants, found = league.extensions[-1].entrants, scores(played.results)
    for each in duels:
        if each.winner is not None or each.other is None:
            continue
        each.extra += _began(each)
        pair = [found.get(entrants[seed], Score(0.0, 0.0)).boards for seed in (each.one, each.other)]
        each.boards = [before + more for before, more in zip(each.boards, pair, strict=True)]
        one, other = each.boards
        if one != other or each.extra == EXTRA:
            each.winner = each.one if one >= other else each.other


def _began(each: _Duel) -> bool:
    return sum(each.boards) > 0


def _winner(bracket: Sequence[Sequence[_Duel]]) -> int:
    ((final,),) = bracket[-1:]
    assert final.winner is not None
    return final.winner


def _called(duels: int) -> str:
    return {1: "final", 2: "half-finals", 4: "quarter-finals"}.get(duels, f"last {2 * duels}")


def _seeded(names: Sequence[str], seed: int | None) -> str:
    return ALONE if seed is None else f"{names[seed]} ({seed + 1})"


def _result(each: _Duel) -> str:
    score = " : ".join(f"{value:g}" for value in each.boards)
    return f"{score} ({each.extra} extra)" if each.extra else score if _began(each) else ""


def _next(names: Sequence[str], each: _Duel) -> str:
    return "" if each.winner is None else names[each.winner]
