"""Builds: what they may do, what becomes of what they leave, and that it is kept as it was made."""

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import boxes
import msgspec
import pytest
from click.testing import CliRunner

from arena import runtimes
from arena.cli import group
from arena.model import HOUSE, Entrant, UserError
from arena.runtimes import BUILT, FILES, Manifest, Transport
from arena.runtimes.started import WORKSHOP
from arena.sandbox import SandboxError
from arena.store import Store
from arena.submissions import building, check_built
from arena.submissions.building import BuildFailed, build
from arena.submissions.builds import LOCK, MAKING, RECORD, make_ready
from arena.submissions.tree import Tree

BOTH = pytest.mark.parametrize("backend", ["plain", pytest.param("bwrap", marks=pytest.mark.box)])
BOX = pytest.mark.box
pytestmark = pytest.mark.process


def shell(text: str) -> Manifest:
    """A bot whose build is a line of shell."""
    return Manifest("x", command=("./bot",), build=("sh", "-c", text), transport=Transport.STDIO)


def source(folder: Path, **files: str) -> Path:
    folder.mkdir(parents=True)
    for name, text in {"main": "1\n", **files}.items():
        (folder / name).write_text(text)
    return folder


def built(folder: Path, text: str, backend: str = "bwrap") -> Tree:
    return build(shell(text), source(folder / "source"), sandbox=backend)


def failure(folder: Path, text: str, backend: str = "bwrap") -> BuildFailed:
    with pytest.raises(BuildFailed) as caught:
        built(folder, text, backend)
    return caught.value


# What a build is, and what it leaves


@BOTH
def test_a_build_leaves_its_folder_as_it_is_afterwards_and_the_submission_as_it_was(tmp_path, backend):
    tree = built(tmp_path, "mkdir out; cp main out/bot; chmod +x out/bot; rm main", backend)

    assert [(file.path, file.executable, file.content) for file in tree.files] == [("out/bot", True, b"1\n")]
    assert [path.name for path in (tmp_path / "source").iterdir()] == ["main"]


@BOTH
def test_a_build_that_fails_is_told_with_its_last_lines_made_harmless(tmp_path, backend):
    failed = failure(tmp_path, r"seq 40; printf 'red \033[31m\377\n' >&2; exit 3", backend)

    assert str(failed) == "exit code 3"
    assert failed.log.splitlines() == [*map(str, range(22, 41)), r"red \x1b[31m\xff"]


@BOTH
def test_a_build_that_hangs_is_ended_with_all_that_it_started(tmp_path, backend, monkeypatch):
    monkeypatch.setattr(building, "BUILD_S", 0.5)

    failed = failure(tmp_path, "echo begun; sleep 60 & sleep 60", backend)

    assert (str(failed), failed.log) == ("it was not done after 0 s, which is all it may take", "begun")


@BOTH
def test_a_process_that_a_build_leaves_behind_does_not_hold_it_up(tmp_path, backend):
    tree = built(tmp_path, "sleep 5 & echo $! > bot", backend)

    assert [file.path for file in tree.files] == ["bot", "main"]


@BOX
@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("ln -s /etc/passwd bot", "refused at './bot': it is a symbolic link; only regular files"),
        ("ln -s main bot", "refused at './bot': it is a symbolic link; only regular files"),
        ("mkfifo bot", "refused at './bot': it is a named pipe; only regular files"),
        ("head -c 20000000 /dev/zero > bot", "refused at './bot': larger than 16 MiB"),
        (
            "for i in 1 2 3; do head -c 16000000 /dev/zero > $i; done",
            "it left more than 34 MiB in its folder",
        ),
        ("seq 1001 | xargs touch", "more than 1000 files and folders"),
        ("printf x > 'a\033b'", r"refused at './a\x1bb': its name has control"),
        ("printf x > MAIN", "it differs from "),
    ],
)
def test_what_a_build_leaves_is_held_to_the_rules_for_submissions(tmp_path, text, sentence):
    failed = failure(tmp_path, text)

    assert sentence in str(failed)
    assert str(failed).isprintable()


@BOX
def test_a_hard_link_within_the_folder_is_a_file_of_its_own(tmp_path):
    tree = built(tmp_path, "ln main bot")

    assert [(file.path, file.content) for file in tree.files] == [("bot", b"1\n"), ("main", b"1\n")]


@pytest.mark.parametrize(
    ("manifest", "needed"),
    [
        (Manifest("x", language="c", main="main", build=("true",)), "bot"),
        (Manifest("x", language="java", main="src/Bot.java", build=("true",)), "Bot.class"),
        (Manifest("x", language="javascript", main="out/main.js", build=("true",)), "out/main.js"),
    ],
)
def test_what_is_started_must_be_there_after_a_build(tmp_path, manifest, needed):
    try:
        runtimes.toolchain(manifest.language)
    except SandboxError as missing:
        pytest.skip(f"this machine lacks the tool: {missing}")

    with pytest.raises(BuildFailed, match=f"^it left no file {needed}, which is what would be started"):
        build(manifest, source(tmp_path / "source"), sandbox="plain")


# What it may use


@BOX
@pytest.mark.parametrize(
    "text",
    [
        "for i in 1 2 3; do head -c 6000000 /dev/zero > $TMPDIR/$i || exit; done",
        "head -c 9000000 /dev/zero > $TMPDIR/long",
        "for i in $(seq 20); do sleep 20 & done",
        "touch /bot/main || touch /usr/x || touch /x",
        "bash -c '</dev/tcp/127.0.0.1/1'",
    ],
)
def test_a_build_can_neither_take_more_than_it_may_nor_write_elsewhere_nor_reach_a_network(
    tmp_path, monkeypatch, text
):
    small = msgspec.structs.replace(WORKSHOP, tmp_mib=16, file_mib=8, processes=20)
    monkeypatch.setattr("arena.runtimes.started.WORKSHOP", small)

    assert str(failure(tmp_path, text)).startswith("exit code")


@BOX
def test_a_build_that_takes_too_much_memory_is_told_so(tmp_path, monkeypatch):
    small = msgspec.structs.replace(WORKSHOP, memory_mib=64)
    monkeypatch.setattr("arena.runtimes.started.WORKSHOP", small)
    hungry = "for i in 1 2 3; do head -c 40000000 /dev/zero > $TMPDIR/$i; done"

    found = str(failure(tmp_path, hungry))

    assert re.match(r"it took too much memory: found \d+ MiB in its box.*, at most 64 MiB allowed$", found)


def test_the_page_of_submissions_tells_what_a_build_may_use():
    page = (Path(__file__).parent.parent / "docs" / "submissions.md").read_text("utf-8")
    table = page.partition("| a build has |")[2].partition("\n\n")[0]

    assert re.findall(r"\d+", table) == [
        f"{amount:.0f}"
        for amount in (
            *(building.BUILD_S, WORKSHOP.memory_mib, WORKSHOP.tmp_mib),
            *(WORKSHOP.processes, WORKSHOP.files, WORKSHOP.file_mib),
        )
    ]
    assert WORKSHOP.cpu_s == building.BUILD_S


@BOX
def test_a_build_may_lock_files_and_a_bot_may_not(tmp_path):
    locking = "perl -e 'open F, \">x\"; print flock(F, 2) ? 1 : 0' > said"

    assert {file.path: file.content for file in built(tmp_path, locking).files}["said"] == b"1"


# What is kept of it


@pytest.fixture
def store(tmp_path):
    with Store.open(tmp_path / "work") as opened:
        yield opened


def version_in(store: Store, text: str = "cp main bot") -> tuple[Manifest, Path, str]:
    """A version that stands in a workspace without having been tried."""
    manifest = shell(text)
    lines = f'name = "x"\ncommand = ["./bot"]\nbuild = {json.dumps(list(manifest.build or ()))}\n'
    source(store.submissions / "v1", **{"bot.toml": lines})
    return manifest, store.submissions, "v1"


def entry(store: Store) -> Path:
    return store.workspace / BUILT / "v1"


def counted(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Lets builds be counted."""
    done: list[str] = []

    def counting(manifest: Manifest, folder: Path, *, sandbox: str) -> Tree:
        done.append(folder.name)
        return build(manifest, folder, sandbox=sandbox)

    monkeypatch.setattr("arena.submissions.builds.build", counting)
    return done


def test_a_version_is_built_once(store, monkeypatch):
    done, version = counted(monkeypatch), version_in(store)

    for _ in range(3):
        make_ready(*version, "plain")

    assert done == ["v1"]
    assert sorted(path.name for path in entry(store).parent.iterdir()) == [LOCK, "v1"]
    assert runtimes.played(*version) == entry(store) / FILES
    assert (entry(store) / FILES / "bot").read_text() == "1\n"


@pytest.mark.parametrize(
    "spoil",
    [
        shutil.rmtree,
        lambda entry: (entry / FILES / "bot").write_text("2\n"),
        lambda entry: (entry / FILES / "bot").chmod(0o755),
        lambda entry: (entry / FILES / "bot").unlink(),
        lambda entry: (entry / FILES / "link").symlink_to("/etc"),
        lambda entry: (entry / RECORD).unlink(),
        lambda entry: (entry / RECORD).write_text('{"tree": "'),
        lambda entry: (entry / FILES).rename(entry / "elsewhere"),
        lambda entry: (shutil.rmtree(entry), entry.symlink_to("/etc")),
        lambda entry: (shutil.rmtree(entry), entry.touch()),
        lambda entry: (entry.rename(entry.with_name(MAKING)), (entry.with_name(MAKING) / RECORD).unlink()),
    ],
)
def test_an_entry_that_is_missing_or_changed_or_half_written_is_built_anew(
    store, monkeypatch, spoil: Callable[[Path], object]
):
    version = version_in(store)
    make_ready(*version, "plain")
    done = counted(monkeypatch)
    spoil(entry(store))

    check_built(store.submissions, [HOUSE, Entrant("x", "v1")], sandbox="plain")

    assert done == ["v1"]
    assert (entry(store) / FILES / "bot").read_text() == "1\n"
    assert not (entry(store) / FILES / "bot").stat().st_mode & 0o111
    assert sorted(path.name for path in entry(store).parent.iterdir()) == [LOCK, "v1"]


@pytest.mark.parametrize("field", ["recipe", "machine"])
def test_an_entry_of_another_recipe_or_machine_is_built_anew(store, monkeypatch, field):
    version = version_in(store)
    make_ready(*version, "plain")
    done = counted(monkeypatch)
    record = json.loads((entry(store) / RECORD).read_bytes())
    record[field] = {"recipe": ["make"], "machine": "abacus"}[field]
    (entry(store) / RECORD).write_text(json.dumps(record))

    make_ready(*version, "plain")

    assert done == ["v1"]


def test_a_build_that_fails_before_a_league_says_whose_and_why(store):
    version_in(store, "echo no compiler; false")

    with pytest.raises(UserError) as told:
        check_built(store.submissions, [Entrant("Ann", "v1")], sandbox="plain")

    assert str(told.value) == (
        "version v1 of Ann cannot be played: its build failed: exit code 1; the last it said:\nno compiler"
    )
    assert not entry(store).exists()


# From what is handed in to what is played

BROKEN = (
    'name = "x"\nlanguage = "bash"\ngames = ["idiot"]\nbuild = ["sh", "-c", "echo a sad story; exit 9"]\n'
)


def arena(workspace: Path, *words: str) -> tuple[int, str]:
    found = CliRunner().invoke(group, words, env={"ARENA_WORKSPACE": str(workspace)})
    assert found.exception is None or isinstance(found.exception, SystemExit), found.exc_info
    return found.exit_code, found.output


def left_in(workspace: Path) -> list[str]:
    return sorted(path.name for path in workspace.iterdir() if "arena" not in path.name)


@BOX
def test_a_submission_whose_build_fails_is_refused_and_leaves_nothing(tmp_path):
    folder = source(tmp_path / "bot", **{"bot.toml": BROKEN})

    code, said = arena(tmp_path / "work", "submit", str(folder))

    assert code == 1
    assert "building: sh -c 'echo a sad story; exit 9'\n" in said
    assert "the build failed: exit code 9\n  the last it printed:\n  | a sad story\nrefused: x " in said
    assert left_in(tmp_path / "work") == ["submissions", "submit.lock"]
    assert list((tmp_path / "work" / "submissions").iterdir()) == []


SPEAKS = r"""
echo '{"type":"hello","protocol":1,"name":"x"}'
while read -r line; do
    legal=${line#*'"legal":["'}
    turn=${line#*'"turn":'}
    case $line in
        '{"type":"decide"'*)
            echo '{"type":"action","match":1,"turn":'"${turn%%,*}"',"action":"'"${legal%%'"'*}"'"}' ;;
        '{"type":"bye"'*) exit ;;
    esac
done
"""
MADE = """
name = "made"
games = ["idiot"]
language = "bash"
main = "out/bot.sh"
build = ["sh", "-c", "mkdir out && cp bot.in out/bot.sh"]
"""


@BOX
def test_a_bot_is_built_tried_entered_and_built_again_before_a_league_when_its_build_is_gone(tmp_path):
    folder, work = source(tmp_path / "bot", **{"bot.toml": MADE, "bot.in": SPEAKS}), tmp_path / "work"
    league = ("run", "--game", "idiot", "--boards", "1", "--fill", "house", "--name", "one", "--jobs", "1")

    entered = arena(work, "submit", str(folder))
    kept = [path.name for path in (work / BUILT).iterdir() if path.name != LOCK]
    shutil.rmtree(work / BUILT)
    played = arena(work, *league)

    assert (entered[0], played[0]) == (0, 0), (entered, played)
    assert "entered: made, version 1 of 1" in entered[1]
    assert kept == [path.name for path in (work / "submissions").iterdir()]
    assert (work / BUILT / kept[0] / FILES / "out" / "bot.sh").read_text() == SPEAKS
    assert not (work / "submissions" / kept[0] / "out").exists()


@BOX
def test_what_was_built_is_read_only_for_the_bot(tmp_path, store):
    manifest = shell("printf '#!/bin/sh\\ntouch /bot/x; echo $?\\n' > bot; chmod +x bot")
    folder = source(store.submissions / "v1")
    make_ready(manifest, store.submissions, "v1", "bwrap")
    box = runtimes.box(
        manifest,
        runtimes.played(manifest, store.submissions, "v1"),
        walled=True,
        limits=boxes.LIMITS,
        socket=None,
        seat=0,
    )

    code, said = boxes.run(box)

    assert (code, said.splitlines()[-1]) == (0, "1")
    assert folder.is_dir()
    assert not (entry(store) / FILES / "x").exists()


def test_what_builds_a_bot_is_what_it_says_or_else_what_its_language_does():
    said = Manifest("x", language="c", main="a.c", build=("make", "bot"))

    assert runtimes.recipe(said) == ("make", "bot")
    assert runtimes.recipe(Manifest("x", language="rust", main="a.rs"))[-2:] == ("bot", "./a.rs")
    assert runtimes.recipe(Manifest("x", language="bash", main="a.sh")) == ()
    assert runtimes.recipe(Manifest("x", command=("./bot",))) == ()
