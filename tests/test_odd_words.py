"""Whatever is typed, a command ends with 0, 1 or 2 and a sentence, never with a traceback."""

import contextlib
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from hypothesis import given, settings
from hypothesis import strategies as st

from arena import starters
from arena.cli import COMMANDS, group
from arena.cli import league as cli
from arena.league import planning
from arena.league.config import Wish
from arena.league.runner import Progress, Ran
from arena.store import Store
from tests import league_fakes as fakes

EXAMPLES = 60

ODD = (
    *("", " ", "-", "--", "-1", "0", "1", "=", ",", ",,,", ".", "..", "/", "*", "%s", "{}", "{0}", "'", '"'),
    *("\n", "\t", "\x1b[31m", "\x7f", "\u202e", "\u200b", "\ufeff", "e\u0301", "\U0001f0a1", "\udcff"),
    *("nan", "inf", "-inf", "1e999", "1.5", "true", "null", "0x10", "\u0663", "2147483648", "-2147483649"),
    *("9223372036854775807", "9223372036854775808", "1" + "0" * 30, "9" * 5_000, "a" * 300, "a" * 10_000),
    *("/dev/null", "/dev/zero", "/proc/self", "/proc/x", "none.toml", "/dev/null.toml", "a/" * 100),
    *("idiot", "imp", "house", "HOUSE", "ann", "ANN", "cup", "ann,bea", "ann,ann", "a\udcffb"),
    *("ann=1500", "ann=nan", "ann=1e308", "=1", "rank,rank", "csv", "json", "elo.9,faults?", "elo:asc"),
    *("90min", "9999d", "2031-05-01", "2031-02-30T25:00", "0001-01-01", "9999-12-31T23:59"),
    *("rounds=1", "rounds=\u0663", "rounds=" + "9" * 5_000, "max_plies=-1"),
)
MATCHES = ("--game", "--since", "--versions", "--without-forfeits", "--style", "--color", "--model")
OPTIONS = {
    "new": ("--language", "--game"),
    "submit": ("--name", "--game", "--sandbox"),
    "bots": ("--style",),
    "retire": ("--undo",),
    "run": (
        *("--game", "--players", "--bots", "--boards", "--seed", "--name", "--jobs", "--option", "--move-ms"),
        *("--bank-ms", "--start-ms", "--block", "--schedule", "--fill", "--sandbox"),
    ),
    "leagues": ("--style",),
    "status": ("--style",),
    "leaderboard": ("--columns", "--sort", "--anchor", *MATCHES),
    "matrix": ("--los", *MATCHES),
    "crosstable": MATCHES,
    "seats": MATCHES,
    "history": MATCHES,
    "show": ("--league", "--views", "--style"),
    "check": ("--game", "--junit", "--move-ms", "--sandbox"),
    "replay": ("--seat", "--from", "--bot", "--style"),
    "match": ("--players", "--boards", "--option", "--seed", "--watch", "--logs", "--move-ms", "--sandbox"),
    "faults": ("--league", "--match", "--newest", "--style"),
    "logs": (),
    "verify": ("--match",),
    "compare": (
        *(
            "--game",
            "--players",
            "--field",
            "--bounds",
            "--alpha",
            "--beta",
            "--boards",
            "--fixed",
            "--batch",
        ),
        *("--seed", "--name", "--jobs", "--option", "--move-ms", "--block", "--sandbox", "--style"),
    ),
    "play": ("--players", "--seat", "--against", "--option", "--seed", "--sandbox"),
    "rules": (),
    "export": ("--with-bots",),
    "import": ("--name",),
    "rename": (),
    "delete": ("--yes",),
    "disk": ("--style",),
    "trim": ("--logs", "--transcripts", "--yes"),
}
"""Command -> its options; `doctor` takes no word and tries the machine."""

odd = st.sampled_from(ODD) | st.text(
    st.characters(exclude_characters="\0"), max_size=20
)  # no shell can give a NUL


def lines(name: str) -> st.SearchStrategy[list[str]]:
    """Command lines with options that are there, in any order, and any words between them."""
    option = st.sampled_from(OPTIONS[name]) if OPTIONS[name] else st.nothing()
    known = st.tuples(option, odd).map(list)
    parts = st.lists(known | odd.map(lambda word: [word]), max_size=4)
    return parts.map(lambda found: [name, *(word for part in found for word in part)])


def usual(name: str) -> st.SearchStrategy[list[str]]:
    """What begins as somebody means it, so that the words get further than the parser."""
    begun = {
        "run": ["run", "--game", "idiot", "--bots", "ann,bea", "--boards", "1", "--sandbox", "plain"],
        **{name: [name, "cup"] for name in ("leaderboard", "matrix", "crosstable", "seats")},
        "show": ["show", "1"],
        "retire": ["retire", "ann"],
        "history": ["history", "ann"],
        **{name: [name, "bot", "ann"] for name in ("rename", "delete")},
        **{name: [name, "cup"] for name in ("trim", "export")},
    }.get(name, [name])
    return lines(name).map(lambda words: [*begun, *words[1:]])


@pytest.fixture(scope="module")
def workspace(nothing_is_played: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    del nothing_is_played
    folder = tmp_path_factory.mktemp("odd")
    with Store.open(folder) as store:
        for number, name in enumerate(("ann", "bea")):
            store.add_version(
                name, f"{number}" * 64, games=("idiot",), submitted=datetime.now(UTC), sandbox="plain"
            )
        league = planning.plan(
            store, Wish(name="cup", game="idiot", boards=2, block=1, sandbox="plain")
        ).league
        for job in fakes.tables(league):
            store.commit("cup", job, fakes.play(job))
    return folder


@pytest.fixture(autouse=True, scope="module")
def nothing_is_played() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(planning, "check_kept", lambda _folder, _entrants: None)
        patch.setattr(planning, "check_built", lambda _folder, _entrants, sandbox: None)
        patch.setattr(starters, "write", lambda _path, _files: None)  # a word may be any path of the machine
        patch.setattr(cli.runner, "run", lambda *_, **__: Ran(Progress(0, 2, 0, 0.0), "played"))
        yield


def typed(workspace: Path, words: list[str]) -> Result:
    with contextlib.chdir(workspace / "submissions"):
        return CliRunner().invoke(group, words, env={"ARENA_WORKSPACE": str(workspace)}, input="q\n")


def ended_well(found: Result) -> None:
    assert found.exception is None or isinstance(found.exception, SystemExit), found.exc_info
    assert found.exit_code in (0, 1, 2), found.output
    assert "Traceback" not in found.output
    assert found.exit_code == 0 or (found.stderr if found.exit_code == 2 else found.output).strip()


@pytest.mark.parametrize("name", [name for name in COMMANDS if name != "doctor"])
def test_no_word_ends_a_command_with_a_traceback(workspace: Path, name: str) -> None:
    @settings(max_examples=EXAMPLES)
    @given(words=lines(name) | usual(name))
    def tried(words: list[str]) -> None:
        ended_well(typed(workspace, words))

    tried()


def test_a_workspace_that_is_not_utf_8_is_refused_wherever_it_was_named() -> None:
    for words, env in ((["bots", "--workspace", "a\udcff"], {}), (["bots"], {"ARENA_WORKSPACE": "a\udcff"})):
        found = CliRunner().invoke(group, words, env=env)

        assert (found.exit_code, r"'a\udcff' is not UTF-8" in found.output) == (2, True), found.output
