"""What all models need to be played beside their engines."""

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

RANKS = ["2", "3", "4", "5", "6", "7", "8", "9", "T", "J", "Q", "K", "A"]
SUITS = ["c", "d", "h", "s"]
IN_ORDER = [rank + suit for rank in RANKS for suit in SUITS]
PLACE = {card: place for place, card in enumerate(IN_ORDER)}


@dataclass
class Deck:
    """The story wants the next deck."""


@dataclass
class Ask:
    """The story wants an action of a seat, from one of its zones."""

    seat: int
    phase: str
    zone: str
    legal: list[str]


def canonical(cards: list[str]) -> list[str]:
    return sorted(cards, key=PLACE.__getitem__)


def shuffled(deck: Sequence[int], rng: Random) -> list[int]:
    return rng.sample(deck, len(deck))


def advance(story: Any, answer: Any) -> Any:
    """Next request of a story, None at its end."""
    try:
        return story.send(answer)
    except StopIteration:
        return None
