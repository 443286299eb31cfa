"""The shedding games and their naive models side by side, over random matches."""

from collections import Counter
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import asdict
from random import Random
from typing import Any

from arena.games.base import State
from arena.games.cards import FULL_DECK, NAMES
from arena.games.idiot import GAME as IDIOT
from arena.games.imp import GAME as IMP
from tests.models import idiot, imp, stories
from tests.models.stories import advance, shuffled

Happened = Counter[str]
"""How often each kind of decision, event and end came."""

Story = Generator[Any, Any, None]


def play_idiot(seed: int) -> Happened:
    rng = Random(seed)
    players = rng.choice(IDIOT.players)
    options = IDIOT.options(
        rounds=rng.choice((1, 1, 2, 3)),
        seven_low=rng.random() < 0.5,
        lowest_starts=rng.random() < 0.5,
        max_plies=rng.choice((1, 30, 150, 500, 500, 500)),
    )
    table = idiot.Table(players, rng.randrange(players), **asdict(options))
    state = IDIOT.new(options, players, table.dealer)
    return side_by_side(state, table, idiot.match(table), rng) + described(options, players)


def play_imp(seed: int) -> Happened:
    """A whole match, or the end of one that starts with a few cards: else nobody goes out by a quad."""
    rng = Random(seed)
    players = rng.choice(IMP.players)
    options = IMP.options(play_on=rng.random() < 0.7, max_plies=rng.choice((1, 30, 150, 500, 500, 500)))
    table = imp.Table(players, rng.randrange(players), **asdict(options))
    if rng.random() < 0.7:
        state, story = IMP.new(options, players, table.dealer), imp.match(table)
    else:
        lay_last_cards(table, rng)
        state, story = IMP.from_position(position_of(table, options)), imp.turns(table)
    return side_by_side(state, table, story, rng) + described(options, players)


def described(options: Any, players: int) -> Happened:
    return Happened([f"{players} players", *(f"{key} {value}" for key, value in asdict(options).items())])


def lay_last_cards(table: Any, rng: Random) -> None:
    """Small hands, one of them a quad, few rows, no stock."""
    rank = rng.choice(stories.RANKS)
    cards = [card for card in stories.IN_ORDER if card[0] != rank]
    rng.shuffle(cards)
    table.hands = [[cards.pop() for _ in range(rng.randint(1, 6))] for _ in range(table.players - 1)]
    table.hands.insert(rng.randrange(table.players), [rank + suit for suit in stories.SUITS])
    table.open = [[cards.pop() for _ in range(rng.choice((0, 0, 0, 1)))] for _ in table.hands]
    table.hidden = [[cards.pop() if rng.random() < 0.2 else None for _ in range(3)] for _ in table.hands]
    table.pile = [card for card in cards if card[0] not in "24T"][: rng.randint(0, 5)]
    table.graveyard = [card for card in cards if card not in table.pile]
    table.seen = [[] for _ in table.hands]
    table.turn, table.dir = rng.randrange(table.players), rng.choice((1, -1))


def position_of(table: Any, options: Any) -> dict[str, Any]:
    zones = ("players", "dealer", "turn", "dir", "hands", "open", "hidden", "pile", "graveyard")
    return {**{zone: getattr(table, zone) for zone in zones}, "options": asdict(options)}


def side_by_side(state: State, table: Any, story: Story, rng: Random) -> Happened:
    """Play both to the end; raises AssertionError where they part."""
    choosers = [rng.choice(CHOOSERS) for _ in range(table.players)]
    happened = Happened()
    request = advance(story, None)
    while request is not None:
        heard, turn = len(table.said), table.turn
        if isinstance(request, stories.Deck):
            assert (state.to_act(), state.over(), state.legal()) == (None, False, [])
            deck = rng.choice((shuffled, ranks_together))(FULL_DECK, rng)
            events = state.deal(deck)
            request = advance(story, [NAMES[card] for card in deck])
        else:
            compare(state, table, request, rng)
            action = choose(request, rng.choice if rng.random() < 0.1 else choosers[request.seat], rng)
            events = state.play(action)
            happened.update(kinds(request, turn, action, events))
            request = advance(story, action)
        assert events == table.said[heard:]
    compare_ends(state, table)
    happened["cap" if len(table.out) < table.players - 1 and table.plies == table.max_plies else "end"] += 1
    return happened


def compare_ends(state: State, table: Any) -> None:
    assert (state.over(), state.to_act(), state.legal()) == (True, None, [])
    for seat in range(table.players):
        assert state.view(seat) == table.view(seat, "over")
    assert (list(state.places()), list(state.scores())) == (table.places(), table.scores())


def ranks_together(deck: Sequence[int], rng: Random) -> list[int]:
    """Deck in which cards of a rank lie together, for more quads than chance gives."""
    return sorted(deck, key=lambda card: card // 4 + 5 * rng.random())


def compare(state: Any, table: Any, request: Any, rng: Random) -> None:
    """What is asked, of whom, what is legal, where the cards are, and what one of the seats sees."""
    assert (state.over(), state.to_act()) == (False, request.seat)
    assert state.legal() == request.legal
    assert state.fallback() == ("pass" if request.phase == "quad" else request.legal[0])
    for action in guesses(table.hands[request.seat], rng):
        assert state.is_legal(action) == (in_order(action) in request.legal), action
    position = state.position()
    told = {"hidden": table.hidden, "stock": table.stock, "out": table.out, "plies": table.plies}
    assert {key: position[key] for key in told} == told
    assert [stories.canonical(hand) for hand in position["hands"]] == list(
        map(stories.canonical, table.hands)
    )
    seat = rng.randrange(table.players)
    phase = "turn" if request.phase == "quad" and seat != request.seat else request.phase
    assert state.view(seat) == table.view(seat, phase)


def guesses(hand: list[str], rng: Random) -> Iterator[str]:
    """Actions of all phases and zones, some of them legal at one time or another."""
    rank = rng.choice(stories.RANKS)
    yield from ("pickup", "pass", f"quad {rank}", f"flip {rng.randrange(-1, 4)}", f"play {rng.choice(NAMES)}")
    yield f"play {' '.join(rank + suit for suit in rng.sample(stories.SUITS, rng.randint(0, 4)))}"
    for verb in ("play", "open"):
        yield f"{verb} {' '.join(rng.sample(hand, min(len(hand), rng.randint(1, 3))))}"


def in_order(action: str) -> str:
    verb, *words = action.split(" ")
    named = all(word in stories.IN_ORDER for word in words)
    return " ".join([verb, *(stories.canonical(words) if named else words)])


def lowest(legal: list[str]) -> str:
    """As people play: the special ranks last."""
    return next((action for action in legal if action[5:6] not in ("2", "T")), legal[0])


def highest(legal: list[str]) -> str:
    return legal[-1]


def keep_sets(legal: list[str]) -> str:
    """On the way to four of a kind."""
    if "pass" in legal:
        return "pass"
    ranks = [action[5:6] for action in legal]
    return min(legal, key=lambda action: ranks.count(action[5:6]))


def most_cards(legal: list[str]) -> str:
    return max(legal, key=len)


Chooser = Callable[[list[str]], str]
CHOOSERS: tuple[Chooser, ...] = (lowest, lowest, keep_sets, most_cards, highest)


def choose(request: Any, chooser: Chooser, rng: Random) -> str:
    """Mostly without picking up; cards are named in any order."""
    forward = [action for action in request.legal if action != "pickup"]
    action = chooser(forward if forward and rng.random() < 0.95 else request.legal)
    verb, *words = action.split(" ")
    return " ".join([verb, *rng.sample(words, len(words))])


def kinds(request: Any, turn: int | None, action: str, events: list[str]) -> Iterator[str]:
    """What one decision shows, as words to be counted."""
    verb = action.split(" ", maxsplit=1)[0]
    yield f"{request.phase} {request.zone}"
    yield f"{verb} of {len(action.split(' ')) - 1}"
    if request.phase == "quad":
        ending = " and out" if " out " in " ".join(events) else ""
        yield f"{verb} {'of the mover' if request.seat == turn else 'of another'}{ending}"
    for event in events:
        words = event.split(" ")
        kind = words[0] if words[0] in ("burn", "dir") else words[1]
        yield f"flip {words[-1]}" if kind == "flip" else kind
        if kind == "burn":
            yield f"burn from {request.zone} by {'a ten' if 'T' in events[0] else 'four'}"
        if kind == "out":
            yield f"out from {request.zone} by a {'quad' if verb == 'quad' else shown(events[0])}"


def shown(event: str) -> str:
    """Rank of the cards that an event names."""
    return next(word[0] for word in event.split(" ") if word in stories.IN_ORDER)
