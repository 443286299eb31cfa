"""What `arena check` finds in bots, good ones and bad ones."""

import re
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from click.testing import CliRunner, Result

from arena import conformance
from arena.cli import group
from arena.conformance import TRIALS, Verdict
from arena.games import GAMES

SAMPLES = Path(__file__).parent.parent / "sample_bots"

FORGETS = """
from protocol.client import run


class Bot:
    def start(self, start):
        self.first = not hasattr(self, "first")

    def choose(self, decision):
        return decision.legal[0] if self.first else "nonsense"


run(Bot())
"""
FREE = """
import os
from protocol.client import run

run(lambda decision: decision.legal[os.urandom(1)[0] % len(decision.legal)])
"""
IMPATIENT = """
import json, os, select, sys

def say(**words):
    sys.stdout.write(json.dumps(words) + "\\n")
    sys.stdout.flush()

say(type="hello", protocol=1, name="impatient")
while True:
    if not select.select([0], [], [], 0.2)[0]:
        sys.exit("nobody speaks")
    for line in os.read(0, 1 << 20).splitlines():
        message = json.loads(line)
        if message["type"] == "decide":
            say(type="action", match=message["match"], turn=message["turn"], action=message["legal"][0])
        elif message["type"] == "bye":
            sys.exit()
"""

pytestmark = pytest.mark.process


@pytest.fixture(autouse=True)
def soon(monkeypatch):
    """A referee whose patience does not try that of the tests."""
    monkeypatch.setattr(conformance, "SILENCE_S", 0.5)


def check(path: Path, *words: str) -> Result:
    line = ["check", str(path), "--sandbox", "plain", *words]
    return CliRunner().invoke(group, line, catch_exceptions=False)


def bot(folder: Path, text: str, manifest: str = "") -> Path:
    (folder / "bot").mkdir()
    (folder / "bot" / "main.py").write_text(text)
    (folder / "bot" / "bot.toml").write_text(f'name = "bot"\nlanguage = "python"\n{manifest}')
    return folder / "bot"


def verdicts(shown: Result) -> list[str]:
    words = [line.split(" ")[0] for line in shown.stdout.splitlines()]
    return [word for word in words if word in {*Verdict}]


@pytest.mark.box
def test_a_good_bot_passes_every_trial_behind_walls():
    line = ["check", str(SAMPLES / "idiot_thumb"), "--move-ms", "60000"]  # none is slow on a busy machine
    shown = CliRunner().invoke(group, line, catch_exceptions=False)

    trials = len(TRIALS) - 1 + len(GAMES["idiot"].players)
    assert shown.exit_code == 0, shown.stdout
    assert "at once, if it holds them: 6 matches, 6 at once, the same as one after the other" in shown.stdout
    assert shown.stdout.splitlines()[-1] == f"idiot_thumb passed in idiot; {trials} trials, 0 warnings."


def test_a_fault_is_shown_with_what_was_sent_what_came_and_what_was_expected(tmp_path):
    shown = check(bot(tmp_path, FORGETS), "--game", "idiot", "--junit", str(tmp_path / "report.xml"))

    failure = shown.stdout[shown.stdout.index("failed ") :].splitlines()
    assert shown.exit_code == 1
    assert failure[0].startswith(
        "failed   idiot, 2 players, four matches with one process: ILLEGAL: found action"
    )
    assert failure[1] == "         expected an action for this question"
    assert failure[2].startswith(
        '         sent     {"type":"decide","match":2,"turn":1,"view":{"game":"idiot"'
    )
    assert failure[3] == '         came     {"type":"action","match":2,"turn":1,"action":"nonsense"}'
    assert failure[4].startswith("         hint     choose from the list `legal`")
    assert shown.stdout.splitlines()[-1] == "It failed in idiot."

    (suite,) = ET.parse(tmp_path / "report.xml").getroot()
    assert suite.attrib == {"name": "idiot", "tests": "10", "failures": "2", "errors": "0"}
    assert [case.get("name") for case in suite if case.find("failure") is not None] == [
        "several, 2 players",
        "together, 2 players",
    ]


def test_chance_that_is_not_drawn_from_the_seed_is_a_warning(tmp_path):
    shown = check(bot(tmp_path, FREE), "--game", "imp", "--move-ms", "60000")

    assert shown.exit_code == 0
    assert verdicts(shown)[-1] == "warning"
    assert "a second time" in shown.stdout or "the second time" in shown.stdout
    assert "draw chance from the `seed` of `start` alone" in shown.stdout


MIXES = """
from protocol.client import run


class Bot:
    asked = 0

    def start(self, start):
        self.asked = 0

    def choose(self, decision):
        self.asked += 1
        return decision.legal[self.asked % len(decision.legal)]


run(Bot(), simultaneous=4)
"""


def test_matches_that_are_not_kept_apart_are_a_warning(tmp_path):
    shown = check(bot(tmp_path, MIXES), "--game", "imp", "--move-ms", "60000")

    assert shown.exit_code == 0
    assert verdicts(shown).count("warning") == 1
    assert re.search(r"warning  imp, .*at once.*: \d of 6 matches came to something else", shown.stdout)


READS_NO_ARRAY = """
import json, sys
print('{"type":"hello","protocol":1,"name":"x","simultaneous":4}', flush=True)
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "decide":
        answer = {"type": "action", "match": message["match"], "turn": message["turn"]}
        print(json.dumps({**answer, "action": message["legal"][0]}), flush=True)
"""


def test_a_bot_that_fails_only_with_several_matches_on_is_shown_how(tmp_path):
    shown = check(
        bot(tmp_path, READS_NO_ARRAY, 'transport = "stdio"\n'), "--game", "imperial", "--move-ms", "60000"
    )

    assert (shown.exit_code, verdicts(shown).count("warning")) == (0, 1)
    _, _, warned = shown.stdout.partition(
        "warning  imperial, 2 players, several matches at once, if it holds them: "
    )
    assert warned.startswith("CRASH with 4 matches on, all played anew: exit code 1; last words: TypeError: ")
    assert "hint     several open questions come as one array, and are answered by one" in warned
    assert 'if message["type"] == "decide":' in warned


def test_a_bot_that_ends_when_nobody_speaks_for_a_while_is_found(tmp_path):
    shown = check(bot(tmp_path, IMPATIENT, 'transport = "stdio"\n'), "--game", "idiot")

    assert shown.exit_code == 1
    assert (
        "failed   idiot, 2 players, a silent referee, and messages that it need not know: CRASH"
        in shown.stdout
    )
    assert "log      nobody speaks" in shown.stdout


def test_a_bot_that_does_not_start_is_tried_once(tmp_path):
    shown = check(bot(tmp_path, "raise SystemExit(4)"))

    assert shown.exit_code == 1
    assert verdicts(shown) == ["failed"]
    assert "START: exit code 4" in shown.stdout


def test_unknown_games_and_paths_are_told(tmp_path):
    nowhere = CliRunner().invoke(group, ["check", str(tmp_path / "nobody.py")])
    chess = CliRunner().invoke(group, ["check", str(SAMPLES / "random"), "--game", "chess"])

    assert (nowhere.exit_code, chess.exit_code) == (2, 2)
    assert "No such file" in nowhere.stderr
    assert "no game 'chess'" in chess.stderr
