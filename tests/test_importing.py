"""Importing: every way in which a folder, an archive or a program can be hostile."""

import gzip
import io
import os
import re
import socket
import stat
import struct
import tarfile
import zipfile
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.submissions import importing, tree
from arena.submissions.tree import BadSubmission, File, Tree, tree_hash, write

PAGE = (Path(__file__).parent.parent / "docs" / "submissions.md").read_text("utf-8")
MANIFEST = b'name = "Ann"\n'
PROGRAM = b"print('hello')\n"
A_BOT = Tree((File("bot.toml", False, MANIFEST), File("src/run.sh", True, PROGRAM)))


def a_folder(path: Path) -> Path:
    (path / "src").mkdir(parents=True)
    (path / "bot.toml").write_bytes(MANIFEST)
    (path / "src" / "run.sh").write_bytes(PROGRAM)
    (path / "src" / "run.sh").chmod(0o744)
    return path


def tar_entry(name: str, *, kind: bytes = tarfile.REGTYPE, mode: int = 0o644, **fields) -> tarfile.TarInfo:
    entry = tarfile.TarInfo(name)
    entry.type, entry.mode = kind, mode
    for field, value in fields.items():
        setattr(entry, field, value)
    return entry


def a_tar(*entries: tuple[tarfile.TarInfo, bytes], form: int = tarfile.PAX_FORMAT) -> bytes:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w", format=form) as archive:
        for entry, content in entries:
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    return stream.getvalue()


def zip_entry(name: str, *, mode: int = stat.S_IFREG | 0o644, method: int = zipfile.ZIP_DEFLATED):
    entry = zipfile.ZipInfo(name)
    entry.create_system, entry.external_attr, entry.compress_type = 3, mode << 16, method
    return entry


def a_zip(*entries: tuple[zipfile.ZipInfo, bytes]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for entry, content in entries:
            archive.writestr(entry, content)
    return stream.getvalue()


def imported(tmp_path: Path, name: str, data: bytes) -> Tree:
    """Reads an archive and sees to it that nothing was written anywhere near it."""
    (tmp_path / name).write_bytes(data)
    try:
        return importing.read(tmp_path / name)
    finally:
        assert [path.name for path in tmp_path.iterdir()] == [name]
        (tmp_path / name).unlink()


# What is taken


@pytest.mark.parametrize("top", ["", "./", "ann-1.0/"], ids=["bare", "dot", "top folder"])
@pytest.mark.parametrize("form", [tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT])
def test_a_content_is_one_version_whatever_it_came_as(tmp_path, top, form):
    folder = a_folder(tmp_path / "ann")
    files = [(f"{top}src/run.sh", 0o755, PROGRAM), (f"{top}bot.toml", 0o640, MANIFEST)]
    tar = a_tar(*((tar_entry(name, mode=mode, mtime=9), content) for name, mode, content in files), form=form)
    zipped = a_zip(*((zip_entry(name, mode=stat.S_IFREG | mode), content) for name, mode, content in files))
    for name, data in (("a.tar", tar), ("a.tar.gz", gzip.compress(tar)), ("a.TGZ", gzip.compress(tar))):
        (tmp_path / name).write_bytes(data)
    (tmp_path / "a.zip").write_bytes(zipped)

    trees = [importing.read(tmp_path / name) for name in ("ann", "a.tar", "a.tar.gz", "a.TGZ", "a.zip")]

    assert trees == [A_BOT] * 5
    assert {tree_hash(tree) for tree in trees} == {tree_hash(importing.read(folder))}


def test_what_the_usual_tools_make_is_taken(tmp_path):
    import shutil

    folder = a_folder(tmp_path / "ann")
    (folder / "empty").mkdir()
    made = [shutil.make_archive(str(tmp_path / kind), kind, folder) for kind in ("tar", "gztar", "zip")]

    assert [importing.read(Path(path)) for path in made] == [A_BOT] * 3


def test_a_long_path_is_taken_from_every_kind_of_tar(tmp_path):
    path = f"{'d' * 90}/{'e' * 90}/program é.py"

    for form in (tarfile.GNU_FORMAT, tarfile.PAX_FORMAT):
        tree = imported(
            tmp_path, "a.tar", a_tar((tar_entry(path), PROGRAM), (tar_entry("b"), b""), form=form)
        )
        assert [file.path for file in tree.files] == ["b", path]


def test_a_git_archive_says_its_commit_in_a_header_that_is_passed_over(tmp_path):
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w", pax_headers={"comment": "0" * 40}) as archive:
        archive.addfile(tar_entry("top/bot.toml", size=len(MANIFEST)), io.BytesIO(MANIFEST))

    assert imported(tmp_path, "a.tar", stream.getvalue()) == Tree((File("bot.toml", False, MANIFEST),))


def test_a_zip_with_a_comment_is_taken(tmp_path):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("bot.toml", MANIFEST)
        archive.comment = b"0" * 40

    assert imported(tmp_path, "a.zip", stream.getvalue()) == Tree((File("bot.toml", False, MANIFEST),))


def test_a_program_is_a_tree_of_one_file_and_its_execute_bit_says_nothing(tmp_path):
    program = tmp_path / "ann.py"
    program.write_bytes(PROGRAM)
    program.chmod(0o755)

    assert importing.read(program) == Tree((File("ann.py", False, PROGRAM),))


def test_what_tools_leave_behind_is_left_out_and_named(tmp_path):
    folder = a_folder(tmp_path / "ann")
    clean = importing.read(folder)
    for path in (".git/objects", "src/__pycache__"):
        (folder / path).mkdir(parents=True)
    (folder / ".git" / "HEAD").symlink_to("/etc/passwd")
    for path in ("src/__pycache__/run.pyc", "bot.toml~", ".DS_Store", "src/.run.sh.swp"):
        (folder / path).touch()

    found = importing.read(folder)

    left_out = (".DS_Store", ".git", "bot.toml~", "src/.run.sh.swp", "src/__pycache__")
    assert found == Tree(clean.files, left_out)
    assert tree_hash(found) == tree_hash(clean)


def test_leftovers_beside_the_top_folder_do_not_hide_it(tmp_path):
    data = a_zip((zip_entry("ann/bot.toml"), MANIFEST), (zip_entry("__MACOSX/ann/._bot.toml"), b"x"))

    assert imported(tmp_path, "a.zip", data) == Tree((File("bot.toml", False, MANIFEST),), ("__MACOSX",))


# The hash


def test_the_hash_is_what_the_docs_say():
    recipe = b"card-arena tree 1\n"
    for path, mark, content in ((b"bot.toml", b"-", MANIFEST), (b"src/run.sh", b"x", PROGRAM)):
        recipe += struct.pack(">I", len(path)) + path + mark + sha256(content).digest()

    assert tree_hash(A_BOT) == sha256(recipe).hexdigest()


def test_contents_that_differ_anywhere_have_different_hashes():
    trees = [
        Tree(()),
        Tree((File("a", False, b"bc"),)),
        Tree((File("ab", False, b"c"),)),
        Tree((File("a", True, b"bc"),)),
        Tree((File("a", False, b""), File("b", False, b""))),
        Tree((File("a/b", False, b""),)),
    ]

    assert len({tree_hash(tree) for tree in trees}) == len(trees)


def test_the_program_of_the_page_computes_the_same_version(tmp_path):
    (program,) = re.findall(r"^```python\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)
    names: dict[str, Any] = {}

    exec(program, names)

    assert names["version"](a_folder(tmp_path / "ann")) == tree_hash(A_BOT)


def test_the_page_tells_the_limits_and_the_leftovers():
    numbers = (tree.ENTRIES, tree.FILE_BYTES >> 20, tree.TOTAL_BYTES >> 20, tree.DEPTH, tree.PATH_BYTES)
    entries, file_mib, total_mib, depth, path_bytes = numbers

    assert f"{entries} files and folders" in PAGE
    assert f"{file_mib} MiB a file, {total_mib} MiB in all" in PAGE
    assert f"{importing.ARCHIVE_BYTES >> 20} MiB an archive" in PAGE
    assert f"{depth} folders, {path_bytes} bytes of path" in PAGE
    assert [pattern for pattern in tree.LEFT_OUT if f"`{pattern}`" not in PAGE] == []
    assert [suffix for suffix in importing.ARCHIVES if f"`{suffix}`" not in PAGE] == []


# Writing


def test_a_tree_is_written_for_everyone_to_read_whatever_the_umask(tmp_path):
    before = os.umask(0o077)
    try:
        write(A_BOT, tmp_path / "bot")
    finally:
        os.umask(before)

    modes = {
        str(path.relative_to(tmp_path)): stat.S_IMODE(path.stat().st_mode) for path in tmp_path.rglob("*")
    }
    assert modes == {"bot": 0o755, "bot/bot.toml": 0o644, "bot/src": 0o755, "bot/src/run.sh": 0o755}
    assert importing.read(tmp_path / "bot") == A_BOT


# Paths, in whatever archive


HOSTILE_PATHS = {
    "up": ("../up", "'..'"),
    "up from below": ("a/../../up", "'..'"),
    "dot inside": ("a/./b", "'.'"),
    "empty part": ("a//b", "empty parts"),
    "absolute": ("/etc/cron.d/x", "absolute"),
    "backslash": ("a\\..\\up", "backslashes"),
    "drive": ("C:evil", "drive letters"),
    "drive and slash": ("c:/evil", "drive letters"),
    "line feed": ("a\nb", "control or invisible"),
    "escape code": ("a\x1b[2Jb", "control or invisible"),
    "right to left": ("a\u202egpj.py", "control or invisible"),
    "zero width": ("a\u200bb", "control or invisible"),
    "filler": ("a\u3164b", "control or invisible"),
    "decomposed": ("Zoe\u0308", "composed form"),
    "deep": ("/".join("abcdefghijklmnopq"), "17 folders deep; at most 16"),
    "many bytes": ("é" * 130, "260 bytes; at most 240"),
    "long": ("x" * 241, "241 characters"),
}


@pytest.mark.parametrize("case", HOSTILE_PATHS)
def test_a_path_that_leads_elsewhere_or_lies_is_refused(tmp_path, case):
    path, reason = HOSTILE_PATHS[case]
    archives = {"a.tar": a_tar((tar_entry(path), b"x")), "a.zip": a_zip((zip_entry(path), b"x"))}

    for name, data in archives.items():
        with pytest.raises(BadSubmission, match=reason) as refused:
            imported(tmp_path, name, data)
        assert str(refused.value).isprintable()


def test_a_hostile_path_is_refused_among_leftovers_too(tmp_path):
    with pytest.raises(BadSubmission, match=r"'\.\.'"):
        imported(tmp_path, "a.tar", a_tar((tar_entry(".git/../../up"), b"x")))


CLASHES = {
    "twice": (("a", "a"), "twice"),
    "case": (("Bot.py", "bot.py"), "differs from 'Bot.py' in case only"),
    "case of a folder": (("Lib/a", "lib/b"), "differs from 'Lib' in case only"),
    "sharp s": (("straße", "STRASSE"), "in case only"),
    "file, then folder": (("a", "a/b"), "a file and a folder at once"),
    "folder, then file": (("a/b", "a"), "a file and a folder at once"),
}


@pytest.mark.parametrize("clash", CLASHES)
@pytest.mark.filterwarnings("ignore:Duplicate name:UserWarning")
def test_names_that_some_disk_cannot_tell_apart_are_refused(tmp_path, clash):
    paths, reason = CLASHES[clash]
    archives = {
        "a.tar": a_tar(*((tar_entry(path), b"x") for path in paths)),
        "a.zip": a_zip(*((zip_entry(path), b"x") for path in paths)),
    }

    for name, data in archives.items():
        with pytest.raises(BadSubmission, match=reason):
            imported(tmp_path, name, data)


# Sizes


def test_too_many_files_are_refused(tmp_path):
    tar = a_tar(*((tar_entry(f"f{number}"), b"") for number in range(1_001)), form=tarfile.USTAR_FORMAT)

    with pytest.raises(BadSubmission, match="more than 1000 files and folders"):
        imported(tmp_path, "a.tar", tar)


def test_folders_count_too(tmp_path):
    entries = ((tar_entry(f"d{number}", kind=tarfile.DIRTYPE), b"") for number in range(1_001))

    with pytest.raises(BadSubmission, match="more than 1000 files and folders"):
        imported(tmp_path, "a.tar", a_tar(*entries, form=tarfile.USTAR_FORMAT))


def test_too_many_files_are_refused_from_a_zip_and_a_folder_too(tmp_path):
    folder = tmp_path / "ann"
    folder.mkdir()
    for number in range(1_001):
        (folder / f"f{number}").touch()
    (tmp_path / "a.zip").write_bytes(a_zip(*((zip_entry(path.name), b"") for path in folder.iterdir())))

    for name in ("ann", "a.zip"):
        with pytest.raises(BadSubmission, match="more than 1000 files and folders"):
            importing.read(tmp_path / name)


def test_a_large_file_is_refused_however_it_comes(tmp_path):
    large = bytes((16 << 20) + 1)
    tar = a_tar((tar_entry("large"), large))
    archives = {
        "a.tar": tar,
        "a.tgz": gzip.compress(tar, 1),
        "a.zip": a_zip((zip_entry("large"), large)),
        "large": large,
    }

    for name, data in archives.items():
        with pytest.raises(BadSubmission, match=r"'large': larger than 16 MiB"):
            imported(tmp_path, name, data)


def test_large_files_are_refused_when_they_are_too_much_together(tmp_path):
    half = bytes(12 << 20)

    with pytest.raises(BadSubmission, match="'c': with it there are more than 32 MiB"):
        imported(tmp_path, "a.zip", a_zip(*((zip_entry(name), half) for name in "abc")))


def test_a_gzip_bomb_is_read_no_further_than_allowed(tmp_path):
    bomb = gzip.compress(bytes(64 << 20), 1)

    with pytest.raises(BadSubmission, match="unpacks to more than 34 MiB; it was read no further"):
        imported(tmp_path, "a.tgz", bomb)


def test_a_zip_entry_that_says_it_is_small_is_cut_where_it_lies(tmp_path):
    data = bytearray(a_zip((zip_entry("bomb"), bytes(1 << 20))))
    for offset in (data.find(b"PK\3\4") + 22, data.find(b"PK\1\2") + 24):
        struct.pack_into("<I", data, offset, 10)

    with pytest.raises(BadSubmission, match="damaged"):
        imported(tmp_path, "a.zip", bytes(data))


def test_an_archive_that_is_large_itself_is_refused(tmp_path):
    path = tmp_path / "a.zip"
    with path.open("wb") as stream:
        stream.truncate(10 << 30)

    with pytest.raises(BadSubmission, match="larger than 34 MiB"):
        importing.read(path)


def test_a_long_list_of_entries_is_not_even_parsed(tmp_path):
    data = bytearray(a_zip((zip_entry("a"), b"x")))
    struct.pack_into("<I", data, len(data) - 22 + 12, 2 << 20)

    with pytest.raises(BadSubmission, match="list of entries is longer"):
        imported(tmp_path, "a.zip", bytes(data))


# Kinds


@pytest.mark.parametrize(
    ("kind", "reason"),
    [
        (tarfile.SYMTYPE, "a symbolic link"),
        (tarfile.LNKTYPE, "a hard link"),
        (tarfile.CHRTYPE, "a device"),
        (tarfile.BLKTYPE, "a device"),
        (tarfile.FIFOTYPE, "a named pipe"),
        (tarfile.GNUTYPE_SPARSE, "a sparse file"),
        (b"Z", "of an unknown kind"),
    ],
)
def test_only_regular_files_and_folders_are_taken_from_a_tar(tmp_path, kind, reason):
    entry = tar_entry("odd", kind=kind, linkname="../../etc/passwd")

    with pytest.raises(BadSubmission, match=f"'odd': it is {reason}"):
        imported(tmp_path, "a.tar", a_tar((entry, b""), (tar_entry("odd/through"), b"x")))


def test_a_sparse_file_of_ten_gigabytes_is_refused(tmp_path):
    headers = {"GNU.sparse.major": "1", "GNU.sparse.minor": "0", "GNU.sparse.realsize": str(10 << 30)}

    with pytest.raises(BadSubmission, match="a sparse file"):
        imported(tmp_path, "a.tar", a_tar((tar_entry("sparse", pax_headers=headers), b"0\n")))


@pytest.mark.parametrize(
    ("mode", "reason"),
    [
        (stat.S_IFLNK, "a symbolic link"),
        (stat.S_IFCHR, "a device"),
        (stat.S_IFBLK, "a device"),
        (stat.S_IFIFO, "a named pipe"),
        (stat.S_IFSOCK, "a socket"),
    ],
)
def test_only_regular_files_and_folders_are_taken_from_a_zip(tmp_path, mode, reason):
    with pytest.raises(BadSubmission, match=f"'odd': it is {reason}"):
        imported(tmp_path, "a.zip", a_zip((zip_entry("odd", mode=mode | 0o777), b"/etc/passwd")))


def test_a_zip_entry_with_a_password_is_refused(tmp_path):
    data = bytearray(a_zip((zip_entry("secret"), b"x")))
    for offset in (data.find(b"PK\3\4") + 6, data.find(b"PK\1\2") + 8):
        data[offset] |= 1

    with pytest.raises(BadSubmission, match="'secret': it is encrypted"):
        imported(tmp_path, "a.zip", bytes(data))


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_compression_whose_output_cannot_be_bounded_is_refused(tmp_path, method):
    with pytest.raises(BadSubmission, match=f"method {method}; stored and deflated are taken"):
        imported(tmp_path, "a.zip", a_zip((zip_entry("a", method=method), b"x")))


def test_a_zip_name_of_unknown_encoding_is_refused(tmp_path):
    data = a_zip((zip_entry("aeb"), b"x")).replace(b"aeb", b"a\x82b")

    with pytest.raises(BadSubmission, match="not marked as UTF-8"):
        imported(tmp_path, "a.zip", data)


def test_a_tar_name_that_is_not_utf8_is_refused(tmp_path):
    tar = a_tar((tar_entry("a\udcffb"), b"x"), form=tarfile.GNU_FORMAT)

    with pytest.raises(BadSubmission, match="not UTF-8"):
        imported(tmp_path, "a.tar", tar)


def test_a_zip_name_with_an_end_in_its_middle_is_refused(tmp_path):
    data = a_zip((zip_entry("bot.py_..."), b"x")).replace(b"bot.py_", b"bot.py\0")

    with pytest.raises(BadSubmission, match="control or invisible"):
        imported(tmp_path, "a.zip", data)


def test_a_zip_entry_with_two_names_is_refused(tmp_path):
    data = a_zip((zip_entry("bot.py"), b"x")).replace(b"bot.py", b"../bot", 1)

    with pytest.raises(BadSubmission, match="damaged"):
        imported(tmp_path, "a.zip", data)


def test_zip_entries_that_share_their_bytes_count_each(tmp_path):
    large = bytes(12 << 20)
    one = a_zip(*((zip_entry(name), large) for name in "ab"))
    first, second = one.find(b"PK\1\2"), one.rfind(b"PK\1\2")
    shared = bytearray(one)
    struct.pack_into("<I", shared, second + 42, struct.unpack_from("<I", shared, first + 42)[0])

    with pytest.raises(BadSubmission, match="damaged"):
        imported(tmp_path, "a.zip", bytes(shared))


def test_a_zip_of_the_64_bit_kind_is_refused(tmp_path):
    data = a_zip((zip_entry("a"), b"x"))

    with pytest.raises(BadSubmission, match="64-bit kind"):
        imported(tmp_path, "a.zip", data[:-22] + b"PK\6\7" + bytes(16) + data[-22:])


def test_an_archive_in_an_archive_is_a_file_like_any_other(tmp_path):
    bomb = gzip.compress(bytes(64 << 20), 1)

    tree = imported(tmp_path, "a.zip", a_zip((zip_entry("deep.tar.gz"), bomb)))

    assert tree == Tree((File("deep.tar.gz", False, bomb),))


def test_a_header_for_the_whole_tar_renames_nothing(tmp_path):
    tree = imported(tmp_path, "a.tar", with_header(tarfile.XGLTYPE, b"14 path=../up\n"))

    assert [file.path for file in tree.files] == ["bot.toml", "main.py"]


def test_owners_and_special_bits_are_not_taken(tmp_path):
    entry = tar_entry("run", mode=0o6777, uid=0, gid=0, uname="root")

    write(imported(tmp_path, "a.tar", a_tar((entry, PROGRAM))), tmp_path / "bot")

    assert stat.S_IMODE((tmp_path / "bot" / "run").stat().st_mode) == 0o755
    assert (tmp_path / "bot" / "run").stat().st_uid == os.geteuid()


# Damage


TAR = a_tar((tar_entry("bot.toml"), MANIFEST), (tar_entry("main.py"), PROGRAM))
ZIP = a_zip((zip_entry("bot.toml"), MANIFEST), (zip_entry("main.py"), PROGRAM))


@pytest.mark.parametrize("length", [0, 1, 511, 512, 700, 1024, 1536, 2047, 2048])
def test_a_tar_that_was_cut_off_is_refused(tmp_path, length):
    with pytest.raises(BadSubmission, match="cut off"):
        imported(tmp_path, "a.tar", TAR[:length])


def test_a_compressed_tar_that_was_cut_off_or_changed_is_refused(tmp_path):
    whole = gzip.compress(TAR)

    for damaged in (b"", whole[:9], whole[:-9], whole[:-1], whole[:-8] + bytes(8), TAR, b"garbage" * 99):
        with pytest.raises(BadSubmission, match="cut off"):
            imported(tmp_path, "a.tgz", damaged)


def test_a_zip_that_was_cut_off_or_changed_is_refused(tmp_path):
    changed = ZIP.replace(b"PK\3\4", b"PK\3\5", 1)

    for damaged in (b"", ZIP[:-1], ZIP[:-22], ZIP[:40], changed, TAR, b"garbage" * 99):
        with pytest.raises(BadSubmission, match="cut off"):
            imported(tmp_path, "a.zip", damaged)


def test_a_tar_with_something_behind_its_end_is_refused(tmp_path):
    with pytest.raises(BadSubmission, match="does not end as a tar does"):
        imported(tmp_path, "a.tar", TAR + TAR)


def with_header(kind: bytes, content: bytes) -> bytes:
    """A tar whose one file has an extended header of any content."""
    header = tar_entry("extended", kind=kind, size=len(content)).tobuf(tarfile.USTAR_FORMAT)
    return header + content + bytes(-len(content) % 512) + TAR


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"no length\n", "damaged"),
        (b"0 path=a\n", "damaged"),
        (b"-9 path=a\n", "damaged"),
        (b"999 path=a\n", "damaged"),
        (b"9 path=a", "damaged"),
        (b"12 size=-99\n", "damaged"),
        (b"17 size=99999999\n", "damaged"),
        (b"12 size=1e9\n", "damaged"),
        (b"14 path=../up\n", "'..'"),
        (b"14 path=a\0bcd\n", "control"),
        (b"9" * 60_000, "damaged"),
        (b"9" * 70_000, "at most 65536 are allowed"),
    ],
)
def test_an_extended_header_that_lies_is_refused(tmp_path, content, reason):
    with pytest.raises(BadSubmission, match=reason):
        imported(tmp_path, "a.tar", with_header(tarfile.XHDTYPE, content))


def test_a_negative_size_is_refused(tmp_path):
    header = bytearray(tar_entry("a").tobuf(tarfile.GNU_FORMAT))
    header[124:136] = b"\xff" * 12
    header[148:156] = b" " * 8
    header[148:156] = b"%06o\0 " % sum(header)

    with pytest.raises(BadSubmission, match="damaged"):
        imported(tmp_path, "a.tar", bytes(header) + bytes(1024))


def test_thousands_of_headers_before_a_file_are_only_slow_enough_to_count(tmp_path):
    headers = tar_entry("l", kind=tarfile.GNUTYPE_LONGNAME, size=2).tobuf(tarfile.USTAR_FORMAT) + b"a\0"
    data = (headers + bytes(510)) * 5_000 + TAR

    assert [file.path for file in imported(tmp_path, "a.tar", data).files] == ["a", "main.py"]


@settings(max_examples=150)
@given(
    kind=st.sampled_from(["a.tar", "a.zip", "a.tgz"]),
    changes=st.lists(st.tuples(st.integers(0, 10_239), st.binary(min_size=1, max_size=12)), max_size=4),
)
def test_an_archive_with_any_bytes_changed_is_taken_or_refused_in_words(tmp_path_factory, kind, changes):
    data = bytearray(ZIP if kind == "a.zip" else TAR)
    for offset, change in changes:
        start = offset % len(data)
        data[start : start + len(change)] = change
    path = tmp_path_factory.mktemp("fuzz") / kind
    path.write_bytes(gzip.compress(data, 1) if kind == "a.tgz" else data)

    try:
        tree = importing.read(path)
    except BadSubmission as refused:
        assert str(refused).isprintable()  # noqa: PT017 - both ends are good ones
    else:
        assert all(not file.path.startswith("/") and ".." not in file.path for file in tree.files)


# Folders


def test_a_link_in_a_folder_is_refused(tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("the league's seed")
    for target in (secret, tmp_path, Path("bot.toml"), Path("nowhere")):
        folder = a_folder(tmp_path / "ann")
        (folder / "src" / "odd").symlink_to(target)

        with pytest.raises(BadSubmission, match=r"'src/odd': it is a symbolic link"):
            importing.read(folder)

        (folder / "src" / "odd").unlink()
        folder.rename(tmp_path / f"done-{sum(1 for _ in tmp_path.iterdir())}")


def test_a_second_name_of_a_file_elsewhere_is_refused(tmp_path):
    (tmp_path / "secret").write_text("the league's seed")
    folder = a_folder(tmp_path / "ann")
    (folder / "odd").hardlink_to(tmp_path / "secret")

    with pytest.raises(BadSubmission, match=r"'odd': it is a hard link: .* copy it instead"):
        importing.read(folder)


def test_a_sparse_file_in_a_folder_is_read_no_further_than_allowed(tmp_path):
    folder = a_folder(tmp_path / "ann")
    with (folder / "sparse").open("wb") as stream:
        stream.truncate(10 << 30)

    with pytest.raises(BadSubmission, match="'sparse': larger than 16 MiB"):
        importing.read(folder)


def test_names_without_number_in_a_folder_are_not_even_listed(tmp_path, monkeypatch):
    monkeypatch.setattr(importing, "ENTRIES", 5)
    folder = a_folder(tmp_path / "ann")
    for number in range(50):
        (folder / "src" / str(number)).touch()

    with pytest.raises(BadSubmission, match="refused at 'src/': more than 50 names in one folder"):
        importing.read(folder)


def test_a_link_as_the_submission_itself_is_refused(tmp_path):
    (tmp_path / "secret").write_text("the league's seed")
    for target in (a_folder(tmp_path / "ann"), tmp_path / "secret"):
        (tmp_path / "bot.py").symlink_to(target)

        with pytest.raises(BadSubmission, match=r"bot.py' is a symbolic link; type the path"):
            importing.read(tmp_path / "bot.py")

        (tmp_path / "bot.py").unlink()


def test_a_pipe_or_a_socket_in_a_folder_is_refused_without_waiting(tmp_path):
    folder = a_folder(tmp_path / "ann")
    os.mkfifo(folder / "odd")

    with pytest.raises(BadSubmission, match="'odd': it is a named pipe"):
        importing.read(folder)
    with pytest.raises(BadSubmission, match="odd' is a named pipe"):
        importing.read(folder / "odd")

    (folder / "odd").unlink()
    with socket.socket(socket.AF_UNIX) as listener:
        handle = os.open(folder, os.O_RDONLY)
        listener.bind(f"/proc/self/fd/{handle}/odd")
        os.close(handle)
        with pytest.raises(BadSubmission, match="'odd': it is a socket"):
            importing.read(folder)


def test_what_looks_like_a_file_and_cannot_be_read_is_refused(tmp_path, monkeypatch):
    (tmp_path / "odd").touch()

    def fails(_handle, _most):
        raise OSError(22, "Invalid argument")

    monkeypatch.setattr(importing, "_read", fails)

    with pytest.raises(BadSubmission, match="refused at 'odd': Invalid argument"):
        importing.read(tmp_path)


SECRET = b"the league's seed"


def becomes_a_link(path: Path, outside: Path):
    path.symlink_to(outside / "file")


def becomes_a_link_to_a_folder(path: Path, outside: Path):
    path.symlink_to(outside)


def becomes_a_hard_link(path: Path, outside: Path):
    path.hardlink_to(outside / "file")


def becomes_a_pipe(path: Path, _outside: Path):
    os.mkfifo(path)


def becomes_a_folder(path: Path, _outside: Path):
    path.mkdir()


def is_gone(_path: Path, _outside: Path):
    pass


CHANGED = "it changed while it was read"
SWAPS = {
    becomes_a_link: CHANGED,
    becomes_a_link_to_a_folder: CHANGED,
    becomes_a_hard_link: "it is a hard link",
    becomes_a_pipe: CHANGED,
    becomes_a_folder: CHANGED,
    is_gone: "No such file or directory",
}


def swapped_at_the_worst_moment(tmp_path, monkeypatch, call, victim, swap):
    """Right after the importer looked, by `call`, and before it opens."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "file").write_bytes(SECRET)
    where, look = {"os.stat": (importing.os, "stat"), "lstat": (Path, "lstat")}[call]
    real = getattr(where, look)

    def looks(name, **options):
        found = real(name, **options)
        if Path(name).name == victim.name and not (tmp_path / "moved").exists():
            victim.rename(tmp_path / "moved")
            swap(victim, outside)
        return found

    monkeypatch.setattr(where, look, looks)


IN_A_FOLDER = [(name, swap) for name in ("bot.toml", "src") for swap in SWAPS]
WHOLE = [(name, swap) for name in ("ann", "ann.zip", "ann.tar", "ann.tgz", "ann.py") for swap in SWAPS]
HARMLESS = {
    ("src", becomes_a_folder),
    ("src", becomes_a_hard_link),
    ("ann", becomes_a_folder),
    *((name, becomes_a_hard_link) for name, _ in WHOLE),
}
"""A folder for a folder, or what cannot be; and whoever names a file may name it by any of its names."""


def named(value) -> str:
    return getattr(value, "__name__", value)


@pytest.mark.parametrize(("name", "swap"), [each for each in IN_A_FOLDER if each not in HARMLESS], ids=named)
def test_what_is_swapped_in_a_folder_between_check_and_use_is_refused(tmp_path, monkeypatch, swap, name):
    folder = a_folder(tmp_path / "ann")
    swapped_at_the_worst_moment(tmp_path, monkeypatch, "os.stat", folder / name, swap)

    with pytest.raises(BadSubmission, match=f"refused at '{name}': {SWAPS[swap]}"):
        importing.read(folder)


@pytest.mark.parametrize(("name", "swap"), [each for each in WHOLE if each not in HARMLESS], ids=named)
def test_a_submission_that_is_swapped_between_check_and_use_is_refused(tmp_path, monkeypatch, swap, name):
    whole = tmp_path / name
    if name == "ann":
        a_folder(whole)
    else:
        whole.write_bytes({".zip": ZIP, ".tar": TAR, ".tgz": gzip.compress(TAR)}.get(whole.suffix, PROGRAM))
    swapped_at_the_worst_moment(tmp_path, monkeypatch, "lstat", whole, swap)

    with pytest.raises(BadSubmission, match=f"refused at '{name}': {SWAPS[swap]}"):
        importing.read(whole)


def test_a_file_that_vanishes_before_it_is_looked_at_is_named(tmp_path, monkeypatch):
    folder = a_folder(tmp_path / "ann")
    names = importing._names

    def lists(handle, above):
        found = names(handle, above)
        (folder / "bot.toml").unlink(missing_ok=True)
        return found

    monkeypatch.setattr(importing, "_names", lists)

    with pytest.raises(BadSubmission, match=r"refused at 'bot\.toml': it changed while it was read"):
        importing.read(folder)


@pytest.mark.parametrize("name", ["bot.toml", "ann.zip"])
def test_what_grows_between_check_and_use_is_read_no_further_than_allowed(tmp_path, monkeypatch, name):
    folder = a_folder(tmp_path / "ann")
    growing = folder / name
    growing.touch()
    real = importing.os.open

    def opens(path, flags, **options):
        handle = real(path, flags, **options)
        if Path(path).name == name:
            os.truncate(growing, 10 << 30)
        return handle

    monkeypatch.setattr(importing.os, "open", opens)

    with pytest.raises(BadSubmission, match=rf"refused at '{name}': larger than (16|34) MiB"):
        importing.read(folder if name == "bot.toml" else growing)


def test_a_folder_with_odd_names_is_refused_by_the_same_rules(tmp_path):
    for name in ("a\nb", "a\\b", "Zoe\u0308", "a\udcff"):
        folder = a_folder(tmp_path / "ann")
        (folder / name).touch()

        with pytest.raises(BadSubmission):
            importing.read(folder)

        (folder / name).unlink()
        folder.rename(tmp_path / f"done-{sum(1 for _ in tmp_path.iterdir())}")


def test_a_deep_folder_is_not_followed_to_its_end(tmp_path):
    folder = tmp_path / "ann"
    folder.joinpath(*"abcdefghijklmnopqrstuvwxyz").mkdir(parents=True)

    with pytest.raises(BadSubmission, match="17 folders deep"):
        importing.read(folder)


def test_what_is_not_there_says_what_to_type(tmp_path):
    with pytest.raises(
        BadSubmission, match=r"nothing': No such file or directory; type the path of a folder"
    ):
        importing.read(tmp_path / "nothing")


def test_reading_leaves_no_descriptor_open(tmp_path):
    folder = a_folder(tmp_path / "ann")
    (tmp_path / "a.zip").write_bytes(ZIP)
    (tmp_path / "a.tgz").write_bytes(gzip.compress(TAR))
    (folder / "src" / "zz").symlink_to("/etc/passwd")
    before = len(list(Path("/proc/self/fd").iterdir()))

    for name in ("ann", "a.zip", "a.tgz"):
        try:
            importing.read(tmp_path / name)
        except BadSubmission:
            assert name == "ann"

    assert len(list(Path("/proc/self/fd").iterdir())) == before
