"""A first bot in each language: a program that plays, how it is tried offline, and what it says of itself.

    common/       what every starter has, with {{words}} to be filled in
    <language>/   its program and what belongs to that, as it is

Added are recorded tables: those of `protocol/transcripts`.
"""

import json
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

import protocol
from arena import runtimes
from arena.games import GAMES
from arena.model import UserError, no_such
from arena.runtimes import RUNTIMES, Manifest, checked_name

HERE = Path(__file__).parent
COMMON = HERE / "common"
TRANSCRIPTS = Path(protocol.__file__).with_name("transcripts")


class Starter(msgspec.Struct, frozen=True):
    """How a starter is run by hand, and what its author should know of it."""

    run: str
    """In a shell, in its folder, after its build."""
    about: str = ""
    """A paragraph of its README."""
    before: str = ": # nothing is to be built"
    """What its test does first where nothing is to be built."""


STDLIB = "Nothing but what comes with the language is needed."
JSON = (
    "`{}` reads JSON, as the language brings no such thing: all of it, in any order of the fields, so that\n"
    "everything in a view can be looked at."
)
PATTERNS = (
    "It reads the messages by patterns, for which docs/protocol.md makes promises: the order of the fields,\n"
    "and actions without quotes, brackets and backslashes."
)
CARGO = """

With Cargo, and with crates vendored into this folder (`cargo vendor`), `bot.toml` has these lines, and
`test.sh` the same command:

    main = "src/main.rs"
    build = ["sh", "-c", "cargo build --release && cp ${CARGO_TARGET_DIR:-target}/release/NAME bot"]"""

SDK = """\
python=${PYTHON:-python3}
"$python" -c 'import protocol.client' 2>/dev/null || {
    arena=$(command -v arena || echo .venv/bin/arena)
    echo "$python has no protocol.client, the SDK; type, with a Python in which the arena is installed:"
    echo "    PYTHON=$(dirname "$arena")/python sh $0"
    exit 1
}"""

STARTERS = {
    "python": Starter(
        '"$python" ./main.py',
        "The SDK (`protocol.client`) talks for you, `protocol.views` has what a view holds as types, and\n"
        "the engines of `arena.games` are there for bots that search. `test.sh` needs a Python in which the\n"
        "arena or its SDK alone is installed: `PYTHON=.venv/bin/python sh test.sh`.",
        before=SDK,
    ),
    "javascript": Starter("node ./main.js", STDLIB),
    "c": Starter("./bot", JSON.format("json.h")),
    "cpp": Starter("./bot", JSON.format("json.hpp")),
    "rust": Starter("./bot", JSON.format("json.rs") + CARGO),
    "go": Starter("./bot", STDLIB),
    "java": Starter("java -cp . Main", JSON.format("Json.java")),
    "perl": Starter("perl ./main.pl", STDLIB),
    "awk": Starter("awk -Winteractive -f ./main.awk", PATTERNS),
    "bash": Starter("bash ./main.sh", PATTERNS),
}
"""Language -> its starter, whose program is in the folder of that name."""

FILES = {
    "bot.toml": "what the arena reads first: its name, its games, its language",
    "test.sh": "tries it offline",
    "tables/": "recorded tables, one for each of its games: a line is a message",
}
"""What every starter has, as its README lists it."""


def language_named(word: str) -> str:
    """The language of a name, or of a suffix such as `js`; raises UserError with the list."""
    name = word.lower()
    for language, runtime in RUNTIMES.items():
        if name == language or f".{name}" in runtime.suffixes:
            return language
    raise UserError(f"{no_such('language', word, RUNTIMES)}; a bot in another one is a folder with a command")


def make(path: Path, *, language: str, games: Sequence[str] = ()) -> list[str]:
    """Make a starter in a new folder, named like it; gives its files. Raises UserError."""
    for game in games:
        if game not in GAMES:
            raise UserError(no_such("game", game, GAMES))
    name = checked_name(path.absolute().name)
    files = contents(name, language=language, games=[each for each in GAMES if each in (games or GAMES)])
    write(path, files)
    return list(files)


def write(path: Path, files: Mapping[str, str]) -> None:
    """Write files into a folder that is not there yet."""
    try:
        path.mkdir(parents=True)
        for inside, text in files.items():
            (path / inside).parent.mkdir(exist_ok=True)
            (path / inside).write_text(text, "utf-8")
    except FileExistsError:
        raise UserError(f"{path} is there already; type another path, for a folder that is not") from None
    except OSError as error:
        raise UserError(f"{error.filename or path}: {error.strerror}") from None


def contents(name: str, *, language: str, games: Sequence[str]) -> dict[str, str]:
    """Every file of a starter: path -> text."""
    own = {
        path.name: path.read_text("utf-8") for path in sorted((HERE / language).iterdir()) if path.is_file()
    }
    words = _words(name, language=language, games=games, programs=list(own))
    return {
        **{path.name: _filled(path.read_text("utf-8"), words) for path in sorted(COMMON.iterdir())},
        **own,
        **{f"tables/{game}.jsonl": (TRANSCRIPTS / f"{game}.jsonl").read_text("utf-8") for game in games},
    }


def _words(name: str, *, language: str, games: Sequence[str], programs: Sequence[str]) -> dict[str, str]:
    """What the words in the common files stand for."""
    runtime, starter = RUNTIMES[language], STARTERS[language]
    recipe = runtimes.recipe(Manifest(name, language=language, main=runtime.main))
    listed = {
        **dict.fromkeys(programs, "what `main` needs"),
        runtime.main: "the bot: change `choose`",
        **FILES,
    }
    return {
        "name": json.dumps(name, ensure_ascii=False),  # whose strings are TOML's, too
        "title": name,
        "games": json.dumps(list(games)),
        "game": games[0],
        "language": language,
        "main": runtime.main,
        "built": f"# build = {json.dumps(list(recipe))}\n" if recipe else "",
        "build": shlex.join(recipe) if recipe else starter.before,
        "run": starter.run,
        "files": "\n".join(f"| `{path}` | {what} |" for path, what in listed.items()),
        "about": starter.about + "\n" if starter.about else "",
    }


def _filled(text: str, words: dict[str, str]) -> str:
    for word, meaning in words.items():
        text = text.replace("{{" + word + "}}", meaning)
    return text
