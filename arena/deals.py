"""Seeds to decks, so that anyone can deal the same cards again: `docs/deals.md` specifies every byte.

secret -> board seed -> decks and the bots' own seeds; each arrow is one-way. Pure, imports nothing of ours.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from itertools import count
from struct import unpack
from typing import Any

WORDS = 1 << 32
"""Words there are: few enough that any language holds one exactly, so many that one is rarely drawn again."""


def commitment(secret: bytes) -> str:
    """What is shown before the first card is dealt: SHA-256 of the secret, 64 hex digits."""
    return sha256(secret).hexdigest()


def league_secret(seed: str, growth: int) -> bytes:
    """Secret for a seed that somebody chose: of a league's beginning, 0, or of one of its growths, from 1."""
    return _digest(b"card-arena league", seed.encode(), _number(growth))


def board_seed(
    secret: bytes, *, game: str, options: Mapping[str, Any], versions: Sequence[str], number: int
) -> bytes:
    """32 bytes from which the board's decks are made; the order of the versions does not matter.

    The options go in as they are given (bools, ints, strings): the caller names every option with its value.
    """
    lineup = sorted(versions)
    return _digest(
        b"card-arena board",
        secret,
        game.encode(),
        json.dumps(dict(options), sort_keys=True, separators=(",", ":"), allow_nan=False).encode(),
        _number(len(lineup)),
        *(version.encode() for version in lineup),
        _number(number),
    )


def deck(seed: bytes, k: int, cards: Sequence[int]) -> list[int]:
    """Give the cards in the order of deck k of a board, from 0; element 0 is dealt first."""
    words = _words(seed, k)
    dealt = list(cards)
    for last in range(len(dealt) - 1, 0, -1):
        chosen = _below(last + 1, words)
        dealt[last], dealt[chosen] = dealt[chosen], dealt[last]
    return dealt


def bot_seed(seed: bytes, seat: int) -> int:
    """64 bits for a bot's own randomness; says nothing about the cards."""
    return int.from_bytes(_digest(b"card-arena bot", seed, _number(seat))[:8], "big")


def _words(seed: bytes, k: int) -> Iterator[int]:
    """Endless stream of 32-bit words: SHA-256 in counter mode."""
    for block in count():
        yield from unpack(">8I", _digest(b"card-arena deck", seed, _number(k), _number(block)))


def _below(bound: int, words: Iterator[int]) -> int:
    """Uniform in 0..bound-1: a word beyond the last whole multiple of the bound is thrown away: no bias."""
    accepted = WORDS // bound * bound
    word = next(words)
    while word >= accepted:
        word = next(words)
    return word % bound


def _digest(*parts: bytes) -> bytes:
    """SHA-256 over the parts, each after its length in 8 bytes: no two lists of parts give the same bytes."""
    return sha256(b"".join(_number(len(part)) + part for part in parts)).digest()


def _number(value: int) -> bytes:
    return value.to_bytes(8, "big")
