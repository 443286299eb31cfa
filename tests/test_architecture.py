"""Who may import whom: one table, read off the design (docs/architecture.md)."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent

LAYERS = (
    {"model"},
    {"games", "deals", "sandbox", "grid", "brief"},
    {"runtimes", "referee", "transcript", "overload"},
    {"seats"},
    {"table", "store"},
    {"submissions", "ratings", "starters", "conformance", "opinions"},
    {"league"},
    {"leaderboard", "verify", "exchange"},
    {"cli"},
)
"""Parts of `arena`, lowest first. A part may import itself, what stands in an earlier row, and `protocol`."""

STRANGERS = ({"games", "sandbox"}, {"games", "ratings"}, {"sandbox", "ratings"})
"""Parts that do not know of each other, whatever their rows say."""

CLIENT_EXTRAS = {"zmq", "orjson", "msgspec"}
"""What the SDK may import above the standard library: ZeroMQ, and a faster JSON when one is there."""


def part_of(path: Path) -> str:
    return path.relative_to(ROOT / "arena").parts[0].removesuffix(".py")


def imports(path: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import; ours are absolute"
            found.add(node.module or "")
            if node.module in ("arena", "protocol"):
                found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return found


def ours(path: Path) -> set[str]:
    """Parts of arena that a file imports."""
    names = {name.split(".")[1] for name in imports(path) if name.startswith("arena.")}
    return names - {"__version__"}


SOURCES = sorted((ROOT / "arena").rglob("*.py"))


@pytest.mark.parametrize(
    "path", [p for p in SOURCES if p.parent != ROOT / "arena" or p.name != "__init__.py"]
)
def test_a_part_imports_only_what_stands_below_it(path: Path) -> None:
    part = part_of(path)
    row = next(number for number, parts in enumerate(LAYERS) if part in parts)

    allowed = {part}.union(*LAYERS[:row])

    assert ours(path) <= allowed
    assert not any({part, other} in STRANGERS for other in ours(path) - {part})


@pytest.mark.parametrize("path", sorted((ROOT / "protocol").rglob("*.py")))
def test_the_protocol_imports_nothing_of_the_arena(path: Path) -> None:
    assert not any(name.split(".")[0] == "arena" for name in imports(path))


def test_what_bots_import_in_the_box_needs_the_standard_library_alone() -> None:
    import sys

    games = sorted((ROOT / "arena" / "games").rglob("*.py"))
    client = ROOT / "protocol" / "client.py"

    for path in games:
        roots = {name.split(".")[0] for name in imports(path)}
        assert roots <= sys.stdlib_module_names | {"arena"}, path
        assert ours(path) <= {"games"}, path
    roots = {name.split(".")[0] for name in imports(client)}
    assert roots <= sys.stdlib_module_names | CLIENT_EXTRAS
    assert not any(name.startswith("protocol") for name in imports(client))


def test_every_part_stands_in_one_row() -> None:
    parts = [part for row in LAYERS for part in row]

    assert len(parts) == len(set(parts))
    assert {part_of(path) for path in SOURCES} - {"__init__"} <= set(parts)
