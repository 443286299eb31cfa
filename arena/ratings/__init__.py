"""Ratings: a joint fit over all matches, and how sure it is (docs/ratings.md). Knows no game and no store."""

from arena.ratings.crossed import Crossing, Crossings, crossings
from arena.ratings.fit import (
    MEAN_ELO,
    Difference,
    Fit,
    Group,
    Model,
    Perfect,
    Rating,
    fit,
    without_forfeits,
)
from arena.ratings.intervals import CONFIDENCE
from arena.ratings.seats import TEST_MIN_BOARDS, Bias, Seats, seat_scores

__all__ = [
    "CONFIDENCE",
    "MEAN_ELO",
    "TEST_MIN_BOARDS",
    "Bias",
    "Crossing",
    "Crossings",
    "Difference",
    "Fit",
    "Group",
    "Model",
    "Perfect",
    "Rating",
    "Seats",
    "crossings",
    "fit",
    "seat_scores",
    "without_forfeits",
]
