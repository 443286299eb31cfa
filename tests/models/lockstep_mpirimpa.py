"""Mpirimpa and its naive model side by side, over random matches."""

from collections import Counter
from random import Random
from typing import Any

from arena.games.cards import NAMES
from arena.games.mpirimpa import GAME as MPIRIMPA
from tests.models import mpirimpa
from tests.models.stories import advance, shuffled

Happened = Counter[str]
"""How often each kind of action, event and end came."""


def clumped(deck: list[int], rng: Random) -> list[int]:
    """Deck in which cards of a suit lie together, for more melds and closed rounds than chance gives."""
    return sorted(deck, key=lambda card: card % 4 + 3 * rng.random())


def play_mpirimpa(seed: int) -> Happened:
    rng = Random(seed)
    players = rng.choice(MPIRIMPA.players)
    options = MPIRIMPA.options(
        target=rng.choice((505, 2005)),
        trump_suit=rng.random() < 0.7,
        casual=rng.random() < 0.3,
        max_rounds=rng.choice((1, 1, 1, 2, 3)),
        max_turns=rng.choice((7, 400)),
    )
    arrange = rng.choice((shuffled, clumped))
    discards = rng.choice((0.02, 0.1, 0.5))
    state = MPIRIMPA.new(options, players, rng.randrange(players))
    table = mpirimpa.Table(players, options.casual, state.position()["dealer"])
    happened = Happened({f"{players} players": 1, "casual": options.casual})
    story = mpirimpa.match(
        table,
        target=options.target,
        max_rounds=options.max_rounds,
        max_turns=options.max_turns,
        trump_suit=options.trump_suit,
    )
    request: Any = next(story)
    while request is not None:
        heard = len(table.said)
        if isinstance(request, mpirimpa.Deck):
            assert (state.to_act(), state.over()) == (None, False)
            deck = arrange(MPIRIMPA.deck(options, players), rng)
            events = state.deal(deck)
            request = advance(story, [NAMES[card] for card in deck])
        else:
            action = choose_action(state, request, rng, discards)
            happened[f"{request.phase} {action.split(' ')[0]}"] += 1
            happened["not listed"] += action not in request.legal
            events = state.play(action)
            happened.update(event.split(" ")[1] for event in events[1:] if event[0].isdigit())
            request = advance(story, action)
        assert events == table.said[heard:]
        compare_tables(state, table)
    assert (state.over(), state.legal()) == (True, [])
    assert list(state.places()) == mpirimpa.places(table)
    happened[f"{table.round} rounds"] += 1
    return happened


def choose_action(state: Any, request: mpirimpa.Ask, rng: Random, discards: float) -> str:
    """Mostly lay what can be laid, sometimes more cards at once than the list names."""
    assert (state.to_act(), state.phase) == (request.seat, request.phase)
    assert state.legal() == request.legal
    assert state.fallback() == next(
        (action for action in request.legal if request.phase == "meld" and action[:7] == "discard"),
        request.legal[0],
    )
    longer = longer_actions(request, rng)
    assert [state.is_legal(action) for action in longer] == [request.accepts(action) for action in longer]
    taken = [action for action in longer if request.accepts(action)]
    if taken and rng.random() < 0.3:
        return rng.choice(taken)
    forward = [action for action in request.legal if action[:7] != "discard"]
    return rng.choice(forward if forward and rng.random() > discards else request.legal)


def longer_actions(request: mpirimpa.Ask, rng: Random) -> list[str]:
    """Random cards of the hand, most of a suit, as a meld and as an add; few are legal."""
    hand, melds = request.table.hands[request.seat], request.table.melds[request.seat % 2]
    actions = ["take", f"discard {rng.choice(mpirimpa.RANKS)}{rng.choice(mpirimpa.SUITS)}"]
    for suit in mpirimpa.SUITS:
        wild = [card for card in hand if card in mpirimpa.WILDS]
        suited = [card for card in hand if card[1] == suit] + wild[:1]
        cards = rng.sample(suited, rng.randint(0, min(5, len(suited))))
        named = " ".join([*cards, *rng.sample(hand, rng.random() < 0.2)])
        actions += [f"meld {named}", f"add {rng.randint(0, len(melds))} {named}"]
    return actions


def compare_tables(state: Any, table: mpirimpa.Table) -> None:
    position = state.position()
    told = {
        "dealer": table.dealer,
        "round": table.round,
        "trump": table.trump,
        "hands": [mpirimpa.canonical(hand) for hand in table.hands],
        "packets": [mpirimpa.canonical(packet) for packet in table.packets],
        "discard": table.pile,
        "stock": table.stock,
        "taken": table.taken,
        "must_use": mpirimpa.canonical(table.must_use),
        "barred": table.may_not_return,
        "scores": table.totals,
    }
    assert {key: position[key] for key in told} == told
    melds = [[mpirimpa.canonical(meld) for meld in own] for own in position["melds"]]
    assert melds == [[mpirimpa.canonical(meld) for meld in own] for own in table.melds]
