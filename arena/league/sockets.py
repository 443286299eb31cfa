"""The folder in which Python's fork servers listen: it tells whose it is.

Its maker removes it when it ends in order. After a kill nobody would, so the next one looks, as for
control groups.
"""

import os
import shutil
import tempfile
from multiprocessing.util import get_temp_dir
from pathlib import Path

from arena.sandbox.cgroups import PREFIX, has_maker, started


def mark() -> None:
    """Write down that the folder is ours; those of makers that are gone are removed."""
    for other in Path(tempfile.gettempdir()).glob(f"pymp-*/{PREFIX}*"):
        if not has_maker(other.name):
            shutil.rmtree(other.parent, ignore_errors=True)  # two may be doing the same
    Path(get_temp_dir(), f"{PREFIX}{os.getpid()}-{started(os.getpid())}").touch()
