"""How stored rows become values, and what is asked of the database for them."""

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
    Measurement,
    Outcome,
    Result,
    TableJob,
    TableResult,
)
from arena.store.records import Bot, MatchRow, deal_key

SEATING = msgspec.json.Decoder(tuple[Entrant, ...])
OUTCOME = msgspec.json.Decoder(Outcome)
MEASUREMENT = msgspec.json.Decoder(Measurement)
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
    SELECT seating.bots, match.seed, match.outcome
    FROM match
    JOIN played ON played.id = match.played_id
    JOIN seating ON seating.id = match.seating_id
    JOIN (
        SELECT seating.lineup_id AS lineup_id, match.seed AS seed
        FROM match
        JOIN seating ON seating.id = match.seating_id
        JOIN lineup ON lineup.id = seating.lineup_id
        WHERE lineup.league_id = ?
        GROUP BY seating.lineup_id, match.seed
        HAVING count(*) = lineup.seatings
    ) AS complete ON complete.lineup_id = seating.lineup_id AND complete.seed = match.seed
    ORDER BY played.key, match.board
"""
"""Matches of a league's complete boards: those with as many seatings as their line-up has."""

BATCH = """
    SELECT seating.bots, match.seed, match.outcome
    FROM match
    JOIN played ON played.id = match.played_id
    JOIN seating ON seating.id = match.seating_id
    WHERE played.league_id = ? AND played.key >= ? AND played.key < ?
    ORDER BY played.key, match.board
"""
"""Matches of the tables whose keys are in a range, complete boards or not."""

MATCHES = """
    SELECT match.id, league.name, played.key, match.board, match.seed, seating.bots, match.outcome,
        measurement.content, cost.layers, cost.void, cost.finished
    FROM match
    JOIN played ON played.id = match.played_id
    JOIN league ON league.id = played.league_id
    JOIN seating ON seating.id = match.seating_id
    JOIN measurement ON measurement.match_id = match.id
    JOIN cost ON cost.played_id = played.id
"""

DEALS = """
    SELECT match.seed
    FROM match
    JOIN played ON played.id = match.played_id
    JOIN cost ON cost.played_id = played.id
    WHERE played.league_id = ?
    GROUP BY match.seed
"""
"""A league's deals; which ones is for the caller to add."""


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


def league_of(row: tuple[Any, ...]) -> tuple[int, League, tuple[Extension, ...]]:
    """A row of a league joined with one of its extensions: its id, the league without any, the extension."""
    league_id, content, extension = row
    more = () if extension is None else (EXTENSION.decode(extension),)
    return league_id, LEAGUE.decode(content), more


def match_row(row: tuple[Any, ...]) -> MatchRow:
    """A row of `MATCHES`."""
    match_id, league, table, board, seed, bots, outcome, measurement, layers, void, finished = row
    return MatchRow(
        id=match_id,
        league=league,
        table=table,
        board=Board(board, seed),
        seating=SEATING.decode(bots),
        outcome=OUTCOME.decode(outcome),
        measurement=MEASUREMENT.decode(measurement),
        layers=NAMES.decode(layers),
        void=VOID.decode(void),
        finished=datetime.fromisoformat(finished),
    )


def result_of(row: tuple[Any, ...], sides: tuple[tuple[int, ...], ...]) -> Result:
    """A match as ratings see it."""
    bots, seed, outcome = row[0], row[1], OUTCOME.decode(row[2])
    seating = SEATING.decode(bots)
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
