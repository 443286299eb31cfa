"""A tournament runner for card-playing bots."""

__version__ = "0.1.0"
