"""How stored rows become values, and what is asked of the database for them."""

from collections import Counter
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

import msgspec

from arena.games import GAMES
from arena.model import (
    HOUSE,
    Board,
    Entrant,
    Extension,
    FaultKind,
    Late,
    League,
    Outcome,
    Result,
    TableJob,
    TableResult,
)
from arena.store.packing import measurements_unpacked, outcomes_unpacked
from arena.store.records import Bot, MatchRow, deal_key, moment

SEATING = msgspec.json.Decoder(tuple[Entrant, ...])
LEAGUE = msgspec.json.Decoder(League)
EXTENSION = msgspec.json.Decoder(Extension)
VOID = msgspec.json.Decoder(tuple[Late, ...])
NAMES = msgspec.json.Decoder(tuple[str, ...])

BOTS = """
    SELECT bot.name, version.hash, version.games, version.submitted, bot.retired,
        (SELECT count(*) FROM version AS each WHERE each.bot_id = bot.id),
        (SELECT count(*) FROM version AS each WHERE each.bot_id = bot.id AND each.id <= version.id),
        version.sandbox
    FROM version JOIN bot ON bot.id = version.bot_id
"""
"""Each version with its bot; which ones is for the caller to add."""

RESULTS = """
    SELECT seating.lineup_id, lineup.seatings, seating.bots, block.seeds, played.outcomes
    FROM played
    JOIN block ON block.id = played.block_id
    JOIN seating ON seating.id = played.seating_id
    JOIN lineup ON lineup.id = seating.lineup_id
    WHERE played.league_id = ?
"""
"""Tables of a league as ratings read them; which ones, and in which order, is for the caller to add."""

TABLES = """
    SELECT played.first_match, league.name, played.key, block.first_board, block.seeds, seating.bots,
        played.outcomes, cost.content, walls.layers, cost.void, cost.finished
    FROM played
    JOIN block ON block.id = played.block_id
    JOIN league ON league.id = played.league_id
    JOIN seating ON seating.id = played.seating_id
    JOIN cost ON cost.played_id = played.id
    JOIN walls ON walls.id = cost.walls_id
"""
"""Tables as listings show their matches; which ones is for the caller to add."""

SEED_BYTES = 32


def timestamp(moment: datetime) -> str:
    """Text that sorts as time does."""
    return moment.astimezone(UTC).isoformat(timespec="microseconds")


def assert_fits(league: League, job: TableJob, result: TableResult) -> None:
    """A table that does not fit its job or its league is a bug of ours and is never written."""
    assert result.key == job.key, (result.key, job.key)
    assert (job.game, job.options) == (league.game, league.options), job
    assert len(job.seating) == league.players, job.seating
    entrants = {HOUSE, *league.extensions[-1].entrants}
    assert set(job.seating) <= entrants, set(job.seating) - entrants
    numbers = [board.number for board in job.boards]
    assert numbers == [record.board for record in result.matches], (numbers, job.key)
    assert numbers == list(range(numbers[0], numbers[0] + len(numbers))), (numbers, job.key)
    assert {len(board.seed) for board in job.boards} == {SEED_BYTES}, job.key
    sides = len(GAMES[league.game].sides(league.players))
    for record in result.matches:
        outcome = record.outcome
        assert len(outcome.places) == sides, outcome
        assert outcome.scores is None or len(outcome.scores) == sides, outcome
        assert all(fault.seat in range(league.players) for fault in outcome.faults), outcome
        assert len(record.measurement.sent) in (0, len(outcome.faults)), job.key
        assert len(record.measurement.logs) in (0, league.players), job.key


def bot_of(row: tuple[Any, ...]) -> Bot:
    """A row of `BOTS`."""
    name, version, games, submitted, retired, versions, number, sandbox = row
    return Bot(
        name=name,
        version=version,
        games=NAMES.decode(games),
        submitted=datetime.fromisoformat(submitted),
        retired=bool(retired),
        versions=versions,
        number=number,
        sandbox=sandbox,
    )


def league_of(row: tuple[Any, ...]) -> tuple[int, League, Extension]:
    """A row of a league joined with one of its extensions: its id, the league without any, the extension."""
    league_id, content, extension = row
    league = LEAGUE.decode(content)
    if extension is None:
        raise ValueError(f"league {league.name} has no bots")
    return league_id, league, EXTENSION.decode(extension)


def seeds_of(data: bytes) -> list[bytes]:
    """Seeds of a table's boards."""
    return [data[start : start + SEED_BYTES] for start in range(0, len(data), SEED_BYTES)]


def match_rows(row: tuple[Any, ...]) -> list[MatchRow]:
    """Matches of a row of `TABLES`; raises ValueError for one of a seat that is not at the table."""
    first_match, league, table, first_board, seeds, bots, outcomes, content, layers, voided, finished = row
    seating, walls, void, when = (
        SEATING.decode(bots),
        NAMES.decode(layers),
        VOID.decode(voided),
        moment(finished),
    )
    found = outcomes_unpacked(outcomes)
    if any(fault.seat >= len(seating) for outcome in found for fault in outcome.faults):
        raise ValueError(f"a fault of a seat at a table of {len(seating)}")
    parts = zip(seeds_of(seeds), found, measurements_unpacked(content), strict=True)
    return [
        MatchRow(
            id=first_match + number,
            league=league,
            table=table,
            board=Board(first_board + number, seed),
            seating=seating,
            outcome=outcome,
            measurement=measurement,
            layers=walls,
            void=void,
            finished=when,
        )
        for number, (seed, outcome, measurement) in enumerate(parts)
    ]


def results_of(row: tuple[Any, ...], sides: tuple[tuple[int, ...], ...]) -> list[tuple[int, int, Result]]:
    """Matches of a row of `RESULTS`: its line-up, how many seatings that has, and what ratings see."""
    lineup, seatings, bots, seeds, outcomes = row
    seating = SEATING.decode(bots)
    parts = zip(seeds_of(seeds), outcomes_unpacked(outcomes), strict=True)
    return [(lineup, seatings, result_of(seating, seed, outcome, sides)) for seed, outcome in parts]


def complete(rows: Iterable[tuple[int, int, Result]]) -> list[Result]:
    """Results of those boards that were played in every seating of their line-up, in the order they came."""
    played = list(rows)
    times = Counter((lineup, result.board) for lineup, _, result in played)
    return [result for lineup, seatings, result in played if times[lineup, result.board] == seatings]


def result_of(
    seating: tuple[Entrant, ...], seed: bytes, outcome: Outcome, sides: tuple[tuple[int, ...], ...]
) -> Result:
    """A match as ratings see it; raises ValueError or LookupError for an outcome of another table size."""
    if len(outcome.places) != len(sides):
        raise ValueError(f"{len(outcome.places)} places where there are {len(sides)} sides")
    faults: dict[int, list[FaultKind]] = {seat: [] for seat in range(len(seating))}
    absent = {fault.seat for fault in outcome.faults if fault.forfeit}
    for fault in outcome.faults:
        if not fault.forfeit:
            faults[fault.seat].append(fault.kind)
    return Result(
        board=deal_key(seed),
        sides=tuple(tuple(seating[seat] for seat in seats) for seats in sides),
        places=outcome.places,
        scores=outcome.scores,
        faults=tuple(tuple(kind for seat in seats for kind in faults[seat]) for seats in sides),
        absent=tuple(side for side, seats in enumerate(sides) if absent.intersection(seats)),
    )
