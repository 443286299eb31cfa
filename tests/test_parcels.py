"""Versions that travel come out as they went in, or not at all."""

import tarfile
from io import BytesIO
from pathlib import Path

import pytest

from arena.submissions.importing import read_folder
from arena.submissions.parcels import ARRIVING, packed, unpack
from arena.submissions.tree import BadSubmission, File, Tree, tree_hash, write

TREE = Tree(
    (
        File("bot.toml", executable=False, content=b'name = "x"\n'),
        File("déjà/" + "d" * 100 + "/" + "e" * 100, executable=True, content=b"\0\xff" * 700),
        File("run", executable=True, content=b""),
    )
)
VERSION = tree_hash(TREE)


@pytest.fixture
def parcel(tmp_path: Path) -> bytes:
    write(TREE, tmp_path / "sent")
    return packed(tmp_path / "sent")


@pytest.fixture
def submissions(tmp_path: Path) -> Path:
    folder = tmp_path / "submissions"
    folder.mkdir()
    return folder


def test_a_version_arrives_as_it_was(parcel, submissions):
    unpack(parcel, submissions, VERSION)

    assert read_folder(submissions / VERSION) == TREE
    assert [path.name for path in submissions.iterdir()] == [VERSION]


def test_what_is_not_the_version_that_was_named_is_refused(parcel, submissions):
    changed = parcel.replace(b'name = "x"', b'name = "y"')

    with pytest.raises(BadSubmission, match=r"^what was sent as version 000000000000 has the hash "):
        unpack(parcel, submissions, "0" * 64)
    with pytest.raises(BadSubmission, match=rf"^what was sent as version {VERSION[:12]} has the hash "):
        unpack(changed, submissions, VERSION)

    assert list(submissions.iterdir()) == []


@pytest.mark.parametrize("cut", [0, 600, 5_000])
def test_half_a_parcel_is_refused(parcel, submissions, cut):
    with pytest.raises(BadSubmission):
        unpack(parcel[:cut], submissions, VERSION)

    assert list(submissions.iterdir()) == []


def test_a_parcel_is_held_to_the_rules_for_submissions(submissions):
    stream = BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as archive:
        link = tarfile.TarInfo("run")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(link)

    with pytest.raises(BadSubmission, match="refused at 'run': it is a symbolic link"):
        unpack(stream.getvalue(), submissions, VERSION)


def test_what_was_half_written_or_changed_makes_room(parcel, submissions):
    for name in (ARRIVING, VERSION):
        (submissions / name / "run").mkdir(parents=True)

    unpack(parcel, submissions, VERSION)

    assert read_folder(submissions / VERSION) == TREE
    assert [path.name for path in submissions.iterdir()] == [VERSION]
