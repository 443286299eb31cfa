import importlib.util
import random
import re
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from functools import partial
from hashlib import sha256
from pathlib import Path
from types import ModuleType

import pytest
from bot_peers import PYTHON, ROOT, Peer, bot_over, decide

from arena import deals
from arena.games import GAMES
from arena.games.base import Game, State
from arena.runtimes import Manifest, box, read_manifest, recipe, toolchain
from arena.sandbox import Limits, SandboxError, remedies
from arena.store import Store
from arena.submissions import News, submit
from arena.submissions.building import BuildFailed, build
from arena.submissions.tree import write
from protocol.client import Decision, Start, TimeLeft
from protocol.messages import Action, Bye, Decide
from protocol.messages import TimeLeft as Left

SAMPLES = ROOT / "sample_bots"
NAMES = sorted(path.parent.name for path in SAMPLES.glob("*/bot.toml"))
QUESTIONS = 60
"""Put to a sample in one match: enough to come past the first phases."""

Choose = Callable[[Decision], str]


def manifest(name: str) -> Manifest:
    return read_manifest(SAMPLES / name)


@contextmanager
def started(name: str) -> Iterator[Peer]:
    """A sample, built and started as the arena does it, but without walls."""
    described = manifest(name)
    with ready(name) as folder:
        shell = box(described, folder, walled=False, limits=Limits(cpu_s=60), socket=None, seat=0)
        with bot_over(described.transport, shell.argv, folder=folder, env=shell.env) as peer:
            yield peer


@contextmanager
def ready(name: str) -> Iterator[Path]:
    """The folder of a sample, from which it can be started on this machine; else the test is skipped."""
    described, folder = manifest(name), SAMPLES / name
    if (folder / "package.json").exists() and not (folder / "node_modules").exists():
        pytest.skip(f"its package from npm is not there; type: npm run vendor --prefix {folder}")
    with tempfile.TemporaryDirectory(prefix="sample-") as scratch:
        try:
            if described.language is not None:
                toolchain(described.language)
            if recipe(described):
                write(build(described, folder, sandbox="plain"), folder := Path(scratch, "built"))
        except SandboxError as missing:
            pytest.skip(str(missing))
        except BuildFailed as failed:
            if "zmq.h: No such file" in failed.log:
                pytest.skip(f"libzmq's header is not on this machine; {remedies.install('libzmq3-dev')}")
            raise
        yield folder


def program(name: str) -> ModuleType:
    """Program of a sample in Python, loaded into this very process."""
    spec = importlib.util.spec_from_file_location(f"sample_{name}", SAMPLES / name / "main.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def chooser(name: str) -> Choose:
    return program(name).choose


@pytest.fixture
def searcher(monkeypatch):
    """Makes the `choose` of the search bot, started for a game; with fewer playouts than it plays with."""
    monkeypatch.syspath_prepend(SAMPLES / "search")
    search = program("search").Search

    def start(game: str, *, players: int, playouts: int) -> Choose:
        bot = search()
        bot.start(Start(1, 0, 0, 5, game, asdict(GAMES[game].options()), players, 1))
        bot.playout = replace(bot.playout, count=playouts)
        return bot.choose

    return start


def new(game: Game, players: int) -> State:
    return game.new(game.options(), players, players - 1)


def questions(game: Game, state: State, seed: bytes, *, players: int) -> Iterator[int]:
    """Seats to ask until the match is over, dealing when it is time to."""
    number = 0
    while not state.over():
        seat = state.to_act()
        if seat is not None:
            yield seat
            continue
        state.deal(deals.deck(seed, number, game.deck(game.options(), players)))
        number += 1


def points(name: str, bots: Sequence[Choose], board: int) -> tuple[float, ...]:
    """Play one match in this process: by side, 1 for the first place, 0 for the last."""
    game = GAMES[name]
    state = new(game, len(bots))
    for seat in questions(game, state, sha256(b"%d" % board).digest(), players=len(bots)):
        view, legal = state.view(seat), state.legal()
        state.play(bots[seat](Decision(1, 1, seat, seat, view, [], legal, TimeLeft(1000, 10000))))
    places = state.places()
    return tuple((len(places) - place) / (len(places) - 1) for place in places)


def share(name: str, bot: Choose, others: Choose, *, players: int, matches: int) -> float:
    """Mean points of one bot among others of one kind, its side going round."""
    total, sides = 0.0, GAMES[name].sides(players)
    for number in range(matches):
        random.seed(number)
        board, side = divmod(number, len(sides))
        bots = [bot if seat in sides[side] else others for seat in range(players)]
        total += points(name, bots, board)[side]
    return total / matches


@pytest.mark.parametrize(
    ("game", "players", "least"),
    [
        ("idiot", 2, 0.95),
        ("idiot", 4, 0.85),
        ("imp", 2, 0.85),
        ("imp", 4, 0.7),
        ("imperial", 2, 0.8),
        ("imperial", 3, 0.75),
        ("mpirimpa", 2, 0.85),
        ("mpirimpa", 4, 0.95),
    ],
)
def test_rules_of_thumb_beat_chance_by_far(game, players, least):
    found = share(game, chooser(f"{game}_thumb"), chooser("random"), players=players, matches=100)

    assert found > least


@pytest.mark.parametrize(
    ("game", "matches", "playouts"),
    [("idiot", 4, 10), ("imp", 4, 10), ("imperial", 6, 50), ("mpirimpa", 2, 10)],
)
def test_search_beats_chance_by_far(game, matches, playouts, searcher):
    search = searcher(game, players=2, playouts=playouts)

    assert share(game, search, chooser("random"), players=2, matches=matches) > 0.7


def moments(game: Game, *, players: int) -> dict[tuple[str, bool], Decision]:
    """A question from each phase, with one action and with several, of matches played by chance."""
    chance = random.Random(1)
    found: dict[tuple[str, bool], Decision] = {}
    for match in range(40):
        state = new(game, players)
        for seat in questions(game, state, sha256(b"%d" % match).digest(), players=players):
            side = next(side for side, seats in enumerate(game.sides(players)) if seat in seats)
            view, legal = state.view(seat), state.legal()
            question = Decision(1, 1, seat, side, view, [], legal, TimeLeft(1000, 10000))
            found.setdefault((view.get("phase", "play"), len(legal) > 1), question)
            state.play(chance.choice(legal))
    return found


@pytest.mark.parametrize(
    ("game", "players", "phases"),
    [
        ("idiot", 3, {"swap", "turn"}),
        ("imp", 3, {"setup", "quad", "turn"}),
        ("imperial", 3, {"play"}),
        ("mpirimpa", 4, {"draw", "justify", "meld"}),
    ],
)
def test_search_answers_in_every_phase_and_the_same_for_the_same_seed(game, players, phases, searcher):
    asked = moments(GAMES[game], players=players)

    once, again = (
        [choose(question) for question in asked.values()]
        for choose in [searcher(game, players=players, playouts=40) for _ in range(2)]
    )

    assert {phase for phase, _ in asked} == phases
    assert all(action in question.legal for action, question in zip(once, asked.values(), strict=True))
    assert again == once


def test_search_answers_at_once_when_the_clock_is_low(searcher):
    asked = moments(GAMES["idiot"], players=2)["swap", True]
    choose = searcher("idiot", players=2, playouts=10**9)

    assert choose(replace(asked, clock=TimeLeft(10, 0))) in asked.legal


def test_chance_sheds_cards_while_it_can():
    choose = chooser("random")
    ask = partial(Decision, 1, 1, 0, 0, {}, [])

    assert choose(ask(["play 3c", "pickup"], TimeLeft(1000, 0))) == "play 3c"
    assert choose(ask(["quad 9", "pass"], TimeLeft(1000, 0))) == "quad 9"
    assert choose(ask(["pickup"], TimeLeft(1000, 0))) == "pickup"


@pytest.mark.process
@pytest.mark.parametrize(
    ("name", "game"), [(name, game) for name in NAMES for game in manifest(name).games or GAMES]
)
def test_a_sample_plays_a_match_over_the_wire(name, game):
    rules, seed = GAMES[game], sha256(b"wire").digest()
    players = rules.players[0]
    state = new(rules, players)

    with started(name) as peer:
        peer.welcome(game=game, players=players)
        turn = 0
        for seat in questions(rules, state, seed, players=players):
            if seat != 0:
                state.play(state.fallback())
                continue
            turn += 1
            question = Decide(1, turn, state.view(0), (), tuple(state.legal()), Left(1000, 10000))
            answer = peer.ask(question)
            assert (answer.match, answer.turn) == (1, turn)
            state.play(answer.action)
            if turn == QUESTIONS:
                break
        peer.say(Bye("the test is over"))

        assert (peer.exit_code(), peer.written()) == (0, "")


@pytest.mark.process
@pytest.mark.parametrize("name", ["node", "awk"])
@pytest.mark.parametrize(
    ("game", "legal", "expected"),
    [
        ("idiot", ["play 3c", "play 3c 3d", "play 2c", "pickup"], "play 3c 3d"),
        ("idiot", ["play 2c", "play Kd", "play Td", "pickup"], "play Kd"),
        ("imp", ["play 2c", "play 7d"], "play 7d"),
        ("imp", ["quad 3", "quad 5", "pass"], "quad 3"),
        ("imp", ["open 2c 3c 4c", "open 2c 3c 5c"], "open 2c 3c 4c"),
        ("imp", ["flip 1", "flip 2"], "flip 1"),
        ("imp", ["pickup"], "pickup"),
    ],
)
def test_samples_without_the_sdk_give_away_the_least_useful_cards(name, game, legal, expected):
    with started(name) as peer:
        peer.welcome(game=game)

        assert peer.ask(decide(*legal, match=12, turn=345)) == Action(12, 345, expected)


@pytest.mark.process
@pytest.mark.parametrize("name", ["node", "awk", "node_zmq", "c_zmq"])
def test_samples_without_the_sdk_end_with_their_connection(name):
    with started(name) as peer:
        peer.welcome()
        peer.hang_up()

        assert peer.exit_code() == 0


@pytest.mark.process
@pytest.mark.box
@pytest.mark.parametrize("name", ["node_zmq", "c_zmq"])
def test_a_sample_that_speaks_zeromq_itself_is_entered(tmp_path, name):
    with ready(name), Store.open(tmp_path / "work") as store:
        submitted = submit(store, SAMPLES / name)

    assert (submitted.news, submitted.unbuilt) == (News.ENTERED, None)
    assert [(trial.game, trial.fault) for trial in submitted.trials] == [("idiot", None), ("imp", None)]


def listings() -> list[str]:
    return re.findall(r"```python\n(.*?)```", (SAMPLES / "README.md").read_text("utf-8"), re.DOTALL)


@pytest.mark.process
@pytest.mark.parametrize("listing", listings(), ids=["function", "object"])
def test_the_first_bots_of_the_readme_work(listing, tmp_path):
    (tmp_path / "first.py").write_text(listing, "utf-8")

    with bot_over("zmq", [*PYTHON, "first.py"], folder=tmp_path) as peer:
        peer.welcome()
        answer = peer.ask(decide("pickup", view={"hand": ["3c"]}))
        peer.say(Bye(""))

        assert answer.action == "pickup"
        assert peer.exit_code() == 0


def test_the_first_bot_has_ten_lines():
    assert len(listings()[0].splitlines()) == 10


def test_the_readme_tells_of_every_sample():
    told = re.findall(r"^\| `(\w+)` \|", (SAMPLES / "README.md").read_text("utf-8"), re.MULTILINE)

    assert sorted(told) == NAMES
    assert [manifest(name).name for name in NAMES] == NAMES
