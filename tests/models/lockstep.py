"""Engines and their naive models side by side, over random matches.

python tests/models/lockstep.py imperial 10000
"""

import sys
from collections.abc import Callable
from random import Random
from typing import Any

from arena.games.cards import NAMES
from arena.games.imperial import GAME as IMPERIAL
from tests.models import imperial
from tests.models.lockstep_mpirimpa import play_mpirimpa
from tests.models.lockstep_shedding import play_idiot, play_imp
from tests.models.stories import advance, shuffled

REVOKES = 0.02
"""Share of decisions in which any card of the hand is named, legal or not."""


def clumped(deck: list[int], rng: Random) -> list[int]:
    """Deck in which cards of a suit lie together, for more imperials and void suits than chance gives."""
    return sorted(deck, key=lambda card: card % 4 + 3 * rng.random())


def play_imperial(seed: int) -> None:
    rng = Random(seed)
    players = rng.choice(IMPERIAL.players)
    options = IMPERIAL.options(target_imperials=rng.randint(1, 6), max_deals=rng.choice((1, 4, 100)))
    cards = IMPERIAL.deck(options, players)
    arrange = rng.choice((shuffled, clumped))
    state = IMPERIAL.new(options, players, rng.randrange(players))
    score = imperial.Score(points=[0] * players, dealer=state.position()["dealer"])
    story = imperial.match(
        score, players=players, target=24 * options.target_imperials, max_deals=options.max_deals
    )
    request: Any = next(story)
    while request is not None:
        heard = len(score.said)
        if isinstance(request, imperial.Deck):
            assert (state.to_act(), state.over()) == (None, False)
            deck = arrange(cards, rng)
            events = state.deal(deck)
            request = advance(story, [NAMES[card] for card in deck])
        else:
            action = choose_card(state, request, score.hands[request.seat], rng)
            events = state.play(action)
            request = advance(story, action)
        assert events == score.said[heard:]
        compare(state, score)
    assert (state.over(), state.legal()) == (True, [])
    assert list(state.places()) == imperial.places(score)


def choose_card(state: Any, request: imperial.Card, hand: list[str], rng: Random) -> str:
    held = [f"play {card}" for card in hand]
    assert state.to_act() == request.seat
    assert state.legal() == request.legal
    assert state.fallback() == request.legal[0]
    assert all(state.is_legal(f"play {card}") == (card in hand) for card in NAMES)
    return rng.choice(held if rng.random() < REVOKES else request.legal)


def compare(state: Any, score: imperial.Score) -> None:
    position = state.position()
    told = {
        "dealer": score.dealer,
        "deal": score.deal,
        "hands": [imperial.canonical(hand) for hand in score.hands],
        "won": score.tricks,
        "revoked": score.revoked,
        "scores": score.points,
        "winner": score.winner,
    }
    assert {key: position[key] for key in told} == told


PAIRS: dict[str, Callable[[int], object]] = {
    "idiot": play_idiot,
    "imp": play_imp,
    "imperial": play_imperial,
    "mpirimpa": play_mpirimpa,
}


def main(game: str, matches: str) -> None:
    """Play that many matches; the first on which they part ends it, its seed in a note."""
    for seed in range(int(matches)):
        try:
            PAIRS[game](seed)
        except AssertionError as error:
            error.add_note(f"{game}: engine and model part in the match of seed {seed}")
            raise
    sys.stdout.write(f"{game}: engine and model agree in {matches} matches\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
