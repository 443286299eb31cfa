"""What a Dask worker keeps for leagues, and what becomes of it; without Dask around it."""

import os
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

pytest.importorskip("distributed", reason="Dask is not installed: pip install 'card-arena[cluster]'")

from arena.league import hired
from arena.league.hired import Hiring, Unhired
from arena.league.workers import WorkerLost
from arena.model import HOUSE, Clock, Entrant, TableJob, UserError
from arena.submissions.parcels import packed
from arena.submissions.tree import File, Tree, tree_hash, write
from tests.clusters import ROOT, until, wait_for_ever

pytestmark = pytest.mark.process


@pytest.fixture
def wanted(monkeypatch: pytest.MonkeyPatch) -> threading.Event:
    """Whether anybody waits for what is done."""
    event = threading.Event()
    event.set()
    monkeypatch.setattr(hired, "_wanted", lambda: event.is_set)
    monkeypatch.setattr(hired, "LOOK_S", 0.02)
    return event


@pytest.fixture
def post(wanted: threading.Event, monkeypatch: pytest.MonkeyPatch) -> Iterator[hired._Post]:
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    made = hired._Post(1)
    monkeypatch.setattr(hired, "_made", lambda: made)
    yield made
    if made._hands is not None:
        made._hands.stop()
    made.close()


def version(folder: Path, content: bytes) -> tuple[Entrant, bytes]:
    """A bot of one program, with its parcel."""
    tree = Tree((File("bot.sh", executable=False, content=content),))
    write(tree, folder / tree_hash(tree))
    return Entrant(content.decode(), tree_hash(tree)), packed(folder / tree_hash(tree))


def league(name: str, *entrants: Entrant, sandbox: str = "plain") -> Hiring:
    return Hiring(f"run of {name}", name, sandbox, entrants)


def test_a_version_is_asked_for_once(post, tmp_path):
    bot, parcel = version(tmp_path, b"a")
    before = hired.enter(league("one", bot, HOUSE))
    hired.take("run of one", bot.version, parcel)
    hired.prepare("run of one")

    assert before == (bot.version,)
    assert hired.enter(league("two", bot)) == ()


def test_a_version_that_was_changed_here_is_asked_for_again(post, tmp_path):
    bot, parcel = version(tmp_path, b"a")
    hired.enter(league("one", bot))
    hired.take("run of one", bot.version, parcel)
    (post.submissions / bot.version / "bot.sh").write_bytes(b"b")

    with pytest.raises(UserError, match=r"cannot be played: .* was changed"):
        hired.prepare("run of one")
    assert hired.enter(league("one", bot)) == (bot.version,)


def test_versions_that_no_league_needs_make_room(post, tmp_path, monkeypatch):
    monkeypatch.setattr(hired, "KEPT_BYTES", 5)
    bots = [version(tmp_path, letter * 3) for letter in (b"a", b"b", b"c")]
    for number, (bot, parcel) in enumerate(bots):
        hired.enter(league(f"league {number}", bot))
        hired.take(f"run of league {number}", bot.version, parcel)
        os.utime(post.submissions / bot.version, (number, number))
    (post.submissions.parent / "builds" / bots[0][0].version).mkdir(parents=True)
    all_needed = {path.name for path in post.submissions.iterdir()}

    monkeypatch.setattr(hired, "LIVE_S", 0.0)
    hired.enter(league("other"))

    assert all_needed == {bot.version for bot, _ in bots}
    assert {path.name for path in post.submissions.iterdir()} == {bots[2][0].version}
    assert list((post.submissions.parent / "builds").iterdir()) == []


def test_a_worker_that_was_not_hired_for_a_league_says_so(post):
    job = TableJob("key", "idiot", {}, (HOUSE, HOUSE), (), Clock(), "plain", "")

    with pytest.raises(Unhired):
        hired.play("run of one", os.fspath, job)


def test_a_worker_without_walls_says_what_is_missing(post):
    with pytest.raises(UserError, match="unknown sandbox 'moat'"):
        hired.enter(league("one", sandbox="moat"))


def begin(post: hired._Post, run: str, folder: Path) -> tuple[threading.Thread, list[BaseException]]:
    """Something endless in a hand, for a run."""
    ended: list[BaseException] = []

    def work() -> None:
        try:
            post.by_hand(run, wait_for_ever, str(folder / "there"))
        except WorkerLost as error:
            ended.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    until((folder / "there").exists, "its begin")
    return thread, ended


def ends_when_nobody_waits(post: hired._Post, wanted: threading.Event) -> None:
    wanted.clear()


def ends_when_its_league_comes_again(post: hired._Post, wanted: threading.Event) -> None:
    post.enter(Hiring("another run", "one", "plain", ()))


@pytest.mark.parametrize("end", [ends_when_nobody_waits, ends_when_its_league_comes_again])
def test_what_a_hand_does_ends_in_order(
    post, wanted, tmp_path, end: Callable[[hired._Post, threading.Event], None]
):
    post.enter(league("one"))
    thread, ended = begin(post, "run of one", tmp_path)

    end(post, wanted)
    thread.join(30)

    assert not thread.is_alive()
    assert isinstance(ended[0], WorkerLost)
    assert not (tmp_path / "there").exists(), "its finally clause ran"


def test_hands_that_have_nothing_to_do_are_let_go(post, monkeypatch):
    monkeypatch.setattr(hired, "IDLE_S", 0.05)
    post.enter(league("one"))

    first = post.by_hand("run of one", os.getpid)
    until(lambda: post._hands is None, "their end")
    second = post.by_hand("run of one", os.getpid)

    assert first not in (second, os.getpid())
