"""Everything that lasts: bots and their versions, leagues, and what their tables came to."""

from arena.store.database import StoreError, telling
from arena.store.records import (
    Activity,
    AlreadyThere,
    Bot,
    Kept,
    MatchRow,
    NameTaken,
    NotThere,
    StoredMatch,
    folded,
    outcomes_hash,
)
from arena.store.store import Store

__all__ = [
    "Activity",
    "AlreadyThere",
    "Bot",
    "Kept",
    "MatchRow",
    "NameTaken",
    "NotThere",
    "Store",
    "StoreError",
    "StoredMatch",
    "folded",
    "outcomes_hash",
    "telling",
]
