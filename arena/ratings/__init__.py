"""Ratings: a joint fit over all matches, and how sure it is (docs/ratings.md). Knows no game and no store."""

from arena.ratings.fit import MEAN_ELO, Difference, Fit, Group, Perfect, Rating, fit, without_forfeits

__all__ = [
    "MEAN_ELO",
    "Difference",
    "Fit",
    "Group",
    "Perfect",
    "Rating",
    "fit",
    "without_forfeits",
]
