"""What was probably meant by a path at which there is no bot: for a sentence, nothing is read or run."""

import contextlib
import re
from collections.abc import Sequence
from fnmatch import fnmatchcase
from pathlib import Path

from arena.model import near
from arena.runtimes import MANIFEST, RUNTIMES
from arena.submissions.tree import LEFT_OUT, BadSubmission, shown
from protocol.text import pasted

NAMED = 8
"""How many of what was found are named."""

SUFFIXES = frozenset(suffix for runtime in RUNTIMES.values() for suffix in runtime.suffixes)


def check_meant(folder: Path) -> None:
    """Raise BadSubmission for a folder that is no bot; says which bots it holds. Other paths are let pass."""
    found = _entries(folder)
    if found is None or MANIFEST in [path.name for path in found] or list(map(_is_file, found)) == [True]:
        return
    bots = [path for path in found if _is_bot(path)]
    programs = [path.name for path in bots if path.is_file()]
    mains = [name for name in programs if Path(name).stem.lower() == "main"]
    says = f"{shown(str(folder))} has no {MANIFEST}"
    if len(bots) > len(programs):
        raise BadSubmission(f"{says}, but holds {_one_of(folder, [path.name for path in bots])}")
    if mains:
        raise BadSubmission(f"{says}; {_as_one(folder, mains[0])}")
    if programs:
        several = _one_of(folder, programs)
        raise BadSubmission(f"{says}, but holds {several}; {_as_one(folder, programs[0])}")
    raise BadSubmission(
        f"{shown(str(folder))} holds neither a {MANIFEST} nor a program; to make a bot type: arena new my_bot"
    )


def nearby(path: Path) -> str:
    """What to say of the path that was probably meant where nothing is; empty when none is like it."""
    there = _entries(path.parent) or []
    meant = near(path.name, [each.name for each in there if _is_bot(each)])
    return f"did you mean {_typed(path.parent, meant)}? " if meant else ""


def _entries(folder: Path) -> list[Path] | None:
    """What is in a folder, sorted, without what tools leave behind; None where it cannot be seen."""
    try:
        found = sorted(folder.iterdir())
    except (OSError, ValueError):
        return None
    return [path for path in found if not any(fnmatchcase(path.name, pattern) for pattern in LEFT_OUT)]


def _is_bot(path: Path) -> bool:
    return _is_file(path / MANIFEST) or (path.suffix.lower() in SUFFIXES and _is_file(path))


def _is_file(path: Path) -> bool:
    with contextlib.suppress(OSError):  # where nobody may look there is nothing to be named
        return path.is_file()
    return False


def _one_of(folder: Path, names: Sequence[str]) -> str:
    """The first of those that are there, and the path of one."""
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    listed = ", ".join(shown(name) for name in names[:NAMED])
    return f"{listed}{more}: for one of them type its path, {_typed(folder, names[0])}"


def _as_one(folder: Path, main: str) -> str:
    """How a folder becomes a bot."""
    name = folder.absolute().name
    name = name if re.fullmatch(r"[\w .-]{1,40}", name) else "my_bot"
    lines = f'name = "{name}"\\nmain = "{main}"\\n'
    where = _typed(folder, MANIFEST)
    return f"to make one bot of all that is in it type: printf {pasted(lines)} > {where}"


def _typed(folder: Path, name: str) -> str:
    """A path as it is typed, with the ./ that tells it from a name."""
    path = str(folder / name)
    return pasted(path if "/" in path else f"./{path}")
