"""The wire between the arena and its bots. Imports nothing of arena."""

__version__ = "0.1.0"
