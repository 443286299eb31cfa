"""What a submission says of itself (`bot.toml`), how each language is built, and how it is started."""

from arena.runtimes.languages import RUNTIMES, Build, Runtime, Transport
from arena.runtimes.manifest import (
    MANIFEST,
    BadManifest,
    Manifest,
    checked_name,
    language_of,
    read_manifest,
    single_file_manifest,
)
from arena.runtimes.started import BUILT, FILES, box, leaves, played, recipe, toolchain, workshop
from arena.runtimes.toml import misfit, parsed_toml
from arena.runtimes.tools import LIBRARIES, Toolchain, python

__all__ = [
    "BUILT",
    "FILES",
    "LIBRARIES",
    "MANIFEST",
    "RUNTIMES",
    "BadManifest",
    "Build",
    "Manifest",
    "Runtime",
    "Toolchain",
    "Transport",
    "box",
    "checked_name",
    "language_of",
    "leaves",
    "misfit",
    "parsed_toml",
    "played",
    "python",
    "read_manifest",
    "recipe",
    "single_file_manifest",
    "toolchain",
    "workshop",
]
