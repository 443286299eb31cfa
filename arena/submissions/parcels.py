"""Versions on their way to another machine: packed here, and read there as if they were handed in.

A version is named by the hash of its content, so whoever gets a parcel knows whether it is what was sent.
"""

import io
import shutil
import tarfile
from pathlib import Path

from arena.grid import digits
from arena.submissions.importing import read_folder, read_tarred
from arena.submissions.tree import BadSubmission, tree_hash, write

ARRIVING = ".arriving"
"""Where a parcel is unpacked before it gets its name; what was left there is removed by the next."""


def packed(folder: Path) -> bytes:
    """Give the content of a version's folder as a tar."""
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for file in read_folder(folder).files:
            entry = tarfile.TarInfo(file.path)
            entry.size, entry.mode = len(file.content), 0o755 if file.executable else 0o644
            archive.addfile(entry, io.BytesIO(file.content))
    return stream.getvalue()


def unpack(parcel: bytes, submissions: Path, version: str) -> None:
    """Put a version where it belongs, whole or not at all. Raises BadSubmission for anything else."""
    tree = read_tarred(Path("what was sent"), parcel)
    found = tree_hash(tree)
    if found != version:
        raise BadSubmission(f"what was sent as version {digits(version)} has the hash {digits(found)}")
    arriving = submissions / ARRIVING
    for old in (arriving, submissions / version):
        if old.exists():
            shutil.rmtree(old)
    write(tree, arriving)
    arriving.rename(submissions / version)
