"""Reads a submission, be it a folder, an archive or a single program, into a checked tree.

Whoever made it may be hostile. So no library unpacks anything: they only name entries and give their
bytes, which are counted as they come; a link, a device or a path that leads elsewhere is refused.
"""

import errno
import gzip
import io
import os
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from arena.submissions.meant import nearby
from arena.submissions.tree import (
    ENTRIES,
    TOTAL_BYTES,
    BadSubmission,
    Gatherer,
    Tree,
    kind_of,
    refusal,
    shown,
    without_top,
)

HEADER_BYTES = 1 << 20
"""What the headers of an archive may take: more than all allowed entries need, at a kilobyte each."""

ARCHIVE_BYTES = TOTAL_BYTES + 2 * HEADER_BYTES
"""Of an archive's file, and of a tar when it is unpacked."""

PAX_BYTES = 64 << 10
"""Of one extended header; a path needs some hundred bytes, attributes of macOS a few thousand."""

WANTED = "type the path of a folder, of an archive (.zip, .tar, .tar.gz, .tgz) or of a program"

CHANGED = "it changed while it was read"

BLOCK = 512
"""A tar is made of these."""

_ENCRYPTED = 0x1
_UTF8 = 0x800
"""Flag bits of a zip's entry."""


def read(path: Path) -> Tree:
    """The tree of a folder, an archive, or a single program file; raises BadSubmission."""
    try:
        mode = path.lstat().st_mode
    except OSError as error:
        raise BadSubmission(f"{shown(str(path))}: {error.strerror}; {nearby(path)}{WANTED}") from None
    if stat.S_ISDIR(mode):
        return read_folder(path)
    if not stat.S_ISREG(mode):
        raise BadSubmission(f"{shown(str(path))} is {kind_of(mode)}; {WANTED}")
    unpack = next((ARCHIVES[end] for end in ARCHIVES if path.name.lower().endswith(end)), read_program)
    return unpack(path)


def read_program(path: Path) -> Tree:
    """A tree of one file. Its execute bit says nothing: its language starts it."""
    gatherer = Gatherer()
    with _opened_file(path.name, path) as handle:
        content = gatherer.room(path.name).check(_read(handle, gatherer.room(path.name).ask))
    gatherer.add_file(path.name, executable=False, content=content)
    return gatherer.tree()


def read_folder(path: Path) -> Tree:
    """A folder, each level opened from the one above it and never through a link."""
    gatherer = Gatherer()
    with _opened(path.name, path, flags=os.O_DIRECTORY) as handle:
        _walk(gatherer, handle, "")
    return gatherer.tree()


def read_zip(path: Path) -> Tree:
    """A zip, stored or deflated."""
    data = _archive(path)
    _check_directory(path, data)
    gatherer = Gatherer()
    with _reading(path), zipfile.ZipFile(io.BytesIO(data)) as archive:
        for entry in archive.infolist():
            _add_zipped(gatherer, archive, entry)
    return without_top(gatherer.tree())


def read_tar(path: Path) -> Tree:
    """A tar as it is."""
    return _untar(path, _archive(path))


def read_tar_gz(path: Path) -> Tree:
    """A tar compressed with gzip."""
    with _reading(path), gzip.GzipFile(fileobj=io.BytesIO(_archive(path))) as unpacked:
        data = unpacked.read(ARCHIVE_BYTES + 1)
    if len(data) > ARCHIVE_BYTES:
        raise BadSubmission(
            f"{shown(path.name)} unpacks to more than {ARCHIVE_BYTES >> 20} MiB; it was read no further"
        )
    return _untar(path, data)


ARCHIVES: dict[str, Callable[[Path], Tree]] = {
    ".zip": read_zip,
    ".tar": read_tar,
    ".tar.gz": read_tar_gz,
    ".tgz": read_tar_gz,
}
"""End of a name -> how such an archive is read. A kind is added with one function and one line."""


# Folders


def _walk(gatherer: Gatherer, handle: int, above: str) -> None:
    for name in _names(handle, above):
        raw = above + name
        if gatherer.passes_over(raw):
            continue
        kind = _kind(raw, name, handle)
        if stat.S_ISDIR(kind):
            gatherer.add_folder(raw)
            with _opened(raw, name, flags=os.O_DIRECTORY, dir_fd=handle) as inner:
                _walk(gatherer, inner, raw + "/")
        elif stat.S_ISREG(kind):
            _add_found(gatherer, raw, name, handle)
        else:
            raise refusal(raw, f"it is {kind_of(kind)}; only regular files and folders are taken")


def _kind(raw: str, name: str, folder: int) -> int:
    try:
        return os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode
    except FileNotFoundError:
        raise refusal(raw, CHANGED) from None


def _names(handle: int, above: str) -> list[str]:
    """Names in a folder, sorted; far more than are allowed are not even listed."""
    names = []
    with os.scandir(handle) as found:
        for entry in found:
            names.append(entry.name)
            if len(names) > 10 * ENTRIES:
                raise refusal(above, f"more than {10 * ENTRIES} names in one folder")
    return sorted(names)


def _add_found(gatherer: Gatherer, raw: str, name: str, folder: int) -> None:
    room = gatherer.room(raw)
    with _opened_file(raw, name, dir_fd=folder) as handle:
        found = os.fstat(handle)
        if found.st_nlink > 1:
            raise refusal(raw, "it is a hard link: another path is the same file; copy it instead")
        content = room.check(_read(handle, room.ask))
    gatherer.add_file(raw, executable=bool(found.st_mode & stat.S_IXUSR), content=content)


@contextmanager
def _opened(raw: str, path: Path | str, *, flags: int = 0, dir_fd: int | None = None) -> Iterator[int]:
    """A descriptor that was not reached through a link in its last part, and never waits for a pipe."""
    flags |= os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    try:
        handle = os.open(path, flags, dir_fd=dir_fd)
    except OSError as error:
        changed = error.errno in (errno.ELOOP, errno.ENOTDIR, errno.ENXIO)
        raise refusal(raw, CHANGED if changed else str(error.strerror)) from None
    try:
        yield handle
    except OSError as error:  # what looks like a file need not be readable as one
        raise refusal(raw, str(error.strerror)) from None
    finally:
        os.close(handle)


@contextmanager
def _opened_file(raw: str, path: Path | str, *, dir_fd: int | None = None) -> Iterator[int]:
    """The same, of what was a regular file when it was looked at, and still is."""
    with _opened(raw, path, dir_fd=dir_fd) as handle:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise refusal(raw, CHANGED)
        yield handle


def _read(handle: int, most: int) -> bytes:
    """The content of an open file, at most so many bytes."""
    with open(handle, "rb", closefd=False) as stream:
        return stream.read(most)


# Archives


def _archive(path: Path) -> bytes:
    """All bytes of an archive's file: what is checked is then what is used."""
    with _opened_file(path.name, path) as handle:
        data = _read(handle, ARCHIVE_BYTES + 1)
    if len(data) > ARCHIVE_BYTES:
        raise refusal(path.name, f"larger than {ARCHIVE_BYTES >> 20} MiB, the most an archive may have")
    return data


@contextmanager
def _reading(path: Path) -> Iterator[None]:
    """Turn whatever a library says about a broken archive into one refusal."""
    try:
        yield
    except BadSubmission:
        raise
    except (
        *(zipfile.BadZipFile, gzip.BadGzipFile, tarfile.HeaderError, zlib.error),
        *(EOFError, NotImplementedError, RuntimeError, ValueError, OverflowError, OSError),
    ) as error:
        raise refusal(path.name, f"the archive is damaged or cut off ({error})") from None


def _check_directory(path: Path, data: bytes) -> None:
    """Refuse a zip whose list of entries is long: the library makes objects of all of it at once."""
    end = len(data) - 22
    if not (data[end : end + 4] == b"PK\5\6" and data.endswith(b"\0\0")):
        end = data.rfind(b"PK\5\6", max(0, end - 0xFFFF))
    if end < 0:
        raise refusal(path.name, "it is no zip, or was cut off")
    if data[max(0, end - 20) :].startswith(b"PK\6\7"):
        raise refusal(path.name, "it is a zip of the 64-bit kind, which nothing of an allowed size needs")
    if int.from_bytes(data[end + 12 : end + 16], "little") > HEADER_BYTES:
        raise refusal(path.name, f"its list of entries is longer than {HEADER_BYTES >> 20} MiB")


def _add_zipped(gatherer: Gatherer, archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> None:
    raw = entry.orig_filename
    if gatherer.passes_over(raw):
        return
    mode = entry.external_attr >> 16
    expected = stat.S_IFDIR if raw.endswith("/") else stat.S_IFREG
    if stat.S_IFMT(mode) not in (0, expected):
        raise refusal(raw, f"it is {kind_of(mode)}; only regular files and folders are taken")
    if entry.flag_bits & _ENCRYPTED:
        raise refusal(raw, "it is encrypted")
    if not raw.isascii() and not entry.flag_bits & _UTF8:
        raise refusal(raw, "its name is not marked as UTF-8")
    if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise refusal(raw, f"compressed by method {entry.compress_type}; stored and deflated are taken")
    if raw.endswith("/"):
        gatherer.add_folder(raw)
        return
    room = gatherer.room(raw)
    with archive.open(entry) as stream:
        content = room.check(stream.read(room.ask))
    gatherer.add_file(raw, executable=bool(mode & stat.S_IXUSR), content=content)


def _untar(path: Path, data: bytes) -> Tree:
    return without_top(read_tarred(path, data))


def read_tarred(path: Path, data: bytes) -> Tree:
    """The tree of a tar that was read already; `path` is what an error names."""
    gatherer = Gatherer()
    with _reading(path):
        for entry, content in _tar_entries(path, data):
            _add_tarred(gatherer, entry, content)
    return gatherer.tree()


def _tar_entries(path: Path, data: bytes) -> Iterator[tuple[tarfile.TarInfo, bytes]]:
    """Entries of a tar with their bytes, extended headers applied.

    The walk is our own, over headers that the library parses: its own walk follows links and sizes that
    a hostile archive chooses.
    """
    offset = 0
    extended: dict[str, bytes] = {}
    while any(header := data[offset : offset + BLOCK]):
        entry = tarfile.TarInfo.frombuf(header, "utf-8", "surrogateescape")
        plain = entry.type not in (tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.GNUTYPE_LONGNAME)
        size = int(extended.get("size", entry.size)) if plain else entry.size
        start, offset = offset + BLOCK, offset + BLOCK + -(-size // BLOCK) * BLOCK
        if size < 0 or offset > len(data):
            raise refusal(path.name, "the archive is damaged or cut off")
        content = data[start : start + size]
        if plain:
            _apply(entry, extended)
            yield entry, content
            extended = {}
        else:
            extended |= _extended(entry, content)
    if len(header) < BLOCK or any(data[offset:]):
        raise refusal(path.name, "the archive does not end as a tar does; it may be cut off")


def _extended(entry: tarfile.TarInfo, content: bytes) -> dict[str, bytes]:
    """What a header says about the entry behind it; one for the whole archive says nothing of ours."""
    if len(content) > PAX_BYTES:
        raise refusal(
            entry.name, f"an extended header of {len(content)} bytes; at most {PAX_BYTES} are allowed"
        )
    if entry.type == tarfile.GNUTYPE_LONGNAME:
        return {"path": content.rstrip(b"\0")}
    return dict(_pax_records(content)) if entry.type == tarfile.XHDTYPE else {}


def _pax_records(content: bytes) -> Iterator[tuple[str, bytes]]:
    """Records of the form b"<length> <key>=<value>\\n"."""
    offset = 0
    while offset < len(content):
        digits = content[offset : offset + 8].partition(b" ")[0]
        end = offset + int(digits)
        key, _, value = content[offset + len(digits) + 1 : end].partition(b"=")
        if end <= offset or end > len(content) or not value.endswith(b"\n"):
            raise ValueError("an extended header that makes no sense")
        yield key.decode("ascii", "replace"), value[:-1]
        offset = end


def _apply(entry: tarfile.TarInfo, extended: dict[str, bytes]) -> None:
    if any(key.startswith("GNU.sparse") for key in extended):
        entry.type = tarfile.GNUTYPE_SPARSE
    if "path" in extended:
        entry.name = extended["path"].decode("utf-8", "surrogateescape")


def _add_tarred(gatherer: Gatherer, entry: tarfile.TarInfo, content: bytes) -> None:
    if gatherer.passes_over(entry.name):
        return
    if entry.isdir():
        gatherer.add_folder(entry.name)
        return
    if entry.type not in (tarfile.REGTYPE, tarfile.AREGTYPE):
        kind = TAR_KINDS.get(entry.type, "of an unknown kind")
        raise refusal(entry.name, f"it is {kind}; only regular files and folders are taken")
    gatherer.room(entry.name).check(content)
    gatherer.add_file(entry.name, executable=bool(entry.mode & stat.S_IXUSR), content=content)


TAR_KINDS = {
    tarfile.LNKTYPE: "a hard link",
    tarfile.SYMTYPE: "a symbolic link",
    tarfile.GNUTYPE_LONGLINK: "a link with a long target",
    tarfile.CHRTYPE: "a device",
    tarfile.BLKTYPE: "a device",
    tarfile.FIFOTYPE: "a named pipe",
    tarfile.GNUTYPE_SPARSE: "a sparse file",
}
"""Type of a tar's entry -> what a refusal calls it."""
