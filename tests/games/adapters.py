"""From the flat keys of scenarios.json to the engines' positions and back: one `Adapter` a game."""

from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import Any, NamedTuple

from arena.games import GAMES
from arena.games.base import State


class Adapter(NamedTuple):
    enter: Callable[[Mapping[str, Any]], State]
    """The keys of a `pos` or a `start` -> a state."""
    look: Callable[[State], dict[str, Any]]
    """A state -> everything that an `expect` may name."""
    expected: Callable[[Mapping[str, Any]], dict[str, Any]]
    """An `expect` as `look` gives it: zones without an order sorted."""


def entering(game: str, renamed: Mapping[str, str]) -> Callable[[Mapping[str, Any]], State]:
    """Put options under "options", and zones under the names of the position."""

    def enter(keys: Mapping[str, Any]) -> State:
        named = {renamed.get(key, key): value for key, value in keys.items()}
        options = {field.name for field in fields(GAMES[game].options)} & set(named)
        zones = {key: value for key, value in named.items() if key not in options}
        return GAMES[game].from_position({**zones, "options": {name: named[name] for name in options}})

    return enter


def look_at_shedding(state: Any) -> dict[str, Any]:
    position, view = state.position(), state.view(0)
    gone = next(key for key in ("graveyard", "burnt") if key in position)
    return {
        **{key: position[key] for key in ("phase", "pile", "hidden", "stock", "out", "plies")},
        "hands": [sorted(hand) for hand in position["hands"]],
        "open": [sorted(row) for row in position["open"]],
        "grave": sorted(position[gone]),
        "burnt": sorted(position[gone]),
        "dir": position.get("dir"),
        "effective": view.get("effective"),
        "to_act": state.to_act(),
        "stock_count": view["stock_count"],
        "stock_top": (position["stock"] or [None])[0],
        "legal_count": len(state.legal()),
        "capped": state.capped(),
        "places": list(state.places()) if state.over() else None,
    }


def expected_of_shedding(expected: Mapping[str, Any]) -> dict[str, Any]:
    nested = {key: [sorted(row) for row in expected[key]] for key in ("hands", "open") if key in expected}
    return {
        **expected,
        **nested,
        **{key: sorted(expected[key]) for key in ("grave", "burnt") if key in expected},
    }


def look_at_imperial(state: Any) -> dict[str, Any]:
    position = state.position()
    return {
        **position,
        "hands": [sorted(hand) for hand in position["hands"]],
        "talon_count": len(position["talon"]),
        "target": state.view(0)["target"],
        "trick_points": position["last_deal"] and position["last_deal"]["trick_points"],
        "places": list(state.places()) if state.over() else None,
    }


def expected_of_imperial(expected: Mapping[str, Any]) -> dict[str, Any]:
    return {
        key: [sorted(hand) for hand in value] if key == "hands" else value for key, value in expected.items()
    }


def look_at_mpirimpa(state: Any) -> dict[str, Any]:
    position = state.position()
    return {
        **{key: position[key] for key in ("discard", "trump", "taken")},
        "phase": "over" if position["phase"] == "deal" else position["phase"],
        "hands": [sorted(hand) for hand in position["hands"]],
        "hand_sizes": [len(hand) for hand in position["hands"]],
        "melds": [[sorted(meld) for meld in own] for own in position["melds"]],
        "packet_sizes": [len(packet) for packet in position["packets"]],
        "stock_count": len(position["stock"]),
        "to_act": state.to_act(),
        "closed": position["last_deal"] and position["last_deal"]["closed"],
    }


def expected_of_mpirimpa(expected: Mapping[str, Any]) -> dict[str, Any]:
    """Hands and melds as `look_at_mpirimpa` gives them."""
    rows = {key: [sorted(hand) for hand in expected[key]] for key in ("hands",) if key in expected}
    melds = [[sorted(meld) for meld in own] for own in expected.get("melds", ())]
    return {**expected, **rows, **({"melds": melds} if melds else {})}


ADAPTERS = {
    "imp": Adapter(entering("imp", {"grave": "graveyard"}), look_at_shedding, expected_of_shedding),
    "idiot": Adapter(entering("idiot", {}), look_at_shedding, expected_of_shedding),
    "imperial": Adapter(
        entering("imperial", {"imperials": "target_imperials", "deal_no": "deal"}),
        look_at_imperial,
        expected_of_imperial,
    ),
    "mpirimpa": Adapter(entering("mpirimpa", {}), look_at_mpirimpa, expected_of_mpirimpa),
}
