"""Compiles the games with mypyc for `CARD_ARENA_COMPILE=1 pip install .`, and for nothing else.

The sources stay as they are and go along; Python takes a compiled module where one beside them fits the
interpreter. Everything that is compiled lies in `arena/games`, which is what bots are shown in their boxes.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

GAMES = Path("arena/games")
SETUP = """
from setuptools import setup
from mypyc.build import mypycify

modules = mypycify({arguments!r}, opt_level="3", group_name="arena.games.compiled")
setup(name="games", ext_modules=modules, packages=[])
"""


def asked() -> bool:
    """Whether somebody wants them compiled."""
    return os.environ.get("CARD_ARENA_COMPILE") == "1"


class CustomBuildHook(BuildHookInterface[Any]):
    """What hatchling calls for every build of a wheel."""

    folder: Path | None = None
    """Where it was compiled."""

    def dependencies(self) -> list[str]:
        """Tools of the build: none, unless it compiles."""
        return ["mypy[mypyc]>=1.11", "setuptools"] if asked() else []

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile into a folder of its own, so that nothing is left beside the sources."""
        if not asked() or version == "editable":
            return
        self.folder = Path(tempfile.mkdtemp())
        found = compiled(Path(self.root), self.folder)
        build_data["force_include"].update({str(path): str(GAMES / path.name) for path in found})
        build_data["infer_tag"], build_data["pure_python"] = True, False

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove the folder, once its files are in the wheel."""
        del version, build_data, artifact_path
        if self.folder is not None:
            shutil.rmtree(self.folder)


def compiled(root: Path, folder: Path) -> list[Path]:
    """The games of a checkout as modules, compiled in a folder; needs mypyc, setuptools and a C compiler."""
    games = folder / GAMES
    shutil.copytree(root / GAMES, games, ignore=shutil.ignore_patterns("__pycache__", "*.so"))
    (folder / "arena" / "__init__.py").write_text("", "utf-8")
    sources = sorted(str(GAMES / each.name) for each in games.glob("*.py") if each.name != "__init__.py")
    (folder / "setup.py").write_text(SETUP.format(arguments=["--strict", *sources]), "utf-8")
    command = [sys.executable, "setup.py", "--quiet", "build_ext", "--inplace"]
    subprocess.run(command, cwd=folder, check=True)
    return sorted(games.glob("*.so"))
