"""What no bot may do, whatever it sends: change a state, or raise anything but IllegalAction."""

import re
from collections.abc import Iterator
from functools import cache
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.games import GAMES
from arena.games.base import IllegalAction, State
from arena.games.cards import NAMES
from games.playing import TABLES, moments, option_sets, seeds, some_moment, steady
from games.test_docs import rows, section

every_table = pytest.mark.parametrize(("name", "players"), TABLES)

LONGEST_ERROR = 500
"""Characters."""

WELL_FORMED = re.compile(r"[a-z]+( [0-9A-Za-z]+)*")

BLANKS = ("\t", "\n", "\r", "\0", "\v", "\x1b", "\x7f", "\xa0", "\u2003", "\u200b", "\ufeff", "  ")

LOOK_ALIKES = str.maketrans(
    "aceipsxyAKJTQ23",
    "\u0430\u0441\u0435\u0456\u0440\u0455\u0445\u0443\u0410\u212a\u0408\u03a4\uff31\u0662\uff13",
)

OTHER_CHARACTERS = [*"23456789TJQKAcdhsxk 01-+_.,\"'\\", *BLANKS, "\ud800", "\U0001f0a1", "e\u0301"]

LONG = [
    "x" * 65_536,
    "\U0001f0a1" * 16_384,
    " " * 65_536,
    "play " * 13_107,
    "open " + "2c 2d 2h " * 7_280,
    "play " + "2c " * 21_843,
    "meld " + "2c " * 21_843,
    "add " + "9" * 65_532,
    "add 0 " + "Jk " * 21_843,
    "flip " + "0" * 65_531,
    "quad " + "\t" * 65_531,
    "discard 2c" + "\0" * 65_526,
]

NO_TEXT: list[Any] = [
    None,
    True,
    0,
    -1,
    1.5,
    float("nan"),
    b"pickup",
    [],
    ["pickup"],
    {},
    ("play", "2c"),
    object(),
]


@cache
def actions_of(name: str) -> list[str]:
    """Actions that were legal at some moment of some match, of every phase."""
    game = GAMES[name]
    seen = {
        action
        for players in game.players
        for seed in range(4)
        for state, _ in moments(game, game.options(), players, seed)
        for action in state.legal()
    }
    return sorted(seen)


def changed(action: str, rng: Random) -> Iterator[str]:
    """One slip each: a character, a blank, a case, a card."""
    place = rng.randrange(len(action) + 1)
    yield action[:place] + rng.choice(OTHER_CHARACTERS) + action[place:]
    yield action[:place] + rng.choice(OTHER_CHARACTERS) + action[place + 1 :]
    yield action[:place] + action[place + 1 :]
    yield action[:place].swapcase() + action[place:]
    yield from (action.upper(), action.title(), action.swapcase(), action.translate(LOOK_ALIKES))
    for blank in BLANKS:
        yield from (
            blank + action,
            action + blank,
            action.replace(" ", blank),
            action[:place] + blank + action[place:],
        )
    verb, *words = action.split(" ")
    named = words or ["2c"]
    yield from (
        " ".join([verb, *words, *named]),
        " ".join([verb, *words, rng.choice(NAMES)]),
        f"{verb} {verb}",
    )
    yield from (
        " ".join([verb, *words[:-1], rng.choice(NAMES)]),
        " ".join([verb, *words[1:]]),
        " ".join([verb, *NAMES]),
    )
    yield from (
        " ".join(words),
        " ".join([*words, verb]),
        f"{verb}{''.join(words)}",
        ",".join([verb, *words]),
    )


def refused(state: State, action: Any) -> str | None:
    """What the refusal says; None when the action is legal, which its form must then allow."""
    before, legal = state.position(), state.is_legal(action)
    assert type(legal) is bool
    if legal:
        assert WELL_FORMED.fullmatch(action), ascii(action)
        assert state.clone().play(action) is not None
        assert state.position() == before
        return None
    with pytest.raises(IllegalAction) as refusal:
        state.play(action)
    assert type(refusal.value) is IllegalAction
    assert state.position() == before
    return str(refusal.value)


def assert_helpful(text: str, state: State) -> None:
    assert text.isprintable()
    assert text.isascii()
    assert len(text) <= LONGEST_ERROR
    if state.to_act() is None:
        assert "nobody is to act" in text
    else:
        assert f"expected {state.legal()[0]}" in text


@every_table
@steady
@given(data=st.data(), seed=seeds)
def test_near_misses_and_actions_of_other_phases_and_games_are_refused_and_change_nothing(
    name, players, data, seed
):
    game, rng = GAMES[name], Random(seed)
    state = some_moment(game, data.draw(option_sets(game)), players, seed)
    legal = state.legal()
    near = [miss for action in rng.sample(legal, min(3, len(legal))) for miss in changed(action, rng)]
    foreign = [action for other in GAMES for action in rng.sample(actions_of(other), 30)]

    for action in [*near, *foreign]:
        text = refused(state, action)
        if text is not None:
            assert_helpful(text, state)


@every_table
@steady
@given(
    data=st.data(),
    seed=seeds,
    texts=st.lists(
        st.one_of(st.text(max_size=100), st.text("playoenfickuqdm 0123456789TJQKAchs", max_size=30)),
        max_size=20,
    ),
)
def test_random_texts_are_refused_and_change_nothing(name, players, data, seed, texts):
    game = GAMES[name]
    state = some_moment(game, data.draw(option_sets(game)), players, seed)

    for action in texts:
        text = refused(state, action)
        if text is not None:
            assert_helpful(text, state)


@every_table
@steady
@given(data=st.data(), seed=seeds)
def test_what_is_long_or_no_text_is_never_legal_and_changes_nothing(name, players, data, seed):
    game = GAMES[name]
    state = some_moment(game, data.draw(option_sets(game)), players, seed)
    padded = [action + " " * (65_536 - len(action)) for action in state.legal()[:1]]

    for action in [*LONG, *NO_TEXT, *padded]:
        text = refused(state, action)
        assert text is not None
        assert_helpful(text, state)


@pytest.mark.parametrize("name", GAMES)
def test_the_actions_tried_on_other_phases_are_of_every_verb_of_the_page(name):
    told = rows(section(name, "Actions").split("\nEvents")[0])

    assert {action.split(" ")[0] for action in actions_of(name)} == {row[0].split(" ")[0] for row in told}
