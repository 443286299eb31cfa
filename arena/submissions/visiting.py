"""Programs that play without being entered: for practice, and to be tried before they are handed in.

They are copied to `submissions/<version>` in a folder of their own, and beside it stands `builds/<version>`
with what their builds left; all of it is gone at the end of the visit.
"""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from arena.grid import whole
from arena.model import Entrant, UserError
from arena.runtimes import BUILT, Manifest, read_manifest
from arena.sandbox import require
from arena.seats import folders
from arena.store import Bot
from arena.submissions.builds import check_built
from arena.submissions.importing import read, read_folder
from arena.submissions.kept import check_kept
from arena.submissions.meant import check_meant
from arena.submissions.tree import Tree, tree_hash, write


class Visit:
    """A workspace's place for a while: what is added can sit at a table."""

    def __init__(self, folder: Path, *, sandbox: str) -> None:
        self.submissions = folder / "submissions"
        """For `TableJob`."""
        self._sandbox = sandbox

    def program(self, path: Path, *, game: str | None = None) -> Entrant:
        """Add a folder, an archive or a program file, built where it needs that.

        Raises UserError for what cannot be read, built or, by its own `bot.toml`, play the game.
        """
        check_meant(path)
        tree = read(path)
        manifest = self._add(tree)
        if game is not None and manifest.games is not None and game not in manifest.games:
            claimed = ", ".join(manifest.games)
            raise UserError(f"{whole(str(path))} does not play {game}: its bot.toml claims {claimed}")
        return self._ready(Entrant(manifest.name, tree_hash(tree)))

    def version(self, bot: Bot, workspace: Path) -> Entrant:
        """Add a version that a workspace has. Raises UserError when its files are not what they were."""
        entrant = Entrant(bot.name, bot.version)
        entered, built = workspace / "submissions", workspace / BUILT / bot.version
        check_kept(entered, [entrant])
        self._add(read_folder(entered / bot.version))
        if built.is_dir():
            shutil.copytree(built, self._builds / bot.version, dirs_exist_ok=True)
        return self._ready(entrant)

    @property
    def _builds(self) -> Path:
        return self.submissions.with_name(BUILT)

    def _add(self, tree: Tree) -> Manifest:
        folder = self.submissions / tree_hash(tree)
        if not folder.exists():
            folder.parent.mkdir(exist_ok=True)
            write(tree, folder)
        return read_manifest(folder)

    def _ready(self, entrant: Entrant) -> Entrant:
        require(self._sandbox)
        check_built(self.submissions, [entrant], sandbox=self._sandbox)
        return entrant


@contextmanager
def visiting(sandbox: str) -> Iterator[Visit]:
    """Make room for programs; raises UserError, and SandboxError when one is to be built without walls."""
    with folders.of_visit() as folder:
        yield Visit(folder, sandbox=sandbox)
