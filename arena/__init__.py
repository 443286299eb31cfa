"""A tournament runner for card-playing bots."""

from protocol import __version__ as __version__
