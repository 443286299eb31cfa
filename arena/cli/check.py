"""The command `check`: whether a bot keeps to the protocol and the rules, before it is submitted."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from xml.etree import ElementTree as ET

import click

from arena import conformance
from arena.cli.options import PLAIN, clock_options
from arena.cli.said import say, walls
from arena.conformance import Bench, Finding, Verdict
from arena.games import GAMES
from arena.grid import counted, short
from arena.model import Clock, Entrant, UserError, no_such
from arena.runtimes import read_manifest
from arena.sandbox import BACKENDS
from arena.submissions.visiting import visiting
from arena.table import WardenLost
from protocol.text import escaped

EXIT_FAILED = 1
SHOWN_BYTES = 2_000
"""Of a question or an answer."""
LOG_LINES = 20
COLOURS = {Verdict.OK: "green", Verdict.WARNING: "yellow", Verdict.FAILED: "red"}


@click.command()
@click.argument("path", type=click.Path(path_type=Path))
@click.option("--game", "games", multiple=True, metavar="GAME", help="Only this game; repeatable.")
@click.option("--junit", type=click.Path(dir_okay=False, path_type=Path), help="Write a report for CI here.")
@clock_options("move_ms")
@click.option(
    "--sandbox", type=click.Choice(list(BACKENDS)), default="bwrap", show_default=True, help="The walls."
)
@click.pass_context
def check(  # noqa: PLR0913 - click hands over each option by name
    ctx: click.Context,
    /,
    path: Path,
    *,
    games: tuple[str, ...],
    junit: Path | None,
    move_ms: int,
    sandbox: str,
) -> None:
    """Try a program, folder or archive at PATH harder than its acceptance does.

    In each of its games: every number of players and every seat, other options, matches that the others drag
    out, several matches with one process, a silent referee, and the same cards twice. What is found is shown
    with what was sent, what came back and what was expected. Exit code 0 when nothing failed; a warning is no
    failure. Nothing is stored.

    \b
    Example:
      arena check my_bot.py --game idiot
      arena check my_bot --junit report.xml
    """
    with visiting(sandbox) as visit:
        bot = visit.program(path)
        claimed = read_manifest(visit.submissions / bot.version).games
        if sandbox == PLAIN:
            walls(PLAIN)
        bench = Bench(str(visit.submissions.resolve()), sandbox, Clock(move_ms=move_ms))
        found = list(heard(bot, chosen(games, claimed), bench))
    click.echo("\n" + conclusion(bot, found))
    if junit is not None:
        junit.write_bytes(report(path, found))
        say(f"report written: {junit}")
    ctx.exit(EXIT_FAILED if any(each.verdict is Verdict.FAILED for each in found) else 0)


def chosen(games: Sequence[str], claimed: Sequence[str] | None) -> list[str]:
    """Games to be tried: those that were named, else those it claims, else all."""
    for game in games:
        if game not in GAMES:
            raise UserError(no_such("game", game, GAMES))
    return [game for game in GAMES if game in (games or claimed or GAMES)]


def heard(bot: Entrant, games: Sequence[str], bench: Bench) -> Iterator[Finding]:
    """Findings, each shown as it comes."""
    try:
        for finding in conformance.findings(bot, games, bench):
            click.echo("\n".join(told(finding)))
            yield finding
    except WardenLost as lost:
        raise UserError(f"the arena failed, not the bot ({lost}); type the command again") from lost


def told(finding: Finding) -> Iterator[str]:
    """One finding: a line, and what belongs to it where something is to be mended."""
    mark = click.style(f"{finding.verdict:<8}", fg=COLOURS[finding.verdict])
    yield f"{mark} {title(finding)}: {escaped(finding.found, 500)}"
    parts = {
        "expected": finding.expected,
        "sent": escaped(finding.sent.decode(errors="replace"), SHOWN_BYTES),
        "came": escaped(finding.came.decode(errors="replace"), SHOWN_BYTES),
        "hint": finding.hint,
    }
    yield from (f"         {word:<9}{text}" for word, text in parts.items() if text)
    lines = finding.log.splitlines()[-LOG_LINES:]
    yield from (f"         {'log' if not number else '':<9}{line}" for number, line in enumerate(lines))


def title(finding: Finding) -> str:
    """Which trial it was, in which game."""
    about = next(trial.about for trial in conformance.TRIALS if trial.name == finding.trial)
    return f"{finding.game}, {finding.players} players, {about}"


def conclusion(bot: Entrant, found: Sequence[Finding]) -> str:
    """What it all came to, game by game."""
    failed = {each.game for each in found if each.verdict is Verdict.FAILED}
    warnings = sum(each.verdict is Verdict.WARNING for each in found)
    games = list(dict.fromkeys(each.game for each in found))
    passed = ", ".join(game for game in games if game not in failed) or "no game"
    count = f"{counted(len(found), 'trial')}, {counted(warnings, 'warning')}"
    lines = [f"{short(bot.name)} passed in {passed}; {count}."]
    lines += [f"It failed in {', '.join(game for game in games if game in failed)}."] if failed else []
    return "\n".join(lines)


def report(path: Path, found: Sequence[Finding]) -> bytes:
    """The findings as JUnit has them: a suite a game, a case a trial; warnings are told in its output."""
    suites = ET.Element("testsuites", name="arena check")
    for game, group in groupby(found, key=lambda finding: finding.game):
        findings = list(group)
        failures = sum(each.verdict is Verdict.FAILED for each in findings)
        suite = ET.SubElement(
            suites, "testsuite", name=game, tests=str(len(findings)), failures=str(failures), errors="0"
        )
        for each in findings:
            case = ET.SubElement(
                suite,
                "testcase",
                classname=f"{escaped(path.name, 80)}.{game}",
                name=f"{each.trial}, {each.players} players",
                time=f"{each.wall_s:.3f}",
            )
            text = click.unstyle("\n".join(told(each)))
            if each.verdict is Verdict.FAILED:
                ET.SubElement(case, "failure", message=escaped(each.found, 500)).text = text
            else:
                ET.SubElement(case, "system-out").text = text
    ET.indent(suites)
    whole: bytes = ET.tostring(suites, encoding="utf-8", xml_declaration=True)
    return whole + b"\n"
