"""`arena doctor`: what it prints where the walls hold, and where one is missing."""

import os
from pathlib import Path

import click.testing
import pytest

from arena.cli import leftovers, tools
from arena.sandbox import Check, SandboxError, bwrap, cgroups, remedies, trial, watchdog

pytestmark = pytest.mark.process


def doctor(tmp_path: Path) -> click.testing.Result:
    return click.testing.CliRunner().invoke(tools.doctor, ["--workspace", str(tmp_path)])


@pytest.mark.box
def test_every_wall_is_tried_and_holds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = dict(os.environ)
    monkeypatch.setattr(leftovers, "KINDS", ())  # other tests kill wardens at this moment

    result = doctor(tmp_path)

    lines = result.output.splitlines()
    assert result.exit_code == 0, result.output
    assert lines[-1] == "Untrusted bots can play here: every wall held."
    names = [line[: lines[0].index("found")].split("  ")[0] for line in lines[1:] if line[:1].strip()]
    assert names[:20] == [
        *("bubblewrap", "libseccomp", "prlimit", "namespaces"),
        *("files", "network", "processes", "environment", "capabilities", "system calls", "read-only"),
        *("disk", "forks", "memory", "Python libraries", "uid", "kill"),
        *("between turns", "memory of a box", "leftovers"),
    ]
    assert dict(os.environ) == before


@pytest.mark.box
@pytest.mark.skipif(not watchdog.possible(), reason="this root may not look into boxes")
def test_without_control_groups_untrusted_bots_can_still_play(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(cgroups.SWITCH, "no")
    monkeypatch.setattr(cgroups, "places", dict)
    monkeypatch.setattr(leftovers, "KINDS", ())

    result = doctor(tmp_path)

    between, memory = (
        " ".join(line.split())
        for line in result.output.splitlines()
        if line.startswith(("between", "memory of"))
    )
    assert result.exit_code == 0, result.output
    assert between == "between turns ok cannot be stopped: bots run on while others think"
    assert memory.startswith("memory of a box ok by the watchdog: found ")
    assert result.output.count("for control groups, type: unset ARENA_CGROUPS") == 1


def test_an_ordinary_user_is_told_how_to_get_control_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(cgroups.SWITCH, raising=False)
    monkeypatch.setattr(os, "geteuid", lambda: 1_000)

    said = remedies.for_groups()

    assert said == ("for control groups, type: systemd-run --user --scope -p Delegate=yes arena run")


def test_a_missing_wall_is_shown_with_the_line_to_type(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing() -> str:
        raise SandboxError("bubblewrap was not found", remedy="type: this")

    monkeypatch.setitem(bwrap.STEPS, "bubblewrap", missing)
    monkeypatch.setattr(leftovers, "KINDS", ())

    result = doctor(tmp_path)

    lines = result.output.splitlines()
    assert result.exit_code == 1
    assert [line.split() for line in lines[1:3]] == [
        ["bubblewrap", "missing", "bubblewrap", "was", "not", "found"],
        ["type:", "this"],
    ]
    assert lines[3].split() == ["leftovers", "ok", "none"]
    assert lines[4].startswith("python bots")
    assert lines[-1] == (
        "Untrusted bots cannot play here. Trusted ones can, without walls: add --sandbox plain"
    )


def test_neither_a_path_nor_a_line_to_type_is_broken() -> None:
    path, remedy = "/" + "a-b/" * 40 + "bwrap", "type: " + "word " * 40 + "word"
    checks = (
        Check("bubblewrap", ok=True, found=f"{path}, bubblewrap 0.11.0"),
        Check("files", ok=False, found="x " * 60 + "x", remedy=remedy),
    )

    lines = tools.table(checks).splitlines()

    assert [line.split("  ")[0] for line in lines] == ["layer", "bubblewrap", "", "files", "", ""]
    assert lines[1].endswith(f"  {path},")
    assert lines[-1].strip() == remedy


def test_a_wall_that_does_not_hold_is_said_to_be_broken() -> None:
    report = b'{"files": [true, "3 ways tried"], "network": [false, "open: IPv4"]}'

    checks = tuple(trial.found(report))

    assert [(check.layer, check.ok, check.remedy) for check in checks] == [
        ("files", True, ""),
        ("network", False, trial.BROKEN),
    ]
    assert not tools.held(checks)


def test_a_canary_that_says_nothing_is_a_broken_wall() -> None:
    (check,) = trial.found(b"Traceback")

    assert (check.ok, check.found) == (False, "no report but b'Traceback'")
