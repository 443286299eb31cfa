"""From what a human types to an action of the game."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from arena.cli.words import parts
from arena.games.cards import CARDS

GLYPHS = str.maketrans("♣♧♦♢♥♡♠♤,;", "ccddhhss  ")
NAMES = {name.lower(): name for name in CARDS}
CARD = re.compile(r"jk|[2-9tjqka][cdhs]")


def words(text: str) -> list[str]:
    """What was typed, word by word in small letters, cards as a game spells them: `10♥` is `th`."""
    found: list[str] = []
    for word in re.sub(r"10(?=[cdhs])", "t", text.lower().translate(GLYPHS)).split():
        cards = CARD.findall(word)
        found += cards if "".join(cards) == word else [word]
    return ["t" if word == "10" else word for word in found]


def meant(text: str, legal: Sequence[str]) -> list[str]:
    """Actions of the list that the text may mean: the one of a number; those it names; those it begins."""
    if text.strip().isdecimal():
        number = int(text)
        return [legal[number - 1]] if 0 < number <= len(legal) else []
    typed = words(text)
    named = [action for action in legal if any(Counter(typed) == Counter(form) for form in _forms(action))]
    return named or [action for action in legal if _is_begun(typed, action)]


def _is_begun(typed: list[str], action: str) -> bool:
    head = words(parts(action)[0])
    return " ".join(head).startswith(" ".join(typed)) or any(_begins(typed, form) for form in _forms(action))


def _forms(action: str) -> Iterator[list[str]]:
    """Ways to say an action: as the game does, as it is shown, and without the verb."""
    head, item = parts(action)
    yield words(action)
    if item:
        yield words(f"{head} {item}")
        yield words(item)


def _begins(typed: list[str], action: list[str]) -> bool:
    """Whether each typed word begins another word of the action, of which there are no more."""
    left = list(action)
    for word in sorted(typed, key=len, reverse=True):
        match = next((other for other in left if other.startswith(word)), None)
        if match is None:
            return False
        left.remove(match)
    return not left


def spelled(text: str, legal: Sequence[str]) -> list[str]:
    """What the text would be as actions that are in no list: the cards under any verb that it may begin."""
    typed = words(text)
    cards = [NAMES[word] for word in typed if word in NAMES]
    head = " ".join(word for word in typed if word not in NAMES)
    heads = dict.fromkeys(parts(action)[0] for action in legal)
    wanted = [known for known in heads if known.startswith(head)] or [head]
    return [" ".join([known, *cards]) for known in wanted]
