"""The content of a submission as a value: checked paths, files, and the hash that is its version.

Whatever it came as, a submission is first gathered here, in memory and within limits; only a whole tree
without fault is ever written.
"""

import os
import re
import stat
from collections.abc import Iterable
from fnmatch import fnmatchcase
from hashlib import sha256
from pathlib import Path
from unicodedata import is_normalized

import msgspec

from arena.model import UserError
from arena.store import folded
from protocol.text import escaped

ENTRIES = 1_000
"""Files and folders of one submission."""
FILE_BYTES = 16 << 20
TOTAL_BYTES = 32 << 20
PATH_BYTES = 240
"""Below the 255 bytes of a name, and far below what a path may have, wherever the workspace lies."""
DEPTH = 16

LEFT_OUT = (
    *("__pycache__", ".git", ".hg", ".svn", ".venv", ".idea", ".vscode", "__MACOSX", ".DS_Store", "._*"),
    *(".mypy_cache", ".pytest_cache", ".ruff_cache", "Thumbs.db", "*~", "*.swp", ".#*", "#*#"),
)
"""Names that tools leave behind; they are never part of a version."""

_DRIVE = re.compile(r"[A-Za-z]:")


class BadSubmission(UserError):  # noqa: N818 - reads as what it is
    """What was handed in cannot be taken; says which entry, and why."""


class File(msgspec.Struct, frozen=True):
    """One regular file."""

    path: str
    """Parts joined by "/", relative to the top."""
    executable: bool
    content: bytes


class Tree(msgspec.Struct, frozen=True):
    """A checked submission. Folders are there for their files: empty ones leave no trace."""

    files: tuple[File, ...]
    """Sorted by path."""
    left_out: tuple[str, ...] = ()
    """Paths that were passed over, sorted."""


class Gatherer:
    """Takes the entries of one submission in any order; raises BadSubmission at the first bad one."""

    def __init__(self) -> None:
        self._files: dict[str, File] = {}
        self._spellings: dict[str, tuple[str, bool]] = {}
        """Path without case -> (its spelling, whether it is a folder)."""
        self._left_out: set[str] = set()
        self._bytes = 0

    def passes_over(self, raw: str) -> bool:
        """Whether an entry is something that tools leave behind; raises for a path that is hostile."""
        parts = _parts(raw)
        for number, part in enumerate(parts, start=1):
            if any(fnmatchcase(part, pattern) for pattern in LEFT_OUT):
                self._left_out.add("/".join(parts[:number]))
                return True
        return False

    def add_folder(self, raw: str) -> None:
        """Take a folder; it may come again, and after its files."""
        parts = _parts(raw)
        for number in range(1, len(parts) + 1):
            self._claim("/".join(parts[:number]), folder=True)

    def add_file(self, raw: str, *, executable: bool, content: bytes) -> None:
        """Take a file with its content, which was read under `room`."""
        parts = _parts(raw)
        path = "/".join(parts)
        if not parts or raw.endswith("/"):
            raise refusal(raw, "a file with the name of a folder")
        if path in self._files:
            raise refusal(raw, "it is there twice")
        for number in range(1, len(parts)):
            self._claim("/".join(parts[:number]), folder=True)
        self._claim(path, folder=False)
        self._bytes += len(content)
        self._files[path] = File(path, executable, content)

    def room(self, raw: str) -> "Room":
        """What a file may still bring."""
        return Room(raw, min(FILE_BYTES, TOTAL_BYTES - self._bytes))

    def tree(self) -> Tree:
        """All that was taken, sorted."""
        files = sorted(self._files.values(), key=lambda file: file.path.encode())
        return Tree(tuple(files), tuple(sorted(self._left_out)))

    def _claim(self, path: str, *, folder: bool) -> None:
        spelling, was_folder = self._spellings.setdefault(folded(path), (path, folder))
        if spelling != path:
            raise refusal(path, f"it differs from {shown(spelling)} in case only")
        if folder != was_folder:
            raise refusal(path, "it is a file and a folder at once")
        if len(self._spellings) > ENTRIES:
            raise refusal(path, f"more than {ENTRIES} files and folders; at most {ENTRIES} are allowed")


class Room(msgspec.Struct, frozen=True):
    """The bytes that one file may still bring."""

    raw: str
    left: int

    @property
    def ask(self) -> int:
        """How much to read: one byte above what is allowed."""
        return self.left + 1

    def check(self, content: bytes) -> bytes:
        """Give the content back when there was room for it."""
        if len(content) <= self.left:
            return content
        if self.left == FILE_BYTES:
            raise refusal(self.raw, f"larger than {FILE_BYTES >> 20} MiB, the most a file may have")
        raise refusal(
            self.raw, f"with it there are more than {TOTAL_BYTES >> 20} MiB, the most allowed in all"
        )


def tree_hash(tree: Tree) -> str:
    """The version of a content: 64 hex digits that depend on paths, execute bits and contents alone."""
    whole = sha256(b"card-arena tree 1\n")
    for file in tree.files:
        path = file.path.encode()
        whole.update(len(path).to_bytes(4, "big") + path)
        whole.update(b"x" if file.executable else b"-")
        whole.update(sha256(file.content).digest())
    return whole.hexdigest()


def without_top(tree: Tree) -> Tree:
    """The same without the one folder that holds everything, as archives often have it."""
    tops = {file.path.split("/")[0] for file in tree.files if "/" in file.path}
    if len(tops) != 1 or any("/" not in file.path for file in tree.files):
        return tree
    cut = len(tops.pop()) + 1
    files = (msgspec.structs.replace(file, path=file.path[cut:]) for file in tree.files)
    return Tree(tuple(files), tree.left_out)


def write(tree: Tree, folder: Path) -> None:
    """Write a tree into a new folder, for everyone to read, and onto the disk."""
    _make_folder(folder)
    for path in _folders(tree.files):
        _make_folder(folder / path)
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    for file in tree.files:
        with os.fdopen(os.open(folder / file.path, flags, 0o600), "wb") as stream:
            stream.write(file.content)
            stream.flush()
            os.fchmod(stream.fileno(), 0o755 if file.executable else 0o644)
            os.fsync(stream.fileno())


def refusal(raw: str, reason: str) -> BadSubmission:
    """The error for one entry."""
    return BadSubmission(f"refused at {shown(raw)}: {reason}")


def shown(raw: str) -> str:
    """An entry's path, safe to print."""
    return f"'{escaped(raw, 2 * PATH_BYTES)}'"


def kind_of(mode: int) -> str:
    """What a file mode stands for, as a refusal says it."""
    kinds = {
        stat.S_IFLNK: "a symbolic link",
        stat.S_IFIFO: "a named pipe",
        stat.S_IFSOCK: "a socket",
        stat.S_IFCHR: "a device",
        stat.S_IFBLK: "a device",
    }
    return kinds.get(stat.S_IFMT(mode), "of an unknown kind")


def _parts(raw: str) -> list[str]:
    """Parts of a path that may be written below a folder; none for the top itself."""
    if raw.startswith("/"):
        raise refusal(raw, "its path is absolute")
    if "\\" in raw or _DRIVE.match(raw):
        raise refusal(raw, "backslashes and drive letters are not allowed in a path")
    if len(raw) > PATH_BYTES:
        raise refusal(raw, f"its path has {len(raw)} characters; at most {PATH_BYTES} bytes are allowed")
    if escaped(raw, PATH_BYTES) != raw:
        raise refusal(raw, "its name has control or invisible characters, or is not UTF-8")
    if not is_normalized("NFC", raw):
        raise refusal(raw, "its name is not in Unicode's composed form (NFC); rename it")
    parts = raw.removesuffix("/").split("/")
    if parts[0] == ".":
        del parts[0]
    if any(part in ("", ".", "..") for part in parts):
        raise refusal(raw, "its path has empty parts, '.' or '..'")
    if len(parts) > DEPTH:
        raise refusal(raw, f"{len(parts)} folders deep; at most {DEPTH} are allowed")
    if len(raw.encode()) > PATH_BYTES:
        raise refusal(raw, f"its path has {len(raw.encode())} bytes; at most {PATH_BYTES} are allowed")
    return parts


def _folders(files: Iterable[File]) -> list[str]:
    """Folders that hold the files, parents first."""
    found: set[str] = set()
    for file in files:
        parts = file.path.split("/")[:-1]
        found.update("/".join(parts[:number]) for number in range(1, len(parts) + 1))
    return sorted(found)


def _make_folder(path: Path) -> None:
    path.mkdir()
    path.chmod(0o755)
