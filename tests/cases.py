"""Bots that are bad on purpose, with the verdict and what they need in the first comments of their files."""

from itertools import takewhile
from pathlib import Path

import msgspec

from arena.model import FaultKind

STDIO, HURRY, EARLY = "over stdio", "on a short clock", "with little time to start"
SMALL = "in 64 MiB"
NEEDS = {STDIO, HURRY, EARLY, SMALL}


class Case(msgspec.Struct, frozen=True):
    path: Path
    kind: FaultKind | None
    detail: str
    needs: frozenset[str]

    @property
    def name(self) -> str:
        return self.path.stem


def cases(folder: Path) -> list[Case]:
    return [case(path) for path in sorted(folder.glob("*.py")) if path.stem != "speak"]


def case(path: Path) -> Case:
    lines = takewhile(lambda line: line.startswith("# "), path.read_text("utf-8").splitlines())
    verdict, *needs = (line[2:] for line in lines)
    kind, _, detail = verdict.partition(" ")
    assert set(needs) <= NEEDS
    return Case(path, None if kind == "NONE" else FaultKind(kind), detail, frozenset(needs))
