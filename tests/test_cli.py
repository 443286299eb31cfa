"""The group of commands; each family has a test file of its own."""

import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from arena.cli import COMMANDS, EXIT_CODES, group, said
from arena.model import FaultKind
from arena.store import Store
from tests.replays import entered


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help_that_ends_with_an_example(name: str) -> None:
    found = CliRunner().invoke(group, [name, "--help"])

    assert found.exit_code == 0, found.output
    assert f"Example:\n    arena {name}" in found.output


def test_the_list_of_commands_is_written_without_loading_any() -> None:
    program = (
        "import atexit, sys; from arena.cli import main;"
        "atexit.register(lambda: print('msgspec' in sys.modules));"
        "main(['--help'])"
    )

    found = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60
    )

    assert all(name in found.stdout for name in COMMANDS)
    assert found.stdout.splitlines()[-1] == "False"


def test_an_unknown_command_is_wrong_usage() -> None:
    found = CliRunner().invoke(group, ["ranking"])

    assert found.exit_code == 2
    assert "No such command 'ranking'" in found.output


@pytest.mark.process
def test_nothing_is_imported_from_the_folder_that_the_user_stands_in(tmp_path: Path) -> None:
    for name in ("random", "json", "msgspec", "signal", "select", "zmq", "protocol", "arena"):
        (tmp_path / f"{name}.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'a').write({name!r})", "utf-8")
    command = [Path(sys.executable).with_name("arena"), "submit", "random.py", "--sandbox", "plain"]

    found = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=60)

    ran = (tmp_path / "ran").read_text("utf-8") if (tmp_path / "ran").exists() else ""
    assert found.returncode == 1, found.stderr  # it is no bot: it ends before its hello
    assert ran.replace("random", "") == ""


def test_a_command_that_is_interrupted_ends_with_130(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("arena.cli.rules.games", interrupted)

    assert CliRunner().invoke(group, ["rules"]).exit_code == 130


@pytest.mark.parametrize("words", [["rules"], ["--help"], ["run", "--help"]])
def test_output_that_cannot_be_written_is_a_sentence(words: list[str]) -> None:
    program = f"from arena.cli import main; main({words!r})"

    with Path("/dev/full").open("w") as full:
        found = subprocess.run(
            [sys.executable, "-c", program],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
            timeout=60,
        )

    said = "Error: the output could not be written: No space left on device\n"
    assert (found.returncode, found.stderr) == (1, said)


@pytest.mark.parametrize(
    ("typed", "meant"), [("ledaerboard", "leaderboard"), ("LEAGUE", "leagues"), ("sumbit", "submit")]
)
def test_a_command_that_is_nearly_right_is_told(typed: str, meant: str) -> None:
    found = CliRunner().invoke(group, [typed])

    assert found.exit_code == 2
    assert f"No such command '{typed}'; did you mean '{meant}'?" in found.output


@pytest.mark.parametrize(
    ("words", "example"),
    [(["replay"], "arena replay 7"), (["export", "mine"], "arena export friday friday.league")],
)
def test_whoever_leaves_out_an_argument_is_shown_a_whole_line(words: list[str], example: str) -> None:
    found = CliRunner().invoke(group, words)

    assert found.exit_code == 2
    assert f"Type for example: {example}\n" in found.output


@pytest.mark.parametrize(
    "words", [["show"], ["replay"], ["logs"], ["faults", "--match"], ["verify", "--match"]]
)
def test_a_name_where_a_match_is_meant_is_answered_with_where_the_numbers_are(words: list[str]) -> None:
    found = CliRunner().invoke(group, [*words, "friday"])

    assert found.exit_code == 2
    assert (
        "'friday' is no number of a match; to see those of a league: arena show --league NAME" in found.output
    )


@pytest.mark.process
def test_a_league_that_ran_to_its_end_is_0_whatever_its_bots_did(tmp_path: Path) -> None:
    with Store.open(tmp_path) as store:
        bots = entered(store, ("ann", "bea"), "idiot")  # programs that print their names and end
    words = ("run", "end", "--game", "idiot", "--boards", "1", "--sandbox", "plain", "--jobs", "1")

    ran = CliRunner().invoke(group, [*words, "--workspace", str(tmp_path)])

    assert ran.exit_code == 0, ran.output
    with Store.open(tmp_path, read_only=True) as store:
        faults = {fault.kind for match in store.matches("end") for fault in match.outcome.faults}
    assert (len(bots), faults) == (2, {FaultKind.START})
    assert ran.exit_code in EXIT_CODES


@pytest.mark.process
def test_a_submission_that_is_refused_is_1_and_wrong_usage_2(tmp_path: Path) -> None:
    (tmp_path / "bad.py").write_text("raise SystemExit\n", "utf-8")
    at = ("--workspace", str(tmp_path / "results"))

    refused = CliRunner().invoke(group, ["submit", str(tmp_path / "bad.py"), "--sandbox", "plain", *at])
    wrong = CliRunner().invoke(group, ["submit", str(tmp_path / "none.py"), *at])

    assert (refused.exit_code, wrong.exit_code) == (1, 2)


def test_what_is_said_breaks_between_words_and_never_in_a_command():
    sentence = "no league 'cop' is here; type: arena run cop --game idiot\nthe end"

    assert said.wrapped(sentence, 20) == (
        "no league 'cop' is\nhere; type:\narena run cop --game idiot\nthe end"
    )
    assert said.wrapped(sentence, 10).split("\n") == [
        *("no league", "'cop' is", "here;", "type:", "arena run cop --game idiot", "the end")
    ]
    assert said.wrapped(sentence, None) == said.wrapped(sentence, 80) == sentence
    assert said.wrapped("", 20) == ""
