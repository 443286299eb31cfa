"""What the builds of versions left, kept so that each is built once.

    builds/<version>/files    the bot's folder as it was after its build: what is played
    builds/<version>/built    the hash of these files, and what made them

It is a cache. A version is named by what its author wrote, never by what a compiler made of it, and every
entry may be removed at any time: what is missing, half written, changed, or made by another recipe or for
another kind of machine is built anew.
"""

import contextlib
import platform
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

from arena import runtimes
from arena.grid import digits, short
from arena.model import HOUSE, Entrant, UserError
from arena.runtimes import BUILT, FILES, Manifest, read_manifest
from arena.store import telling
from arena.store.locks import Held, locked
from arena.submissions.building import BuildFailed, build
from arena.submissions.importing import read_folder
from arena.submissions.tree import BadSubmission, tree_hash, write

RECORD = "built"
MAKING = ".making"
"""Where an entry is written before it gets its name; what a killed builder left, the next removes."""
LOCK = ".lock"
TURN_S = 600.0
"""How long one build waits for another."""


class Built(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The record of an entry."""

    tree: str
    recipe: tuple[str, ...]
    machine: str


def check_built(submissions: Path, entrants: Iterable[Entrant], *, sandbox: str) -> None:
    """See to it that every version can be started; raises UserError for the first whose build fails."""
    for entrant in entrants:
        if entrant == HOUSE:
            continue
        try:
            make_ready(read_manifest(submissions / entrant.version), submissions, entrant.version, sandbox)
        except BuildFailed as failed:
            said = f"; the last it said:\n{failed.log}" if failed.log else ""
            raise UserError(
                f"version {digits(entrant.version)} of {short(entrant.name)} cannot be played: its build "
                f"failed: {failed}{said}"
            ) from None


def make_ready(manifest: Manifest, submissions: Path, version: str, sandbox: str) -> None:
    """Build a version unless its build is there as it was made. Raises `BuildFailed`."""
    recipe = runtimes.recipe(manifest)
    builds = submissions.parent / BUILT
    if not recipe or is_whole(builds / version, recipe):
        return
    with telling(builds), _turn(builds):
        if not is_whole(builds / version, recipe):
            _make(builds, manifest, submissions / version, sandbox)


def adopt(staged: Path, builds: Path, version: str, manifest: Manifest) -> None:
    """Move the entry of a version from another folder of builds, unless something happened to it there."""
    if is_whole(staged / version, runtimes.recipe(manifest)):
        with _turn(builds):
            _remove(builds / version)
            (staged / version).rename(builds / version)


def is_whole(entry: Path, recipe: tuple[str, ...]) -> bool:
    """Whether an entry is there, made by this recipe for this machine, and unchanged since."""
    try:
        record = msgspec.json.decode((entry / RECORD).read_bytes(), type=Built)
        made = (record.recipe, record.machine) == (recipe, platform.machine())
        return made and tree_hash(read_folder(entry / FILES)) == record.tree
    except (OSError, msgspec.DecodeError, BadSubmission):
        return False


def _make(builds: Path, manifest: Manifest, source: Path, sandbox: str) -> None:
    """Build and enter it under its name at once, so that no half of it is ever taken for the whole."""
    tree = build(manifest, source, sandbox=sandbox)
    making, entry = builds / MAKING, builds / source.name
    for old in (making, entry):
        _remove(old)
    making.mkdir()
    try:
        write(tree, making / FILES)
        record = Built(tree_hash(tree), runtimes.recipe(manifest), platform.machine())
        (making / RECORD).write_bytes(msgspec.json.encode(record))
        making.chmod(0o755)
        making.rename(entry)
    finally:
        _remove(making)


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


@contextlib.contextmanager
def _turn(builds: Path) -> Iterator[None]:
    """One build at a time in a workspace: each may take all of the machine."""
    builds.mkdir(parents=True, exist_ok=True)
    try:
        with locked(builds / LOCK, wait_s=TURN_S):
            yield
    except Held as held:
        raise UserError(
            f"process {held} has been building in {builds} for more than {TURN_S:.0f} s; "
            "type the command again when it is done"
        ) from None
