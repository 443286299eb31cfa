"""What the games say in their short words, in ours: the phrase book of `arena play`.

A game can be played without a line here: what stands in no table is shown as the game has it.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby

import msgspec

from arena.games.cards import CARDS, RANKS

Show = Callable[[str], str]
"""Text of a card -> how it is shown."""


class Order(msgspec.Struct, frozen=True):
    """How a hand is sorted."""

    ranks: str = RANKS
    """From left to right."""
    by_suit: bool = True
    """Whether suits stand together, or ranks."""


ORDERS = {
    "idiot": Order("3456789JQKA2T", by_suit=False),
    "imp": Order("56789JQKA234T", by_suit=False),
    "imperial": Order("6789TAJQK"),
}
"""By game, where it is not the usual one: cards that fit on anything stand at the right."""

EVENTS = (
    (r"(\d) open (.+)", "{0} lays/lay open {1}"),
    (r"(\d) play (.+)", "{0} plays/play {1}"),
    (r"(\d) flip \d (\S+) ok", "{0} turns/turn over {1}, which fits"),
    (
        r"(\d) flip \d (\S+) fail",
        "{0} turns/turn over {1}, which does not fit, and takes/take it with the pile",
    ),
    (r"(\d) pickup (\d+)", "{0} takes/take the pile ({1})"),
    (r"(\d) quad (\S+)", "{0} lays/lay four of a kind: {1}"),
    (r"(\d) draw (\d+)", "{0} draws/draw {1}"),
    (r"(\d) draw", "{0} draws/draw"),
    (r"(\d) out (\d+)", "{0} is/are out, in place {1}"),
    (r"burn", "the pile burns"),
    (r"dir 1", "play goes clockwise now"),
    (r"dir -1", "play goes counter-clockwise now"),
    (r"deal (\d+) trump ([cdhs]) turned (\S+)", "deal {0}: trumps are {1}, {2} was turned up"),
    (r"(\d) imperial ([cdhs]) (\d+)", "{0} shows/show an imperial of {1} for {2}"),
    (r"(\d) honours (\d+)", "{0} has/have {1} honours"),
    (r"(\d) honour_points (\d+)", "{0} scores/score {1} for the most honours"),
    (r"(\d) revoke attempted (\S+) played \S+", "{0} revokes/revoke, with {1}"),
    (r"(\d) wins_trick", "{0} wins/win the trick"),
    (r"(\d) trick_points (\d+)", "{0} scores/score {1} for tricks"),
    (r"(\d) wins", "{0} wins/win the match"),
    (r"(\d) take (.+)", "{0} takes/take the pile: {1}"),
    (r"(\d) meld \d+ (.+)", "{0} melds/meld {1}"),
    (r"(\d) add (\d+) (.+)", "{0} adds/add {2} to meld {1}"),
    (r"(\d) discard (\S+)", "{0} discards/discard {1}"),
    (r"(\d) packet", "{0} takes/take the packet"),
    (r"(\d) close", "{0} closes/close the round"),
    (r"round_end (-?\d+) (-?\d+)", "the round is over: {0} to {1}"),
)
"""What a game tells -> the sentence for it, verbs as others and as you do it. The first that fits counts."""

ACTIONS = {
    "flip 0": "left",
    "flip 1": "middle",
    "flip 2": "right",
    "pickup": "the pile",
    "pass": "keep it",
    "draw": "from the stock",
    "take": "the whole pile",
}
"""An action without cards -> what stands beside its verb."""

VALUES = {("dir", 1): "clockwise", ("dir", -1): "counter-clockwise"}
"""Field of a view and its value -> what is shown for it."""

QUESTIONS = {
    "setup": "Which three shall lie open?",
    "swap": "Which three shall lie open?",
    "quad": "You hold four of a kind. Lay them?",
    "draw": "Draw, or take the pile?",
    "justify": "Lay one of the cards that you took.",
    "meld": "Lay melds, or discard to end your turn.",
}
"""By phase of a game."""

UNLISTED = {
    "imperial": "You have to follow suit, else to trump: this is a revoke, and your tricks will not score."
}
"""By game: what to think of before one plays what is not listed, though the game takes it."""


def told(events: Iterable[str], names: Sequence[str], you: int, show: Show) -> list[str]:
    """Sentences for what happened; what one seat does without a break is one sentence."""
    phrases = [_phrase(event, names, you, show) for event in events]
    return [
        ", ".join([f"{who} {deed}" if who and not number else deed for number, (_, deed) in enumerate(deeds)])
        for who, group in groupby(phrases, key=lambda phrase: phrase[0])
        for deeds in _runs(who, list(group))
    ]


def _runs(who: str, deeds: list[tuple[str, str]]) -> Iterator[list[tuple[str, str]]]:
    """What nobody in particular does is a sentence each."""
    if who:
        yield deeds
    else:
        yield from ([deed] for deed in deeds)


def _phrase(event: str, names: Sequence[str], you: int, show: Show) -> tuple[str, str]:
    """Who did something, and what; nobody in particular is an empty text."""
    for pattern, sentence in EVENTS:
        match = re.fullmatch(pattern, event)
        if match:
            return _spoken(match.groups(), sentence, names, you, show)
    first, _, rest = event.partition(" ")
    if first.isdecimal() and int(first) < len(names) and rest:
        return names[int(first)], worded(rest, show)
    return "", worded(event, show)


def _spoken(
    parts: Sequence[str], sentence: str, names: Sequence[str], you: int, show: Show
) -> tuple[str, str]:
    who, found = "", list(parts)
    if sentence.startswith("{0} ") and "/" in sentence:
        seat = int(found[0])
        who, sentence = names[seat], re.sub(r"(\w+)/(\w+)", r"\2" if seat == you else r"\1", sentence[4:])
    return who, sentence.format(*[worded(part, show) for part in found])


def worded(text: str, show: Show) -> str:
    """Words of a game with its cards shown, and suits where they stand alone."""
    return " ".join(
        show(word) if word in CARDS or word in {*"cdhs"} else word
        for word in text.replace("_", " ").split(" ")
    )


def parts(action: str) -> tuple[str, str]:
    """An action as its head and the item under it: cards, or what else it names."""
    words = action.split(" ")
    cards = next((place for place, word in enumerate(words) if word in CARDS), 1)
    return " ".join(words[:cards]), ACTIONS.get(action, " ".join(words[cards:]))
