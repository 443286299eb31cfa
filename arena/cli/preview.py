"""What `arena run --dry-run` prints."""

from collections.abc import Iterator

from arena import grid
from arena.cli.said import duration, say
from arena.league.preview import MOST_TABLES, Estimate, Preview, estimate, preview
from arena.league.schedule import schedule_of
from arena.model import League
from arena.store import Store

SHOWN = 20
"""Line-ups that are listed for people; programs get all."""


def dry_run(store: Store, league: League, *, stands: bool, jobs: int, style: str) -> str:
    """The schedule as text; what is said besides goes to stderr."""
    found = preview(store, league, stands=stands)
    for line in _said(league, found, estimate(store, league), jobs):
        say(line)
    rows = [
        (
            " v ".join("+".join(grid.short(bot.name) for bot in dict.fromkeys(side)) for side in each.sides),
            each.tables,
            each.matches,
        )
        for each in found.meetings
    ]
    headers = ("line-up", "tables", "matches")
    if style in grid.BARE_STYLES:
        return grid.listing(headers, rows, style)
    more = f"and {grid.counted(len(rows) - SHOWN, 'more line-up')}" if len(rows) > SHOWN else ""
    balance = [(each.what, each.least, f"{each.mean:.1f}", each.most) for each in found.spreads]
    return "\n".join(
        [
            grid.listing(headers, rows[:SHOWN], style),
            *filter(None, [more]),
            "",
            grid.listing(("balance", "least", "mean", "most"), balance, style),
        ]
    )


def _said(league: League, found: Preview, cost: Estimate, jobs: int) -> Iterator[str]:
    if found.adapts:
        tables = grid.counted(found.tables, "table")
        yield f"below is the next batch, of {tables}; what follows hangs on its results"
    elif found.tables == MOST_TABLES:
        yield f"below are the first {MOST_TABLES} tables"
    if found.done:
        yield f"{grid.counted(found.done, 'table')} of it are played"
    yield f"{_time(found, cost, jobs)}; nothing was played or written"
    note = schedule_of(league).note
    if note:
        yield note


def _time(found: Preview, cost: Estimate, jobs: int) -> str:
    """How long what is left takes, and on what that rests."""
    most = "at most " if found.size.at_most else ""
    seconds = duration(cost.seconds(found.size, found.done, jobs))
    source = (
        f"the mean of the last {grid.counted(cost.measured, 'match')} here"
        if cost.measured
        else "a guess, as none was played here yet"
    )
    tables = grid.counted(jobs, "table")
    return f"about {most}{seconds}, {tables} at a time and {cost.match_ms:.0f} ms a match ({source})"
