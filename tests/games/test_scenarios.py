"""The worked cases of scenarios.json, each named by its id: what the rulings say in positions and actions."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from arena.games import GAMES
from arena.games.base import IllegalAction, State
from arena.games.cards import CARDS, NAMES, SUITS
from arena.games.mpirimpa import Options, standing
from arena.games.mpirimpa_melds import BONUS, Meld, bag, meld_of
from games.adapters import ADAPTERS

SCENARIOS = json.loads((Path(__file__).parent / "scenarios.json").read_text("utf-8"))


STATES = {"deal", "pos", "start"}
"""Cases that play on from a state; the others ask a pure function."""


def cases(*kinds: str) -> list[Any]:
    return [
        pytest.param(game, case, id=scenario["id"] + (f".{number}" if len(scenario["cases"]) > 1 else ""))
        for game, scenarios in SCENARIOS.items()
        for scenario in scenarios
        for number, case in enumerate(scenario["cases"], start=1)
        if case.keys() & set(kinds)
    ]


def dealt(game: str, deal: dict[str, Any]) -> State:
    rules = GAMES[game]
    assert deal["deck"] == "canonical"
    options = rules.options()
    state = rules.new(options, deal["players"], deal["dealer"])
    state.deal(rules.deck(options, deal["players"]))
    while deal.get("auto_open") and state.view(0)["phase"] in ("setup", "swap"):
        state.play(state.legal()[0])
    return state


def do(state: State, action: str) -> None:
    if action == "first_play":
        action = next(listed for listed in state.legal() if listed.startswith("play "))
    state.play(action)


def refuse(state: State, action: str) -> None:
    before = state.position()

    with pytest.raises(IllegalAction):
        state.play(action)

    assert not state.is_legal(action)
    assert state.position() == before


def list_exactly(state: State, actions: list[str]) -> None:
    assert sorted(state.legal()) == sorted(actions)


def accept(state: State, action: str) -> None:
    assert state.is_legal(action)


def hold(state: State, held: tuple[int, str]) -> None:
    seat, card = held
    assert card in state.position()["hands"][seat]


def hold_no_more(state: State, held: tuple[int, str]) -> None:
    seat, card = held
    assert card not in state.position()["hands"][seat]


def have_scored(state: State, sides: list[dict[str, int]]) -> None:
    assert state.position()["last_deal"]["sides"] == sides


STEPS: dict[str, Callable[[State, Any], None]] = {
    "do": do,
    "illegal": refuse,
    "legal": list_exactly,
    "is_legal": accept,
    "not_legal": refuse,
    "in_hand": hold,
    "not_in_hand": hold_no_more,
    "score": have_scored,
}


@pytest.mark.parametrize(("game", "case"), cases(*STATES))
def test_scenario(game: str, case: dict[str, Any]) -> None:
    adapter = ADAPTERS[game]
    state = dealt(game, case["deal"]) if "deal" in case else adapter.enter(case.get("pos") or case["start"])

    for step in case["steps"]:
        if "seat" in step:
            assert state.to_act() == step["seat"]
        for kind in STEPS.keys() & step.keys():
            STEPS[kind](state, step[kind])
        if "expect" in step:
            expected = adapter.expected(step["expect"])
            found = adapter.look(state)
            assert {key: found[key] for key in expected} == expected
        assert step.keys() <= STEPS.keys() | {"seat", "expect"}


@pytest.mark.parametrize(("game", "case"), cases("melds"))
def test_meld_scenario(game: str, case: dict[str, Any]) -> None:
    assert game == "mpirimpa"
    for told in case["melds"]:
        meld = _meld(told["meld"], casual=case.get("casual", False))
        trump = told.get("trump")
        found = {"meld": told["meld"], "trump": trump, "valid": meld is not None}
        if meld is not None:
            title = meld.title(None if trump is None else SUITS.index(trump))
            wild = None if meld.wild is None else NAMES[meld.wild]
            found |= {"clean": wild is None, "wild": wild, "cls": title, "bonus": BONUS[title]}
        assert {key: found[key] for key in told} == told


def _meld(text: str, *, casual: bool) -> Meld | None:
    cards = [CARDS[name] for name in text.split()]
    if max(map(cards.count, cards)) > 2:
        return None
    meld = meld_of(bag(cards))
    return meld if meld and (casual or meld.kind == "run") else None


@pytest.mark.parametrize(("game", "case"), cases("match"))
def test_match_scenario(game: str, case: dict[str, Any]) -> None:
    assert game == "mpirimpa"
    match = case["match"]

    totals = [sum(column) for column in zip(*match["rounds"], strict=True)]
    options = Options(target=match["target"])
    found = standing(totals, rounds=len(match["rounds"]), options=options, left=match.get("left"))

    for step in case["steps"]:
        told = {"totals": totals, "winner": found.winner, "finished": found.finished}
        assert {key: told[key] for key in step["expect"]} == step["expect"]
