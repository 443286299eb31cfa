"""What a submission says of itself, and that every language starts."""

import os
import shutil
import sys
from pathlib import Path

import boxes
import pytest

from arena import runtimes
from arena.runtimes import BadManifest, Manifest, Transport
from arena.sandbox import Bind, Limits, SandboxError, remedies
from arena.submissions.building import build
from arena.submissions.tree import write

DEFAULTS = Manifest(name="x", language="python", main="main.py")
BOTH = pytest.mark.parametrize("backend", ["plain", pytest.param("bwrap", marks=pytest.mark.box)])


def bot(folder: Path, manifest: str | None, *files: str) -> Path:
    if manifest is not None:
        (folder / "bot.toml").write_text(manifest, "utf-8")
    for file in files:
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        (folder / file).write_text("")
    return folder


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('name = "x"\nlanguage = "python"', DEFAULTS),
        ('name = "x"\nmain = "main.py"', DEFAULTS),
        ('name = "x"\nmain = "./main.py"', DEFAULTS),
        (
            'name = "x"\nmain = "lib/start.js"\ngames = ["imp"]\nmemory_mib = 64',
            Manifest("x", ("imp",), "javascript", "lib/start.js", None, Transport.STDIO, 64),
        ),
        (
            'name = "x"\nlanguage = "javascript"\nmain = "lib/start.js"\ntransport = "zmq"',
            Manifest("x", None, "javascript", "lib/start.js", None, Transport.ZMQ, None),
        ),
        (
            'name = "x"\ncommand = ["./play", "-v"]\ntransport = "stdio"',
            Manifest("x", None, None, None, ("./play", "-v"), Transport.STDIO, None),
        ),
        (
            'name = "x"\ncommand = ["./play"]',
            Manifest("x", None, None, None, ("./play",), Transport.ZMQ, None),
        ),
    ],
)
def test_a_manifest_is_read_and_completed(tmp_path: Path, text: str, expected: Manifest) -> None:
    folder = bot(tmp_path, text, "main.py", "lib/start.js", "play")

    assert runtimes.read_manifest(folder) == expected


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("name = ", "line 1: found name =; Invalid value"),
        (
            'language = "c"\nname = my bot # mine',
            'line 2: found name = my bot # mine; it should be name = "my bot"',
        ),
        ("name: bot", 'line 1: found name: bot; it should be name = "bot"'),
        ("name = \u201cbot\u201d;", 'it should be name = "bot"'),
        ("name = 'bot\nlanguage = 'c'", 'line 1: found name = \'bot; it should be name = "bot"'),
        ("games = idiot, imp", 'it should be games = ["idiot", "imp"]'),
        ("command = [./bot]", 'it should be command = ["./bot"]'),
        ("memory_mib: 256", "it should be memory_mib = 256"),
        ("memory_mib = 256M", "line 1: found memory_mib = 256M; Expected newline"),
        ('name = "a"\nname = "b"', 'line 2: found name = "b"; Cannot overwrite a value'),
        ("name = \x1b[31m", r"line 1: found name = \x1b[31m; Invalid value"),
        (f"name = [{'a, ' * 5_000}", '...; it should be name = ["a", "a", '),
        ('name = "x"\ngmaes = []', "unknown key 'gmaes'; known are name, games, language, main, command, "),
        ('language = "python"', "name is missing"),
        ("name = 3", "name is a whole number; a text in quotes is needed"),
        ('name = "x"', "neither language nor command; known languages are python, javascript, c, "),
        (
            'name = "x"\nlanguage = "cobol"',
            "unknown language 'cobol'; known are python, javascript, c, ",
        ),
        ('name = "x"\nlanguage = "python"\ncommand = ["a"]', "command stands beside language or main"),
        ('name = "x"\nmain = "main.py"\ncommand = ["a"]', "command stands beside language or main"),
        ('name = "x"\nmain = "main.cbl"', "no language has the suffix '.cbl'; known are .py, .js,"),
        ('name = "x"\nmain = "/main.py"', "it must be a relative path inside the bot's folder"),
        ('name = "x"\nmain = "a/../../main.py"', "it must be a relative path inside the bot's folder"),
        ('name = "x"\nmain = "other.py"', "there is no such file in the bot's folder"),
        ('name = "x"\nmain = "away.py"', "there is no such file in the bot's folder"),
        ('name = "x"\ncommand = []', "command: a list of length >= 1 is needed"),
        ('name = "x"\ncommand = [""]', "command[0]: a text in quotes of length >= 1 is needed"),
        ('name = "x"\ncommand = ["a\\u0000"]', "command[0]: a text in quotes "),
        ('name = "x"\nlanguage = "python"\ngames = []', "games is empty; leave it out for all games"),
        (
            'name = "x"\nlanguage = "python"\ngames = "imp"',
            "games is a text in quotes; a list is needed",
        ),
        (
            'name = "x"\nlanguage = "python"\ntransport = "tc\\u001bp"',
            "transport is 'tc\\x1bp'; zmq or stdio",
        ),
        ('name = "x"\nlanguage = "python"\nmemory_mib = 8', "memory_mib: a whole number >= 32 is needed"),
        (
            'name = "x"\nlanguage = "python"\nmemory_mib = "8"',
            "memory_mib is a text in quotes; a whole number is needed",
        ),
        ('name = "x"\nlanguage = "python"\nmain = ""', "main: a text in quotes of length >= 1 is needed"),
        (f'name = "x"\nmain = "{"a" * 400}.py"', "there is no such file in the bot's folder"),
        (f'name = "x"\nmain = "{"a" * 5_000}"', "main: a text in quotes of length <= 1024 is needed"),
        ('name = "x"\nlanguage = "python"\nmain = "a\\u0000"', "main: a text in quotes "),
        (f"x = {'[' * 5_000}", "lists or tables in one another, deeper than anybody needs"),
        (f"name = {'[' * 3_000}{']' * 3_000}", "lists or tables in one another, deeper than anybody needs"),
        (f"memory_mib = {'9' * 5_000}", "a number of more than 4300 digits"),
        (f'name = "x"\nmemory_mib = 0x{"f" * 5_000}', "memory_mib"),
        ("#" * 20_000, "20000 bytes, at most 16384 allowed"),
    ],
)
def test_a_wrong_manifest_is_answered_with_what_was_found_and_what_is_allowed(
    tmp_path: Path, text: str, sentence: str
) -> None:
    outside = tmp_path / "outside.py"
    outside.write_text("")
    folder = tmp_path / "bot"
    folder.mkdir()
    bot(folder, text, "main.py")
    (folder / "away.py").symlink_to(outside)

    with pytest.raises(BadManifest) as caught:
        runtimes.read_manifest(folder)

    assert str(caught.value).startswith(("bot.toml: ", "'main.cbl': "))
    assert sentence in str(caught.value)
    assert str(caught.value).isprintable()


def test_a_folder_with_a_single_program_needs_no_manifest(tmp_path: Path) -> None:
    folder = bot(tmp_path, None, "thumb.py")

    assert runtimes.read_manifest(folder) == Manifest(
        "thumb", None, "python", "thumb.py", None, Transport.ZMQ
    )


@pytest.mark.parametrize("files", [(), ("a.py", "b.py"), ("lib/a.py",)])
def test_any_other_folder_does(tmp_path: Path, files: tuple[str, ...]) -> None:
    folder = bot(tmp_path, None, *files)

    with pytest.raises(BadManifest, match=r"there is no bot\.toml, and"):
        runtimes.read_manifest(folder)


@pytest.mark.parametrize(
    ("filename", "expected"),
    [
        ("a.py", Manifest("a", None, "python", "a.py", None, Transport.ZMQ)),
        ("b.MJS", Manifest("b", None, "javascript", "b.MJS", None, Transport.STDIO)),
        ("c.awk", Manifest("c", None, "awk", "c.awk", None, Transport.STDIO)),
        ("dir/d.sh", Manifest("d", None, "bash", "d.sh", None, Transport.STDIO)),
        ("e.cpp", Manifest("e", None, "cpp", "e.cpp", None, Transport.STDIO)),
    ],
)
def test_the_language_of_a_single_file_goes_by_its_suffix(filename: str, expected: Manifest) -> None:
    assert runtimes.single_file_manifest(filename) == expected


def test_suffixes_belong_to_one_language_each() -> None:
    suffixes = [suffix for runtime in runtimes.RUNTIMES.values() for suffix in runtime.suffixes]

    assert len(suffixes) == len(set(suffixes))
    for language, runtime in runtimes.RUNTIMES.items():
        assert runtimes.language_of(runtime.main) == language


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ("thumb", "thumb"),
        ("Rule of Thumb (v2.1)!", "Rule of Thumb (v2.1)!"),
        ("e\u0301te\u0301", "\u00e9t\u00e9"),
        ("\u5357\u98a8", "\u5357\u98a8"),
        ("\u0939\u093f\u0928\u094d\u0926\u0940", "\u0939\u093f\u0928\u094d\u0926\u0940"),
        ("\u0639\u0631\u0628\u064a", "\u0639\u0631\u0628\u064a"),
        ("x" * 40, "x" * 40),
    ],
)
def test_a_name_may_be_of_any_script_and_is_composed(given: str, name: str) -> None:
    assert runtimes.checked_name(given) == name


@pytest.mark.parametrize(
    "name",
    [
        "",
        "x" * 41,
        " a",
        "a ",
        "a  b",
        "a\tb",
        "a\nb",
        "a\x1b[31m",
        "a\x9bb",
        "a\u202eb",
        "a\u2066b",
        "a\u200bb",
        "a\u200db",
        "a\ufeffb",
        "a\u00a0b",
        "a\u2028b",
        "a\u00adb",
        "\u3164",
        "a\ufe0f",
        "a\ue000",
        "\ud800",
        "\u0301a",
    ],
)
def test_a_name_that_could_not_be_read_off_a_table_is_refused(name: str) -> None:
    with pytest.raises(BadManifest, match=r"^name: ") as caught:
        runtimes.checked_name(name)

    assert str(caught.value).isascii()


def box(folder: Path, *, walled: bool = True, memory_mib: int | None = None) -> object:
    manifest = Manifest("x", language="bash", main="main.sh", memory_mib=memory_mib)
    limits = Limits(cpu_s=1, memory_mib=256)
    return runtimes.box(manifest, folder, walled=walled, limits=limits, socket=None, seat=0).limits


@pytest.mark.parametrize(("asked", "granted"), [(None, 256), (64, 64), (1024, 256)])
def test_a_bot_gets_the_memory_it_asks_for_up_to_the_limit(
    tmp_path: Path, asked: int | None, granted: int
) -> None:
    assert box(tmp_path, memory_mib=asked) == Limits(cpu_s=1, memory_mib=granted)


def test_a_command_is_started_as_it_stands(tmp_path: Path) -> None:
    manifest = Manifest("x", command=("./play", "-v"))

    made = runtimes.box(manifest, tmp_path, walled=True, limits=boxes.LIMITS, socket="/a/b", seat=3)

    assert (made.argv, made.env, made.folder, made.binds, made.socket, made.seat) == (
        ("./play", "-v"),
        {"PATH": "/usr/bin:/bin", "HOME": "/tmp", "TMPDIR": "/tmp", "LANG": "C.UTF-8"},
        str(tmp_path),
        (),
        "/a/b",
        3,
    )


def test_a_secret_in_our_environment_is_not_handed_to_a_bot_without_walls(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("API_KEY", "sesame")

    made = runtimes.box(DEFAULTS, tmp_path, walled=False, limits=boxes.LIMITS, socket=None, seat=0)

    assert "sesame" not in repr(made)
    assert made.env["PATH"] == os.environ["PATH"]


# Every language starts


@pytest.mark.process
@BOTH
@pytest.mark.parametrize("language", list(runtimes.RUNTIMES))
def test_the_shortest_program_of_a_language_is_built_and_runs(
    tmp_path: Path, language: str, backend: str
) -> None:
    runtime = runtimes.RUNTIMES[language]
    folder = tmp_path / "bot"
    folder.mkdir()
    (folder / runtime.main).write_text(runtime.seven)
    manifest = runtimes.single_file_manifest(runtime.main)
    try:
        runtime.find()
        if runtime.build:
            tree = build(manifest, folder, sandbox=backend)
            write(tree, folder := tmp_path / "built")
    except SandboxError as error:
        pytest.skip(f"this machine lacks the tool: {error}")

    made = runtimes.box(manifest, folder, walled=backend == "bwrap", limits=boxes.LIMITS, socket=None, seat=0)

    assert boxes.run(made, backend) == (7, "")


IMPORTS = """
import importlib, sys
for name in ("zmq", "protocol.client", "arena.games", "ssl", "sqlite3"):
    importlib.import_module(name)
import helper
print(zmq.zmq_version_info() >= (4, 3) if (zmq := sys.modules["zmq"]) else "", helper.__name__)
"""
OTHERS = """
import importlib.util
for name in ("arena.sandbox", "arena.model", "msgspec", "click", "pytest", "pip"):
    try:
        print(name, importlib.util.find_spec(name))
    except ImportError:
        print(name, None)
"""


@pytest.mark.process
@BOTH
def test_a_python_bot_has_its_own_modules_the_sdk_the_games_and_pyzmq(tmp_path: Path, backend: str) -> None:
    folder = tmp_path / "bot"
    made = boxes.program(folder, IMPORTS)
    (folder / "helper.py").write_text("")
    if backend == "plain":
        manifest = runtimes.single_file_manifest("main.py")
        made = runtimes.box(manifest, folder, walled=False, limits=boxes.LIMITS, socket="/none", seat=0)
    else:
        made = boxes.program(folder, IMPORTS, env={**made.env, "ARENA_ENDPOINT": "ipc:///none"})

    assert boxes.run(made, backend) == (0, "True helper\n")


@pytest.mark.process
@pytest.mark.box
def test_a_walled_python_bot_has_nothing_else_of_ours(tmp_path: Path) -> None:
    ended = boxes.run(boxes.program(tmp_path / "bot", OTHERS))

    names = ("arena.sandbox", "arena.model", "msgspec", "click", "pytest", "pip")
    assert ended == (0, "".join(f"{name} None\n" for name in names))


# Where tools stand


def test_a_missing_tool_is_answered_with_its_package(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))

    with pytest.raises(SandboxError) as caught:
        runtimes.RUNTIMES["javascript"].find()

    assert str(caught.value) == f"node is not in PATH; {remedies.install('nodejs')}"


@pytest.mark.process
@pytest.mark.box
def test_a_tool_outside_the_system_is_bound_into_the_box(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    tools, folder = tmp_path / "tools", tmp_path / "bot"
    tools.mkdir()
    folder.mkdir()
    own = Path(shutil.copy("/bin/bash", tools / "bash"))
    (folder / "main.sh").write_text('echo "$BASH"; ls "${BASH%/*}"\n')
    monkeypatch.setenv("PATH", str(tools))
    manifest = runtimes.single_file_manifest("main.sh")

    made = runtimes.box(manifest, folder, walled=True, limits=boxes.LIMITS, socket=None, seat=0)

    assert made.binds == (Bind(str(own), str(own)),)
    assert boxes.run(made) == (0, f"{own}\nbash\n")


def test_a_version_managers_script_is_not_taken_for_the_tool(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    shim = tmp_path / "node"
    shim.write_text("#!/bin/sh\nexec real-node\n")
    shim.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))

    with pytest.raises(SandboxError, match=f"^{shim} is a script that starts the real node; put the folder"):
        runtimes.RUNTIMES["javascript"].find()


def test_the_interpreter_is_the_base_of_the_one_that_runs_us() -> None:
    chain = runtimes.python()

    assert chain.argv == (os.path.realpath(sys.executable),)
    assert not any("site-packages" in bind.inside for bind in chain.binds)
