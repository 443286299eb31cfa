"""What a submission says of itself: its `bot.toml`, or the suffix of a single program."""

import unicodedata
from pathlib import Path, PurePosixPath
from typing import Annotated

import msgspec

from arena.model import UserError
from arena.runtimes.languages import RUNTIMES, Transport
from arena.runtimes.toml import misfit, parsed_toml

NAME_LENGTH = 40
MANIFEST = "bot.toml"
MANIFEST_BYTES = 16 * 1024


class BadManifest(UserError):  # noqa: N818 - the sentence it raises says it better
    """A submission does not say, or not rightly, what it is; the text says what was found and allowed."""


Word = Annotated[str, msgspec.Meta(min_length=1, max_length=1_024, pattern=r"^[^\x00]*$")]
Command = Annotated[tuple[Word, ...], msgspec.Meta(min_length=1, max_length=64)]


class Manifest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a submission is and how to start it."""

    name: str
    games: tuple[Word, ...] | None = None
    """None stands for all; whether they exist is the caller's to check."""
    language: str | None = None
    """A key of `RUNTIMES`; then `main` stands, too. None where there is a command."""
    main: Word | None = None
    command: Command | None = None
    transport: Transport = Transport.ZMQ
    memory_mib: Annotated[int, msgspec.Meta(ge=32, le=16_384)] | None = None
    """What it asks for; it gets at most the limit of every box."""
    build: Command | None = None
    """What is run once in its folder before it can be started; None for what its language does."""


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
        main=_checked_main(manifest.main or runtime.main, None if manifest.build else folder),
        transport=manifest.transport if says_transport else runtime.transport,
    )


def _guessed(main: str | None) -> str:
    if main is None:
        raise BadManifest(
            f"{MANIFEST}: neither language nor command; known languages are {', '.join(RUNTIMES)}"
        )
    return language_of(main)


def _checked_main(main: str, folder: Path | None) -> str:
    """Give the main file as a path inside the folder, without detours; with None a build may yet make it."""
    inside = PurePosixPath(main)
    if inside.is_absolute() or ".." in inside.parts:
        raise BadManifest(
            f"{MANIFEST}: main is {main!a:.200}; it must be a relative path inside the bot's folder"
        )
    if folder is not None and not _is_inside(folder / inside, folder):
        raise BadManifest(f"{MANIFEST}: main is {main!a:.200}, and there is no such file in the bot's folder")
    return str(inside)


def _is_inside(path: Path, folder: Path) -> bool:
    """Whether it is a file that lies in the folder, through no link out of it."""
    try:
        return path.is_file() and path.resolve().is_relative_to(folder.resolve())
    except OSError:  # a name longer than any file's
        return False
