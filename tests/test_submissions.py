"""Submitting: with a played-out acceptance match and with one that a plain function stands in for."""

import dataclasses
import io
import os
import shutil
import subprocess
import tarfile
from pathlib import Path

import pytest
from click.testing import CliRunner

from arena.cli import group
from arena.cli.submit import report
from arena.conformance import HINTS
from arena.games import GAMES
from arena.model import (
    HOUSE,
    Clock,
    Entrant,
    FaultKind,
    FaultRecord,
    MatchRecord,
    Measurement,
    Outcome,
    TableJob,
    TableResult,
    UserError,
)
from arena.sandbox import SandboxError
from arena.store import AlreadyThere, NameTaken, Store
from arena.submissions import BadSubmission, News, Submitted, Trial, acceptance, check_kept, submit
from arena.table import WardenLost

SAMPLES = Path(__file__).parent.parent / "sample_bots"
ALL_GAMES = tuple(GAMES)
LOG = "".join(f"line {number}\n" for number in range(50))


class Plays:
    """Stands in for the table: a bot fails in the games named, and every job is kept."""

    def __init__(self, *failing: str, kind: FaultKind = FaultKind.CRASH) -> None:
        self.failing = failing
        self.kind = kind
        self.jobs: list[TableJob] = []

    def __call__(self, job: TableJob) -> TableResult:
        self.jobs.append(job)
        assert Path(job.submissions, job.seating[0].version).is_dir()
        fails = job.game in self.failing
        seats = len(job.seating)
        outcome = Outcome(
            places=tuple(float(seat + 1) for seat in range(seats)),
            scores=None,
            decisions=3,
            faults=(FaultRecord(0, self.kind, 3),) if fails else (),
        )
        measurement = Measurement(
            wall_ms=1.0,
            seats_wall_ms=(0.0,) * seats,
            seats_cpu_ms=(None,) * seats,
            slowest_ms=(0.0,) * seats,
            fault_details=("exit code 3",) if fails else (),
            logs=(LOG, *[""] * (seats - 1)),
        )
        return TableResult(job.key, (MatchRecord(job.boards[0].number, outcome, measurement, b""),))


@pytest.fixture
def store(tmp_path):
    with Store.open(tmp_path / "work") as opened:
        yield opened


@pytest.fixture
def program(tmp_path) -> Path:
    path = tmp_path / "ann.py"
    path.write_text("print('hello')\n")
    return path


def a_folder(path: Path, *lines: str) -> Path:
    path.mkdir()
    (path / "bot.toml").write_text("\n".join(['name = "Ann"', 'language = "python"', *lines]))
    (path / "main.py").write_text("print('hello')\n")
    return path


def handed_in(store: Store, path: Path, play, **options):
    return submit(store, path, sandbox="plain", play=play, **options)


def contents(store: Store) -> list[str]:
    """What lies in the workspace beside the database and its locks."""
    kept = {"arena.db", "arena.db-wal", "arena.db-shm", "arena.lock", "submit.lock", "submissions"}
    return sorted(
        str(path.relative_to(store.workspace))
        for path in store.workspace.rglob("*")
        if str(path.relative_to(store.workspace)) not in kept
    )


# What is entered


def test_a_bot_that_passes_is_entered_and_its_version_lies_in_the_workspace(store, tmp_path):
    folder = a_folder(tmp_path / "ann", 'games = ["idiot"]')
    play = Plays()

    submitted = handed_in(store, folder, play)

    assert (submitted.news, submitted.name) == (News.ENTERED, "Ann")
    assert submitted.trials == (Trial("idiot", None),)
    assert store.bots() == [submitted.bot]
    assert (submitted.bot.games, submitted.bot.sandbox) == (("idiot",), "plain")
    version = f"submissions/{submitted.version}"
    assert contents(store) == [version, f"{version}/bot.toml", f"{version}/main.py"]


def test_an_acceptance_match_is_the_smallest_table_of_the_game_against_the_house(store, program):
    play = Plays()

    submitted = handed_in(store, program, play)

    entrant = Entrant("ann", submitted.version)
    assert [
        (job.game, job.options, job.seating, job.clock, job.sandbox, len(job.boards)) for job in play.jobs
    ] == [
        (
            name,
            dataclasses.asdict(game.options()),
            (entrant, *[HOUSE] * (min(game.players) - 1)),
            Clock(),
            "plain",
            1,
        )
        for name, game in GAMES.items()
    ]


def test_a_program_is_admitted_to_the_games_that_it_passes(store, program):
    submitted = handed_in(store, program, Plays("imp"))

    assert submitted.news is News.ENTERED
    assert submitted.bot.games == tuple(game for game in ALL_GAMES if game != "imp")
    log = "\n".join(f"line {number}" for number in range(30, 50))
    assert Trial("imp", FaultKind.CRASH, "exit code 3", log) in submitted.trials


def test_a_folder_that_names_no_games_is_admitted_to_those_that_it_passes(store, tmp_path):
    submitted = handed_in(store, a_folder(tmp_path / "ann"), Plays("imp"))

    assert submitted.bot.games == tuple(game for game in ALL_GAMES if game != "imp")


def test_a_changed_program_is_the_next_version_and_both_are_kept(store, program):
    first = handed_in(store, program, Plays())
    program.write_text("print('hello again')\n")

    second = handed_in(store, program, Plays())

    assert (second.bot.number, second.bot.versions) == (2, 2)
    assert store.latest("ann") == second.bot
    assert {path.name for path in store.submissions.iterdir()} == {first.version, second.version}


def test_an_archive_of_a_folder_is_the_same_version_as_the_folder(store, tmp_path):
    folder = a_folder(tmp_path / "ann", 'games = ["idiot"]')
    with tarfile.open(tmp_path / "ann.tar.gz", "w:gz") as archive:
        archive.add(folder, "ann-1.0")
    first = handed_in(store, folder, Plays())

    second = handed_in(store, tmp_path / "ann.tar.gz", Plays("idiot"))

    assert (second.news, second.version) == (News.KNOWN, first.version)


def test_what_a_bot_without_walls_writes_beside_itself_is_no_part_of_the_version(store, program):
    def writes(job):
        Path(job.submissions, job.seating[0].version, "diary.txt").write_text("dear diary")
        return Plays()(job)

    submitted = handed_in(store, program, writes)

    version = f"submissions/{submitted.version}"
    assert contents(store) == [version, f"{version}/ann.py"]


def test_leftovers_are_not_part_of_the_version_and_are_named(store, tmp_path):
    folder = a_folder(tmp_path / "ann")
    (folder / "__pycache__").mkdir()

    submitted = handed_in(store, folder, Plays())

    assert submitted.left_out == ("__pycache__",)
    assert f"submissions/{submitted.version}/__pycache__" not in contents(store)


# What was there before


def test_the_same_content_again_plays_nothing_and_changes_nothing(store, program):
    first = handed_in(store, program, Plays())
    play = Plays(*ALL_GAMES)

    second = handed_in(store, program, play)

    assert (second.news, second.bot, second.trials, play.jobs) == (News.KNOWN, first.bot, (), [])


def test_the_same_content_under_another_name_is_told_where_it_stands(store, program):
    handed_in(store, program, Plays())

    with pytest.raises(AlreadyThere, match="stands under the name 'ann' already"):
        handed_in(store, program, Plays(), name="Bea")

    assert [bot.name for bot in store.bots()] == ["ann"]


def test_the_same_content_is_told_how_it_is_tried_in_more_games(store, program):
    handed_in(store, program, Plays(), games=["imp", "idiot"])

    said = report(handed_in(store, program, Plays()))

    assert (
        said.splitlines()[0]
        == "not tried in imperial, mpirimpa: to try it there add for example --game imperial"
    )
    assert said.splitlines()[1].startswith("nothing new: ann was entered before")


def test_an_earlier_version_handed_in_again_is_current_again(store, program):
    text = program.read_text()
    first = handed_in(store, program, Plays())
    program.write_text("print('worse')\n")
    handed_in(store, program, Plays())
    program.write_text(text)

    again = handed_in(store, program, Plays())

    assert (again.news, again.version) == (News.RENEWED, first.version)
    assert store.latest("ann") == again.bot
    assert (again.bot.number, again.bot.versions) == (1, 2)


def test_a_retired_bot_comes_back_when_it_is_handed_in_again(store, program):
    first = handed_in(store, program, Plays())
    store.retire("ann")

    again = handed_in(store, program, Plays())

    assert (again.news, again.bot) == (News.RENEWED, first.bot)


def test_a_version_can_be_admitted_to_more_games_later(store, program):
    handed_in(store, program, Plays(), games=("imp",))
    play = Plays()

    again = handed_in(store, program, play, games=("idiot", "imp"))

    assert (again.news, again.bot.games) == (News.RENEWED, ("imp", "idiot"))
    assert [job.game for job in play.jobs] == ["idiot"]


def test_a_version_that_fails_in_one_more_game_keeps_those_that_it_had(store, program):
    first = handed_in(store, program, Plays(), games=("imp",))

    again = handed_in(store, program, Plays("idiot"), games=("idiot",))

    assert (again.news, store.bots()) == (News.REFUSED, [first.bot])


def test_a_damaged_copy_in_the_workspace_is_made_whole_again(store, program):
    first = handed_in(store, program, Plays())
    (store.submissions / first.version / "ann.py").write_text("print('tampered')\n")

    handed_in(store, program, Plays())

    assert (store.submissions / first.version / "ann.py").read_text() == program.read_text()


# What is kept


def kept(store: Store, submitted: Submitted) -> Path:
    """The folder of a version, for a test to spoil."""
    return store.submissions / submitted.version


def test_what_was_entered_is_found_unchanged(store, program):
    submitted = handed_in(store, program, Plays())

    check_kept(store.submissions, [Entrant("ann", submitted.version), HOUSE])


@pytest.mark.parametrize(
    ("spoil", "wrong"),
    [
        (shutil.rmtree, "is missing"),
        (lambda folder: (folder / "main.py").unlink(), "was changed: the hash of its 1 files is "),
        (lambda folder: (folder / "main.py").write_text("1"), "was changed: the hash of its 2 files is "),
        (lambda folder: (folder / "main.py").chmod(0o755), "was changed: the hash of its 2 files is "),
        (lambda folder: (folder / "more.py").touch(), "was changed: the hash of its 3 files is "),
        (lambda folder: (folder / "__pycache__").mkdir(), "was changed: '__pycache__' is no part"),
        (lambda folder: (folder / "link").symlink_to("main.py"), "was changed: refused at 'link': it is a "),
    ],
)
def test_a_version_that_was_changed_is_named_until_it_is_submitted_again(store, tmp_path, spoil, wrong):
    folder = a_folder(tmp_path / "ann")
    submitted = handed_in(store, folder, Plays())
    entrants = [Entrant("Ann", submitted.version)]
    spoil(kept(store, submitted))

    with pytest.raises(UserError) as told:
        check_kept(store.submissions, entrants)

    assert str(told.value).startswith(f"version {submitted.version[:12]} of Ann cannot be played: ")
    assert wrong in str(told.value)
    assert str(told.value).endswith("submit that content again: arena submit PATH --name Ann")
    assert handed_in(store, folder, Plays()).news is News.KNOWN
    check_kept(store.submissions, entrants)


# What is refused


def test_a_bot_fails_when_it_fails_in_one_game_that_it_claims(store, tmp_path):
    folder = a_folder(tmp_path / "ann", 'games = ["idiot", "imp"]')

    submitted = handed_in(store, folder, Plays("imp"))

    assert (submitted.news, submitted.bot) == (News.REFUSED, None)
    assert [(trial.game, trial.fault) for trial in submitted.trials] == [
        ("idiot", None),
        ("imp", FaultKind.CRASH),
    ]
    assert (store.bots(), contents(store)) == ([], [])


def test_a_program_that_passes_no_game_is_refused(store, program):
    submitted = handed_in(store, program, Plays(*ALL_GAMES))

    assert (submitted.news, store.bots(), contents(store)) == (News.REFUSED, [], [])


def test_a_program_that_was_named_a_game_has_to_pass_it(store, program):
    submitted = handed_in(store, program, Plays("imp"), games=("idiot", "imp"))

    assert (submitted.news, store.bots()) == (News.REFUSED, [])


def test_a_failure_of_ours_is_no_verdict_and_leaves_nothing_behind(store, program):
    def fails(_job):
        raise SandboxError("no walls today")

    with pytest.raises(SandboxError, match="no walls today"):
        handed_in(store, program, fails)

    assert (store.bots(), contents(store)) == ([], [])


def test_a_lost_warden_is_not_held_against_the_bot(store, program):
    def loses(_job):
        raise WardenLost("warden of seat 0 was killed")

    with pytest.raises(UserError, match=r"the arena failed, not the bot .*type the command again"):
        handed_in(store, program, loses)

    assert (store.bots(), contents(store)) == ([], [])


def test_a_hostile_archive_writes_nothing_and_plays_nothing(store, tmp_path):
    with tarfile.open(tmp_path / "a.tar", "w") as archive:
        for name in ("bot.toml", "../../escaped"):
            entry = tarfile.TarInfo(name)
            entry.size = 1
            archive.addfile(entry, io.BytesIO(b"x"))
    before = sorted(tmp_path.iterdir())

    with pytest.raises(BadSubmission, match="escaped"):
        handed_in(store, tmp_path / "a.tar", Plays())

    assert (contents(store), sorted(tmp_path.iterdir())) == ([], before)


def test_what_a_killed_submission_left_is_cleared_away(store, program):
    (store.workspace / "staging" / "half").mkdir(parents=True)

    submitted = handed_in(store, program, Plays())

    version = f"submissions/{submitted.version}"
    assert contents(store) == [version, f"{version}/ann.py"]


def test_a_second_submission_that_waited_in_vain_is_told_who_is_there(store, program, monkeypatch):
    monkeypatch.setattr(acceptance, "TURN_S", 0.01)

    with (
        store.submitting(wait_s=0.01),
        pytest.raises(UserError, match=rf"process {os.getpid()} has been trying a submission"),
    ):
        handed_in(store, program, Plays())


@pytest.mark.parametrize("name", ["house", "HOUSE", "House"])
def test_the_house_keeps_its_name(store, program, name):
    with pytest.raises(UserError, match="built-in bot's; type another with --name"):
        handed_in(store, program, Plays(), name=name)


def test_names_that_differ_in_case_only_clash_before_anything_is_played(store, program):
    handed_in(store, program, Plays(), name="Bob")
    program.write_text("print('other')\n")
    play = Plays()

    with pytest.raises(NameTaken, match="'bob' and 'Bob' differ in case only; type --name Bob "):
        handed_in(store, program, play, name="bob")

    assert play.jobs == []


@pytest.mark.parametrize("name", ["", "a\x1b[31mb", "x" * 41, "a\u202eb", " a"])
def test_a_name_that_could_not_be_read_off_a_table_is_refused(store, program, name):
    with pytest.raises(UserError, match="name: "):
        handed_in(store, program, Plays(), name=name)

    assert (store.bots(), contents(store)) == ([], [])


def test_an_unknown_game_lists_the_games(store, tmp_path, program):
    with pytest.raises(UserError, match=r"--game: no game 'chess'; the games are: .*idiot"):
        handed_in(store, program, Plays(), games=("chess",))
    with pytest.raises(UserError, match=r"bot.toml: no game 'go'; the games are: "):
        handed_in(store, a_folder(tmp_path / "ann", 'games = ["go"]'), Plays())


def test_a_game_that_the_manifest_does_not_claim_is_refused(store, tmp_path):
    folder = a_folder(tmp_path / "ann", 'games = ["idiot"]')

    with pytest.raises(UserError, match=r"--game imp: its bot\.toml claims only idiot"):
        handed_in(store, folder, Plays(), games=("imp",))


def test_an_unknown_sandbox_is_refused_before_anything_is_read(store, tmp_path):
    with pytest.raises(SandboxError, match="unknown sandbox 'glass'; known are bwrap, plain"):
        submit(store, tmp_path / "nothing", sandbox="glass", play=Plays())


def test_a_bot_that_does_not_start_is_tried_in_one_game_only(store, program):
    play = Plays(*ALL_GAMES, kind=FaultKind.START)

    submitted = handed_in(store, program, play)

    assert (submitted.news, len(play.jobs)) == (News.REFUSED, 1)
    assert [trial.fault for trial in submitted.trials] == [FaultKind.START]
    assert "not tried in imp, imperial, mpirimpa: it said no good hello" in report(submitted).splitlines()


def test_a_bot_that_is_too_late_in_a_game_that_it_has_to_pass_is_tried_in_no_other(store, tmp_path):
    play = Plays("idiot", kind=FaultKind.TIMEOUT)

    submitted = handed_in(store, a_folder(tmp_path / "ann", 'games = ["idiot", "imp"]'), play)

    assert (submitted.news, len(play.jobs)) == (News.REFUSED, 1)
    assert "not tried in imp: it has to pass in each" in report(submitted).splitlines()


def test_a_program_that_is_too_late_in_one_game_is_tried_in_the_others(store, program):
    submitted = handed_in(store, program, Plays("idiot", kind=FaultKind.TIMEOUT))

    assert submitted.bot is not None
    assert submitted.bot.games == ("imp", "imperial", "mpirimpa")


@pytest.mark.parametrize("name", ["a,b", "-x", "--help"])
def test_a_name_that_could_not_be_typed_in_a_list_is_refused(store, program, name):
    with pytest.raises(UserError, match=r"could not be typed after --bots: .*type another with --name"):
        handed_in(store, program, Plays(), name=name)

    assert (store.bots(), contents(store)) == ([], [])


@pytest.mark.parametrize("name", ["=1+1", "+1", "@SUM(1)"])
def test_a_name_that_a_spreadsheet_would_compute_is_refused(store, program, name):
    with pytest.raises(UserError, match=r"would be a formula in a spreadsheet: .*type another with --name"):
        handed_in(store, program, Plays(), name=name)

    assert (store.bots(), contents(store)) == ([], [])


# The command line


def arena(workspace: Path, *words: str):
    return CliRunner().invoke(group, [*words, "--workspace", str(workspace)], catch_exceptions=False)


def entered(workspace: Path, name: str, version: str, **fields) -> None:
    from datetime import UTC, datetime

    moment = datetime(2024, 5, 17, 12, 0, tzinfo=UTC)
    with Store.open(workspace) as store:
        store.add_version(name, version, games=["imp"], submitted=moment, **{"sandbox": "bwrap"} | fields)


def test_bots_are_listed_as_they_are_named(tmp_path, monkeypatch):
    monkeypatch.setenv("TZ", "UTC")
    entered(tmp_path, "007", "1" * 64)
    entered(tmp_path, "1e5", "2" * 64, sandbox="plain")
    entered(tmp_path, "a|b", "3" * 64)
    entered(tmp_path, "a|b", "4" * 64)
    arena(tmp_path, "retire", "A|B")

    listed = arena(tmp_path, "bots", "--style", "github")

    assert listed.exit_code == 0
    rows = [[cell.strip() for cell in line.strip("| ").split(" | ")] for line in listed.output.splitlines()]
    assert rows[0] == ["bot", "version", "versions", "games", "submitted", "state"]
    assert [[row[0], row[1], row[2], row[3], row[5]] for row in rows[2:]] == [
        ["007", "1" * 12, "1", "imp", "active"],
        ["1e5", "2" * 12, "1", "imp", "active, NO WALLS"],
        [r"a\|b", "4" * 12, "2", "imp", "retired"],
    ]


def test_a_name_that_came_from_elsewhere_cannot_move_the_cursor(tmp_path):
    entered(tmp_path, "a\x1b[2Jb\u202ec", "1" * 64)

    listed = arena(tmp_path, "bots")

    assert "a\\x1b[2Jb\\u202ec" in listed.output
    assert "\x1b" not in listed.output


def test_an_empty_workspace_says_what_to_type(tmp_path):
    Store.open(tmp_path).close()

    assert arena(tmp_path, "bots").output == "no bot yet; type: arena submit PATH\n"
    missing = arena(tmp_path / "nothing", "bots")
    assert (missing.exit_code, "arena submit PATH" in missing.output) == (2, True)


def test_an_unknown_style_lists_the_styles(tmp_path):
    entered(tmp_path, "Ann", "1" * 64)

    listed = arena(tmp_path, "bots", "--style", "fancy")

    assert listed.exit_code == 2
    assert "no style 'fancy'; did you mean 'fancy_grid'? the styles are: " in listed.output


def test_retiring_can_be_undone(tmp_path):
    entered(tmp_path, "Ann", "1" * 64)

    said = [arena(tmp_path, "retire", "ann", *more).output for more in ((), ("--undo",))]

    assert said == ["Ann is retired; its results are kept\n", "Ann may enter leagues again\n"]


def test_a_folder_without_a_workspace_is_named_and_nothing_is_made_in_it(tmp_path):
    for words in (("retire", "Ann"), ("run", "friday"), ("run", "--game", "idiot"), ("leaderboard",)):
        refused = arena(tmp_path / "wrong", *words)

        assert refused.exit_code == 2
        assert f"nothing in the workspace {tmp_path / 'wrong'} yet" in " ".join(refused.stderr.split())
        assert not (tmp_path / "wrong").exists()


def test_retiring_an_unknown_bot_is_wrong_usage(tmp_path):
    Store.open(tmp_path).close()

    refused = arena(tmp_path, "retire", "Ann")

    assert (refused.exit_code, "no bot 'Ann'" in refused.output) == (2, True)


def test_what_cannot_be_read_is_wrong_usage(tmp_path):
    refused = arena(tmp_path / "work", "submit", str(tmp_path / "nothing.py"), "--sandbox", "plain")

    assert refused.exit_code == 2
    assert "No such file or directory; type the path of a folder" in refused.output


SIMPLE = "print()\n"


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ((), "'FOLDER' holds neither a bot.toml nor a program; to make a bot type: arena new my_bot"),
        (("a.txt", "b.txt"), "'FOLDER' holds neither a bot.toml nor a program"),
        (
            ("ann/bot.toml", "bob.py", "deep/er/bot.toml", "notes.txt"),
            "'FOLDER' has no bot.toml, but holds 'ann', 'bob.py': for one of them type its path, FOLDER/ann",
        ),
        (
            ("main.py", "more.py"),
            "'FOLDER' has no bot.toml; to make one bot of all that is in it type: printf 'name = ",
        ),
        (
            ("ann.py", "bob.js"),
            "for one of them type its path, FOLDER/ann.py; to make one bot of all that is in it type: ",
        ),
    ],
)
@pytest.mark.parametrize("command", ["submit", "check"])
def test_a_folder_that_is_no_bot_is_answered_with_what_to_type(tmp_path, command, files, said):
    folder = tmp_path / "bots"
    folder.mkdir()
    for path in files:
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(SIMPLE)

    env = {"ARENA_WORKSPACE": str(tmp_path / "work")}
    refused = CliRunner().invoke(group, [command, str(folder)], env=env)

    assert refused.exit_code == 2
    assert said.replace("FOLDER", str(folder)) in refused.output


def test_the_line_that_makes_one_bot_of_a_folder_makes_one(store, tmp_path):
    folder = tmp_path / "my bots"
    folder.mkdir()
    for name in ("main.py", "more.py"):
        (folder / name).write_text(SIMPLE)
    with pytest.raises(BadSubmission) as refused:
        handed_in(store, folder, Plays())

    subprocess.run(["sh", "-c", str(refused.value).partition("type: ")[2]], check=True)

    assert handed_in(store, folder, Plays()).name == "my bots"


def test_a_path_that_is_nearly_right_is_told(tmp_path):
    (tmp_path / "my_bot.py").write_text(SIMPLE)
    (tmp_path / "my_bat").mkdir()

    refused = arena(tmp_path / "work", "submit", str(tmp_path / "my_bot"))

    assert f"did you mean {tmp_path}/my_bot.py? type the path of" in refused.output


@pytest.mark.process
def test_a_sample_bot_without_walls_is_entered_and_loudly_marked(tmp_path):
    said = arena(tmp_path, "submit", str(SAMPLES / "random"), "--sandbox", "plain", "--game", "idiot")

    assert said.exit_code == 0
    assert "WITHOUT WALLS" in said.output
    assert "entered: random, version 1 of 1" in said.output
    assert "active, NO WALLS" in arena(tmp_path, "bots").output


def test_the_same_failure_in_several_games_is_told_once():
    trials = (
        Trial("idiot", FaultKind.CRASH, "exit code 3", "oh \x1b[31mno"),
        Trial("imp", None),
        Trial("imperial", FaultKind.CRASH, "exit code 3", "oh \x1b[31mno"),
        Trial("mpirimpa", FaultKind.TIMEOUT, "1000 ms, at most 900 allowed"),
    )

    said = report(Submitted(News.REFUSED, "Ann", "a" * 64, None, trials, ("__pycache__",)))

    assert said.splitlines() == [
        "left out: __pycache__",
        "failed in idiot, imperial, CRASH: exit code 3",
        "  the last it printed:",
        r"  | oh \x1b[31mno",
        f"  hint: {HINTS[FaultKind.CRASH]}",
        "failed in mpirimpa, TIMEOUT: 1000 ms, at most 900 allowed",
        "  it printed nothing",
        f"  hint: {HINTS[FaultKind.TIMEOUT]}",
        "refused: Ann aaaaaaaaaaaa was not entered",
    ]


def test_a_hello_on_standard_output_is_told_apart_from_silence():
    log = 'ready\n{"type": "hello", "protocol": 1}\n'
    trials = (Trial("idiot", FaultKind.START, "exit code 0 before hello", log),)

    said = report(Submitted(News.REFUSED, "Ann", "a" * 64, None, trials, ()))

    assert 'submit a folder whose bot.toml has the line: transport = "stdio"' in said


def test_what_was_entered_before_is_named_as_it_was(store, program):
    handed_in(store, program, Plays())

    said = report(handed_in(store, program, Plays(), name="ANN"))

    assert said.startswith("nothing new: ann was entered before")


@pytest.mark.process
def test_a_bot_that_crashes_is_refused_with_its_fault_and_its_last_words(tmp_path):
    program = tmp_path / "broken.py"
    program.write_text("print('so far so good')\nraise KeyError('the queen of spades')\n")

    said = arena(tmp_path / "work", "submit", str(program), "--sandbox", "plain", "--game", "idiot")

    assert said.exit_code == 1
    assert said.stderr.splitlines()[1] == "idiot: playing ..."
    assert said.stderr.splitlines()[2] == "idiot: failed"
    assert said.output.count("START") == 1
    assert "failed in idiot, START: " in said.output
    assert "  | so far so good\n" in said.output
    assert "  | KeyError: 'the queen of spades'\n" in said.output
    assert said.output.splitlines()[-1].startswith("refused: broken ")
    assert arena(tmp_path / "work", "bots").output == "no bot yet; type: arena submit PATH\n"


@pytest.mark.process
@pytest.mark.box
def test_a_sample_bot_is_entered_behind_walls(tmp_path):
    said = arena(tmp_path, "submit", str(SAMPLES / "random"))

    assert (said.exit_code, "WITHOUT WALLS" in said.output) == (0, False)
    assert f"games: {', '.join(ALL_GAMES)}" in said.output
    assert "NO WALLS" not in arena(tmp_path, "bots").output
