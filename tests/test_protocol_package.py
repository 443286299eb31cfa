"""What the small package for authors holds."""

import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parent.parent
SMALL = tomllib.loads((ROOT / "protocol" / "pyproject.toml").read_text("utf-8"))
WHOLE = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))


def test_both_packages_have_one_version_and_need_the_same_python():
    assert (
        WHOLE["tool"]["hatch"]["version"]["path"] == "protocol/" + SMALL["tool"]["hatch"]["version"]["path"]
    )
    assert WHOLE["project"]["requires-python"] == SMALL["project"]["requires-python"]


def test_the_half_of_the_author_stands_by_itself_without_even_zeromq(tmp_path):
    package = tmp_path / "protocol"
    package.mkdir()
    for name in SMALL["tool"]["hatch"]["build"]["targets"]["wheel"]["only-include"]:
        (package / name).symlink_to(ROOT / "protocol" / name)
    imports = "import protocol.client, protocol.views, protocol.cards, protocol.rehearsal"
    told = "print(sorted({*sys.modules} & {'zmq', 'msgspec', 'arena'}))"

    found = subprocess.run(
        [
            *(sys.executable, "-I", "-S", "-c"),
            f"import sys; sys.path.insert(0, {str(tmp_path)!r}); {imports}; {told}",
        ],
        capture_output=True,
        text=True,
        check=True,
    )

    assert found.stdout == "[]\n"
