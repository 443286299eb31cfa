"""Plays everything again: whether what stands in a store is what its leagues came to."""

from arena.verify.differences import Difference, Differs, Place
from arena.verify.leagues import Told, Verified, examined, verify, verify_table

__all__ = ["Difference", "Differs", "Place", "Told", "Verified", "examined", "verify", "verify_table"]
