"""From what was handed in to a version of a bot: import, try out behind walls, admit.

    read -> staging/submissions/<version> -> built -> a match of each game against the house bot
         -> submissions/<version>, and what its build left to builds/<version>
        \\-> refused: what failed, and the last that the build or the bot said

What is refused leaves nothing behind. One submission is tried at a time in a workspace.
"""

import dataclasses
import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from enum import StrEnum
from hashlib import sha256
from pathlib import Path
from typing import Protocol

import msgspec

from arena.games import GAMES
from arena.model import HOUSE, Board, Clock, Entrant, FaultKind, TableJob, TableResult, UserError, no_such
from arena.runtimes import BUILT, Manifest, checked_name, read_manifest, recipe
from arena.sandbox import require
from arena.store import AlreadyThere, Bot, Store, folded, telling
from arena.submissions.building import BuildFailed
from arena.submissions.builds import adopt, make_ready
from arena.submissions.importing import read
from arena.submissions.kept import changed
from arena.submissions.meant import check_meant
from arena.submissions.tree import Tree, tree_hash, write
from arena.table import WardenLost, play_fairly
from protocol.text import pasted

LOG_LINES = 20
"""Of what a bot printed last, shown with its refusal."""

TURN_S = 600.0
"""How long one submission waits for another: the acceptance matches of a slow bot take minutes."""


class News(StrEnum):
    """What a submission came to."""

    ENTERED = "entered"
    """A new bot, or a new version of one."""
    RENEWED = "renewed"
    """An earlier version is current again, or was admitted to more games, or its bot came back."""
    KNOWN = "known"
    """All of it was there; nothing changed."""
    REFUSED = "refused"


class Trial(msgspec.Struct, frozen=True):
    """One acceptance match."""

    game: str
    fault: FaultKind | None
    """None when the bot passed."""
    detail: str = ""
    log: str = ""
    """The last lines that the bot printed, escaped."""


class Unbuilt(msgspec.Struct, frozen=True):
    """How a build failed."""

    found: str
    log: str
    """The last lines that it said, escaped."""


class Submitted(msgspec.Struct, frozen=True):
    """What became of a submission."""

    news: News
    name: str
    version: str
    bot: Bot | None
    """None when it was refused."""
    trials: tuple[Trial, ...]
    left_out: tuple[str, ...]
    """Paths that are not part of the version."""
    unbuilt: Unbuilt | None = None
    """When it was refused before it could be tried."""
    untried: tuple[str, ...] = ()
    """Games in which it was not tried any more."""


Play = Callable[[TableJob], TableResult]


class Told(Protocol):
    """Who hears how the acceptance goes, as it does."""

    def builds(self, recipe: tuple[str, ...]) -> None:
        """Hear that it is built now, by this command."""

    def begun(self, game: str) -> None:
        """Hear that one is played now."""

    def ended(self, trial: Trial) -> None:
        """Hear how it ended."""


class _Nobody:
    def builds(self, recipe: tuple[str, ...]) -> None:
        pass

    def begun(self, game: str) -> None:
        pass

    def ended(self, trial: Trial) -> None:
        pass


NOBODY = _Nobody()


class _Way(msgspec.Struct, frozen=True):
    """How trials are played, and who hears of each."""

    sandbox: str
    play: Play
    told: Told


class _Candidate(msgspec.Struct, frozen=True):
    """A submission that was read and understood, and lies in the staging folder."""

    name: str
    version: str
    tree: Tree
    manifest: Manifest
    folder: Path
    games: tuple[str, ...]
    """Those it is to play."""
    declared: bool
    """Whether somebody named these games: then it has to pass all of them."""


def submit(  # noqa: PLR0913 - what a user may say, and what a test may replace
    store: Store,
    path: Path,
    *,
    name: str | None = None,
    games: Sequence[str] = (),
    sandbox: str = "bwrap",
    play: Play = play_fairly,
    told: Told = NOBODY,
) -> Submitted:
    """Import a folder, an archive or a program, and enter it when it passes.

    Raises UserError for what can be put right before anything is played, SandboxError without walls.
    """
    require(sandbox)
    way = _Way(sandbox, play, told)
    check_meant(path)
    tree = read(path)
    with _staged(store, tree) as folder:
        candidate = _candidate(folder, tree, name, games)
        try:
            return _tried(store, candidate, way)
        except BuildFailed as failed:
            refused = _submitted(News.REFUSED, candidate, None, ())
            return msgspec.structs.replace(refused, unbuilt=Unbuilt(str(failed), failed.log))


def _tried(store: Store, candidate: _Candidate, way: _Way) -> Submitted:
    """Enter what is new, and renew what is known, when it passes. Raises BuildFailed."""
    known = store.find_version(candidate.version)
    if known is None:
        store.check_name(candidate.name)
        return _enter(store, candidate, way)
    if folded(known.name) != folded(candidate.name):
        raise AlreadyThere(
            f"this content stands under the name {known.name!r} already; type "
            f"--name {pasted(known.name)} to submit it again, or change the program"
        )
    return _renew(store, candidate, known, way)


def _candidate(folder: Path, tree: Tree, name: str | None, games: Sequence[str]) -> _Candidate:
    manifest = read_manifest(folder)
    return _Candidate(
        name=bot_name(name if name is not None else manifest.name, way="type another with --name"),
        version=folder.name,
        tree=tree,
        manifest=manifest,
        folder=folder,
        games=_games(manifest, games),
        declared=bool(games) or manifest.games is not None,
    )


FORMULA = ("=", "+", "@")
"""What a spreadsheet would take for the beginning of a formula, as it would a "-"."""


def bot_name(text: str, *, way: str = "choose another") -> str:
    """Give a bot's name in composed form; raises UserError, with the way out, for what none may be called."""
    name = checked_name(text)
    if "," in name or name.startswith("-"):
        raise UserError(
            f"the name {name!r} could not be typed after --bots: no comma is allowed, and no - at its "
            f"beginning; {way}"
        )
    if name.startswith(FORMULA):
        raise UserError(
            f"the name {name!r} would be a formula in a spreadsheet: no {name[0]} is allowed at its "
            f"beginning; {way}"
        )
    if folded(name) == folded(HOUSE.name):
        raise UserError(f"the name {name!r} is the built-in bot's; {way}")
    return name


def _games(manifest: Manifest, asked: Sequence[str]) -> tuple[str, ...]:
    """Games to be played, in the order of the table of games."""
    claimed = set(manifest.games or GAMES)
    for where, names in (("bot.toml", claimed), ("--game", asked)):
        for game in sorted(names):
            if game not in GAMES:
                raise UserError(f"{where}: {no_such('game', game, GAMES)}")
    if not claimed.issuperset(asked):
        raise UserError(
            f"--game {', '.join(sorted(set(asked) - claimed))}: its bot.toml claims only "
            f"{', '.join(sorted(claimed))}"
        )
    return tuple(game for game in GAMES if game in (asked or claimed))


def _enter(store: Store, candidate: _Candidate, way: _Way) -> Submitted:
    trials = _trials(candidate, candidate.games, way)
    passed = tuple(trial.game for trial in trials if trial.fault is None)
    if not passed or (candidate.declared and len(passed) < len(trials)):
        return _refused(candidate, candidate.games, trials)
    _settle(store, candidate)
    bot = store.add_version(
        candidate.name, candidate.version, games=passed, submitted=datetime.now(UTC), sandbox=way.sandbox
    )
    return _submitted(News.ENTERED, candidate, bot, trials)


def _renew(store: Store, candidate: _Candidate, known: Bot, way: _Way) -> Submitted:
    """The content is there: try it only in games that were named now and not before."""
    more = [game for game in candidate.games if candidate.declared and game not in known.games]
    trials = _trials(candidate, more, way)
    if any(trial.fault for trial in trials):
        return _refused(candidate, more, trials)
    _settle(store, candidate)
    current = store.latest(known.name)
    if current == known and not known.retired and not more:
        found = _submitted(News.KNOWN, candidate, known, trials)
        return msgspec.structs.replace(
            found, untried=tuple(game for game in candidate.games if game not in known.games)
        )
    return _submitted(News.RENEWED, candidate, store.renew_version(known.version, games=more), trials)


def _trials(candidate: _Candidate, games: Sequence[str], way: _Way) -> tuple[Trial, ...]:
    """A match of each game, up to one after which the others need no waiting for."""
    entrant = Entrant(candidate.name, candidate.version)
    trials: list[Trial] = []
    if games and (command := recipe(candidate.manifest)):
        way.told.builds(command)
        make_ready(candidate.manifest, candidate.folder.parent, candidate.version, way.sandbox)
    for game in games:
        if trials and _enough(trials[-1], candidate):
            break
        way.told.begun(game)
        trials.append(_trial(entrant, game, candidate.folder.parent, way))
        way.told.ended(trials[-1])
    return tuple(trials)


def _enough(trial: Trial, candidate: _Candidate) -> bool:
    """Whether it would be no use to wait for more: no bot knows the game yet when it starts."""
    return trial.fault is FaultKind.START or (candidate.declared and trial.fault is FaultKind.TIMEOUT)


def _trial(entrant: Entrant, game: str, submissions: Path, way: _Way) -> Trial:
    """Play one match of a game against the house bot, at the smallest table."""
    seats = min(GAMES[game].players)
    job = TableJob(
        key=f"acceptance-{game}",
        game=game,
        options=dataclasses.asdict(GAMES[game].options()),
        seating=(entrant, *[HOUSE] * (seats - 1)),
        boards=(Board(1, sha256(f"acceptance {entrant.version} {game}".encode()).digest()),),
        clock=Clock(),
        sandbox=way.sandbox,
        submissions=str(submissions.resolve()),
    )
    try:
        (record,) = way.play(job).matches
    except WardenLost as lost:
        raise UserError(
            f"the arena failed, not the bot ({lost}); nothing was entered, type the command again"
        ) from lost
    for number, fault in enumerate(record.outcome.faults):
        if fault.seat == 0:
            log = "\n".join(record.measurement.logs[0].splitlines()[-LOG_LINES:])
            return Trial(game, fault.kind, record.measurement.fault_details[number], log)
    return Trial(game, None)


def _refused(candidate: _Candidate, games: Sequence[str], trials: tuple[Trial, ...]) -> Submitted:
    refused = _submitted(News.REFUSED, candidate, None, trials)
    return msgspec.structs.replace(refused, untried=tuple(games[len(trials) :]))


def _submitted(news: News, candidate: _Candidate, bot: Bot | None, trials: tuple[Trial, ...]) -> Submitted:
    return Submitted(news, candidate.name, candidate.version, bot, trials, candidate.tree.left_out)


@contextmanager
def _staged(store: Store, tree: Tree) -> Iterator[Path]:
    """The tree in a folder named by its hash, which is gone afterwards unless it was moved.

    What a killed submission left is removed by the next one.
    """
    staging = store.workspace / "staging"
    folder = staging / store.submissions.name / tree_hash(tree)
    with store.submitting(wait_s=TURN_S):
        _emptied(staging)
        try:
            with telling(staging):
                folder.parent.mkdir(parents=True)
                write(tree, folder)
            yield folder
        finally:
            _emptied(staging)


def _emptied(staging: Path) -> None:
    if staging.exists():
        shutil.rmtree(staging)


def _settle(store: Store, candidate: _Candidate) -> None:
    """Move the version to where leagues find it; a copy that was damaged there gives way."""
    target = store.submissions / candidate.version
    with telling(target):
        if changed(candidate.folder):  # without walls a bot may write where it lies
            shutil.rmtree(candidate.folder)
            write(candidate.tree, candidate.folder)
        if target.exists() and changed(target):
            target.rename(candidate.folder.parent / "damaged")
        if not target.exists():
            candidate.folder.rename(target)
            flush(store.submissions)
        adopt(
            candidate.folder.parent.with_name(BUILT),
            store.workspace / BUILT,
            candidate.version,
            candidate.manifest,
        )


def flush(folder: Path) -> None:
    """See to it that a rename in a folder outlasts a power cut, before the database tells of it."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
