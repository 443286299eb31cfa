"""What all models need to be played beside their engines."""

from collections.abc import Sequence
from random import Random
from typing import Any


def shuffled(deck: Sequence[int], rng: Random) -> list[int]:
    return rng.sample(deck, len(deck))


def advance(story: Any, answer: Any) -> Any:
    """Next request of a story, None at its end."""
    try:
        return story.send(answer)
    except StopIteration:
        return None
