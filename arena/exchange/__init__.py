"""A league as one file for another workspace, where all of it is played again before it is taken in."""

from arena.exchange.arriving import Arrived, arrive
from arena.exchange.leaving import export

__all__ = ["Arrived", "arrive", "export"]
