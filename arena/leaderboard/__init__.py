"""Standings, comparisons and histories as tables. Reads no store, prints nothing."""

from arena.leaderboard.standings import (
    COLUMNS,
    DEFAULT_COLUMNS,
    Anchor,
    Standing,
    anchor_named,
    differences,
    options,
    page,
    render,
    seated,
    standings,
)

__all__ = [
    "COLUMNS",
    "DEFAULT_COLUMNS",
    "Anchor",
    "Standing",
    "anchor_named",
    "differences",
    "options",
    "page",
    "render",
    "seated",
    "standings",
]
