"""Files of versions that no bot has: of bots that were deleted, and of submissions that were killed.

A version is deleted from the database first, in one transaction, and its files after that. So a kill in
between leaves files without a row, which nothing uses, and never a row without files. They are found here by
what the database says, and removed by the next delete or by `arena doctor --reap`.
"""

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

from arena.runtimes import BUILT
from arena.store import Store, telling

VERSION = re.compile(r"[0-9a-f]{64}")
"""Names of the folders that are ours to judge."""


def unclaimed(store: Store) -> list[Path]:
    """Folders of versions that the database does not know. A submission may be entering one just now."""
    folders = (store.submissions, store.workspace / BUILT)
    return [path for folder in folders for path in versions_in(folder) if not store.find_version(path.name)]


def versions_in(folder: Path) -> Iterator[Path]:
    """Folders that are named as versions are, sorted."""
    found = sorted(folder.iterdir()) if folder.is_dir() else []
    return (path for path in found if VERSION.fullmatch(path.name))


def sweep(store: Store) -> list[Path]:
    """Remove what is unclaimed, each at one blow. The caller has the turn of whoever submits."""
    staging = store.workspace / "staging"
    with telling(staging):
        swept = unclaimed(store)
        for path in swept:
            target = staging / path.parent.name / path.name
            target.parent.mkdir(parents=True, exist_ok=True)
            path.rename(target)
        if staging.exists():
            shutil.rmtree(staging)
    return swept


def bytes_in(folder: Path) -> int:
    """Bytes of all files below a folder."""
    return sum(path.lstat().st_size for path in folder.rglob("*") if path.is_file())
