"""What a submission says of itself (`bot.toml`), and how each language is started.

A language is one record in `RUNTIMES`: its suffixes, its main file, and a function that finds its tool.
"""

import functools
import importlib.util
import os
import re
import shutil
import sys
import tomllib
import unicodedata
from collections.abc import Callable, Mapping
from enum import StrEnum
from pathlib import Path, PurePosixPath
from typing import Annotated, Any

import msgspec

from arena.model import UserError
from arena.sandbox import Bind, Box, Limits, SandboxError, remedies

NAME_LENGTH = 40
MANIFEST = "bot.toml"
MANIFEST_BYTES = 16 * 1024
LIBRARIES = "/opt/arena"
"""Where the box holds what the arena gives to Python bots: `protocol`, `arena.games` and pyzmq."""
PATH = "/usr/bin:/bin"
SHIM_REMEDY = "put the folder of the real program first in PATH, or install it for the whole system"


class BadManifest(UserError):  # noqa: N818 - the sentence it raises says it better
    """A submission does not say, or not rightly, what it is; the text says what was found and allowed."""


class Transport(StrEnum):
    """How a bot talks to the arena."""

    ZMQ = "zmq"
    STDIO = "stdio"


Word = Annotated[str, msgspec.Meta(min_length=1, max_length=1_024, pattern=r"^[^\x00]*$")]


class Manifest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a submission is and how to start it."""

    name: str
    games: tuple[Word, ...] | None = None
    """None stands for all; whether they exist is the caller's to check."""
    language: str | None = None
    """A key of `RUNTIMES`; then `main` stands, too. None where there is a command."""
    main: Word | None = None
    command: Annotated[tuple[Word, ...], msgspec.Meta(min_length=1, max_length=64)] | None = None
    transport: Transport = Transport.ZMQ
    memory_mib: Annotated[int, msgspec.Meta(ge=32, le=16_384)] | None = None
    """What it asks for; it gets at most the limit of every box."""


class Toolchain(msgspec.Struct, frozen=True):
    """A language's tool on this machine."""

    argv: tuple[str, ...]
    """To be followed by the main file."""
    binds: tuple[Bind, ...] = ()
    """What the box needs of it beyond the system's own /usr."""
    hidden: tuple[str, ...] = ()
    walled_env: Mapping[str, str] = {}
    plain_env: Mapping[str, str] = {}
    """The same for a bot without walls, where nothing is bound elsewhere."""


class Runtime(msgspec.Struct, frozen=True):
    """How the bots of one language are started."""

    suffixes: tuple[str, ...]
    main: str
    """The main file of a bot that names none."""
    transport: Transport
    """What a bot speaks that does not say."""
    find: Callable[[], Toolchain]
    """Raises `SandboxError` with what to install where the machine lacks the tool."""
    seven: str
    """The shortest program: ends with exit code 7. The doctor runs it."""


def in_system(path: Path) -> bool:
    """Whether every box has the path: the system's folders without what an administrator put there."""
    text = str(path)
    return text.startswith(("/usr/", "/bin/", "/lib")) and not text.startswith(("/usr/local/", "/usr/src/"))


def native(tool: str, *options: str, package: str) -> Toolchain:
    """Find a compiled program in PATH that needs nothing of its own beside it."""
    found = shutil.which(tool)
    if found is None:
        raise SandboxError(f"{tool} is not in PATH", remedy=remedies.install(package))
    real = Path(found).resolve()
    if in_system(real):
        return Toolchain(argv=(str(real), *options))
    with real.open("rb") as file:
        if file.read(4) != b"\x7fELF":
            raise SandboxError(f"{found} is a script that starts the real {tool}", remedy=SHIM_REMEDY)
    return Toolchain(argv=(str(real), *options), binds=(Bind(str(real), str(real)),))


def python() -> Toolchain:
    """Find the interpreter that runs us, without the environment it runs in, and the arena's libraries."""
    prefix = Path(sys.base_prefix).resolve()
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    interpreter = Path(sys.executable).resolve()
    if not interpreter.is_relative_to(prefix):
        interpreter = prefix / "bin" / version
    packages = (f"lib/{version}/site-packages", f"lib/{version}/dist-packages", "lib/python3/dist-packages")
    own = () if in_system(interpreter) else (Bind(str(prefix), str(prefix)),)
    homes = dict.fromkeys(str(Path(bind.host).parent) for bind in libraries() if bind.inside in IMPORTED)
    return Toolchain(
        argv=(str(interpreter),),
        binds=(*own, *libraries()),
        hidden=tuple(str(prefix / folder) for folder in packages if (prefix / folder).is_dir()),
        walled_env={**PYTHON_ENV, "PYTHONPATH": LIBRARIES},
        plain_env={**PYTHON_ENV, "PYTHONPATH": os.pathsep.join(homes)},
    )


PYTHON_ENV = {
    "PYTHONDONTWRITEBYTECODE": "1",
    "PYTHONHASHSEED": "0",  # so that a bot that uses only the seed it is given plays the same again
    "PYTHONNOUSERSITE": "1",
    "PYTHONUNBUFFERED": "1",
    "PYTHONUTF8": "1",
}
IMPORTED = (f"{LIBRARIES}/protocol", f"{LIBRARIES}/zmq")
"""The libraries whose parents a bot without walls has on its import path."""


@functools.cache
def libraries() -> tuple[Bind, ...]:
    """Give what a Python bot may import above the standard library, from wherever it is installed."""
    arena, protocol, zmq = (package(name) for name in ("arena", "protocol", "zmq"))
    shared = zmq.with_name("pyzmq.libs")  # libzmq itself, where pyzmq is a wheel
    return (
        Bind(str(protocol), f"{LIBRARIES}/protocol"),
        Bind(str(arena / "__init__.py"), f"{LIBRARIES}/arena/__init__.py"),
        Bind(str(arena / "games"), f"{LIBRARIES}/arena/games"),
        Bind(str(zmq), f"{LIBRARIES}/zmq"),
        *([Bind(str(shared), f"{LIBRARIES}/pyzmq.libs")] if shared.is_dir() else []),
    )


def package(name: str) -> Path:
    """Give the folder of an installed package, without importing it."""
    spec = importlib.util.find_spec(name)
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).resolve().parent


def _node() -> Toolchain:
    return native("node", package="nodejs")


def _awk() -> Toolchain:
    # mawk waits for a full buffer unless told; others pass over an option that they do not know
    return native("awk", "-Winteractive", "-f", package="mawk")


def _bash() -> Toolchain:
    return native("bash", package="bash")


RUNTIMES = {
    "python": Runtime((".py",), "main.py", Transport.ZMQ, python, "raise SystemExit(7)\n"),
    "javascript": Runtime((".js", ".mjs", ".cjs"), "main.js", Transport.STDIO, _node, "process.exit(7)\n"),
    "awk": Runtime((".awk",), "main.awk", Transport.STDIO, _awk, "BEGIN { exit 7 }\n"),
    "bash": Runtime((".sh", ".bash"), "main.sh", Transport.STDIO, _bash, "exit 7\n"),
}
"""Language -> how its bots are started. A language is added with one line here and a sample bot."""


def read_manifest(folder: Path) -> Manifest:
    """Read the `bot.toml` of a bot's folder, or take a folder with a single file for that program.

    Raises `BadManifest`.
    """
    path = folder / MANIFEST
    if not path.is_file():
        return _without_manifest(folder)
    if path.stat().st_size > MANIFEST_BYTES:
        raise BadManifest(f"{MANIFEST}: {path.stat().st_size} bytes, at most {MANIFEST_BYTES} allowed")
    try:
        table = parsed_toml(path.read_bytes())
    except ValueError as error:
        raise BadManifest(f"{MANIFEST}: {error}") from None
    known = Manifest.__struct_fields__
    for key in table:
        if key not in known:
            raise BadManifest(f"{MANIFEST}: unknown key {key!a:.60}; known are {', '.join(known)}")
    if table.get("transport", "zmq") not in list(Transport):
        raise BadManifest(f"{MANIFEST}: transport is {table['transport']!a:.60}; zmq or stdio are allowed")
    try:
        manifest = msgspec.convert(table, Manifest)
    except msgspec.ValidationError as error:
        raise BadManifest(f"{MANIFEST}: {misfit(error)}") from None
    return _completed(manifest, folder, says_transport="transport" in table)


def parsed_toml(content: bytes) -> dict[str, Any]:
    """What a TOML file says; whatever may be wrong with it is a ValueError with a sentence."""
    try:
        return tomllib.loads(content.decode("utf-8"))
    except UnicodeDecodeError as error:
        found = content[error.start]
        raise ValueError(f"no text in UTF-8: found byte 0x{found:02x} at place {error.start + 1}") from None
    except tomllib.TOMLDecodeError:
        raise
    except ValueError:  # of `int`
        most = sys.get_int_max_str_digits()
        raise ValueError(f"a number of more than {most} digits") from None
    except RecursionError:
        raise ValueError("lists or tables in one another, deeper than anybody needs") from None


TOML_KINDS = {
    "array": "a list",
    "bool": "true or false",
    "float": "a number with a point",
    "int": "a whole number",
    "object": "a table",
    "str": "a text in quotes",
}
"""What msgspec calls a value -> what one reads in a TOML file."""


def misfit(error: msgspec.ValidationError) -> str:
    """What is wrong with a value of a TOML file, in the words of whoever wrote it."""
    missing = re.fullmatch(r"Object missing required field `(.+)`", str(error))
    if missing:
        return f"{missing[1]} is missing"
    parts = re.fullmatch(r"Expected `(.+?)`(?:, got `(.+?)`)?(.*) - at `\$\.?(.+)`", str(error))
    if not parts:
        return str(error)
    expected, got, bound, place = parts.groups()
    needed = " or ".join(TOML_KINDS.get(kind, kind) for kind in expected.split(" | ") if kind != "null")
    found = f" is {TOML_KINDS.get(got, got)};" if got else ":"
    return f"{place}{found} {needed}{bound} is needed"


def single_file_manifest(filename: str) -> Manifest:
    """Give the manifest of a bot that is one program file; its language goes by the suffix."""
    language = language_of(filename)
    return Manifest(
        name=checked_name(PurePosixPath(filename).stem),
        language=language,
        main=PurePosixPath(filename).name,
        transport=RUNTIMES[language].transport,
    )


def language_of(filename: str) -> str:
    """Give the language by the suffix; raises `BadManifest` where none has it."""
    suffix = PurePosixPath(filename).suffix.lower()
    for language, runtime in RUNTIMES.items():
        if suffix in runtime.suffixes:
            return language
    suffixes = ", ".join(suffix for runtime in RUNTIMES.values() for suffix in runtime.suffixes)
    raise BadManifest(
        f"{filename!a:.60}: no language has the suffix {suffix!a:.20}; known are {suffixes}."
        f" For another language submit a folder whose {MANIFEST} has a command"
    )


def checked_name(text: str) -> str:
    """Give a bot's name in composed form; raises `BadManifest` for what could not be read off a table."""
    name = unicodedata.normalize("NFC", text)
    if not 1 <= len(name) <= NAME_LENGTH:
        raise BadManifest(f"name: {len(name)} characters, 1 to {NAME_LENGTH} allowed")
    for character in name:
        if not _visible(character):
            raise BadManifest(
                f"name: U+{ord(character):04X} is not allowed: letters, digits, marks, punctuation and single"
                " blanks of any script are, but nothing invisible"
            )
    if name != " ".join(name.split()) or unicodedata.category(name[0]).startswith("M"):
        raise BadManifest(
            f"name: {name!a:.200} begins or ends with a blank, has two in a row, or begins with a mark"
        )
    return name


BLANK_LETTERS = "\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0"
"""Characters of visible categories that show nothing."""


def _visible(character: str) -> bool:
    """Whether it shows: no control, format (bidi, zero width), surrogate, private, or other blank."""
    if character == " ":
        return True
    variation = "\ufe00" <= character <= "\ufe0f" or "\U000e0100" <= character <= "\U000e01ef"
    return unicodedata.category(character)[0] not in "CZ" and character not in BLANK_LETTERS and not variation


def _without_manifest(folder: Path) -> Manifest:
    files = [path.relative_to(folder) for path in folder.rglob("*") if path.is_file()]
    if len(files) != 1 or len(files[0].parts) != 1:
        raise BadManifest(
            f"there is no {MANIFEST}, and {len(files)} files instead of a single program; the shortest is:"
            ' name = "my bot" and language = "python" on two lines'
        )
    return single_file_manifest(files[0].name)


def _completed(manifest: Manifest, folder: Path, *, says_transport: bool) -> Manifest:
    """Check what goes with what, and put in the defaults of the language."""
    manifest = msgspec.structs.replace(manifest, name=checked_name(manifest.name))
    if manifest.games == ():
        raise BadManifest(f"{MANIFEST}: games is empty; leave it out for all games")
    if manifest.command is not None:
        if manifest.language is not None or manifest.main is not None:
            raise BadManifest(f"{MANIFEST}: command stands beside language or main; give one or the other")
        return manifest
    language = manifest.language or _guessed(manifest.main)
    if language not in RUNTIMES:
        raise BadManifest(
            f"{MANIFEST}: unknown language {language!a:.60}; known are {', '.join(RUNTIMES)}."
            ' For another one write command = ["./program"]'
        )
    runtime = RUNTIMES[language]
    return msgspec.structs.replace(
        manifest,
        language=language,
        main=_checked_main(manifest.main or runtime.main, folder),
        transport=manifest.transport if says_transport else runtime.transport,
    )


def _guessed(main: str | None) -> str:
    if main is None:
        raise BadManifest(
            f"{MANIFEST}: neither language nor command; known languages are {', '.join(RUNTIMES)}"
        )
    return language_of(main)


def _checked_main(main: str, folder: Path) -> str:
    """Give the main file as a path inside the folder, without detours."""
    inside = PurePosixPath(main)
    if inside.is_absolute() or ".." in inside.parts:
        raise BadManifest(
            f"{MANIFEST}: main is {main!a:.200}; it must be a relative path inside the bot's folder"
        )
    if not _is_inside(folder / inside, folder):
        raise BadManifest(f"{MANIFEST}: main is {main!a:.200}, and there is no such file in the bot's folder")
    return str(inside)


def _is_inside(path: Path, folder: Path) -> bool:
    """Whether it is a file that lies in the folder, through no link out of it."""
    try:
        return path.is_file() and path.resolve().is_relative_to(folder.resolve())
    except OSError:  # a name longer than any file's
        return False


def box(  # noqa: PLR0913 - what a process is, in one call
    manifest: Manifest, folder: Path, *, walled: bool, limits: Limits, socket: str | None, seat: int
) -> Box:
    """Give the box of one bot process; raises `SandboxError` where the machine lacks the language's tool."""
    granted = min(manifest.memory_mib or limits.memory_mib, limits.memory_mib)
    chain, argv = _started(manifest)
    return Box(
        argv=argv,
        env={**(WALLED_ENV if walled else plain_env()), **(chain.walled_env if walled else chain.plain_env)},
        folder=str(folder.resolve()),
        binds=chain.binds,
        hidden=chain.hidden,
        limits=msgspec.structs.replace(limits, memory_mib=granted),
        socket=socket,
        seat=seat,
    )


def _started(manifest: Manifest) -> tuple[Toolchain, tuple[str, ...]]:
    if manifest.command is not None:
        return Toolchain(argv=()), manifest.command
    assert manifest.language is not None
    assert manifest.main is not None
    chain = RUNTIMES[manifest.language].find()
    return chain, (*chain.argv, f"./{manifest.main}")  # "./": no file name is taken for an option


WALLED_ENV = {"PATH": PATH, "HOME": "/tmp", "TMPDIR": "/tmp", "LANG": "C.UTF-8"}  # noqa: S108 - the box's own


def plain_env() -> dict[str, str]:
    """Give the little of our own environment that a bot without walls needs to find its tools."""
    ours = {name: os.environ[name] for name in ("HOME", "PATH", "TMPDIR") if name in os.environ}
    return {"PATH": PATH, "LANG": "C.UTF-8", **ours}
