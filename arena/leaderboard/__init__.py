"""Standings, comparisons and histories as text. Reads no store, prints nothing."""

from arena.leaderboard.columns import COLUMNS, DEFAULT_COLUMNS
from arena.leaderboard.history import history
from arena.leaderboard.matrix import crosstable, differences, likelihoods
from arena.leaderboard.pages import page
from arena.leaderboard.scope import Scope, options, outdated, pooled, seated, unlike
from arena.leaderboard.seats import seats
from arena.leaderboard.standings import Anchor, Standing, anchor_named, rated, standings

__all__ = [
    "COLUMNS",
    "DEFAULT_COLUMNS",
    "Anchor",
    "Scope",
    "Standing",
    "anchor_named",
    "crosstable",
    "differences",
    "history",
    "likelihoods",
    "options",
    "outdated",
    "page",
    "pooled",
    "rated",
    "seated",
    "seats",
    "standings",
    "unlike",
]
