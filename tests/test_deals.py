"""Seeds to decks: uniform, unpredictable, and the same bytes for everybody."""

import json
import re
import shlex
import shutil
import subprocess
from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict
from hashlib import sha256
from itertools import permutations
from pathlib import Path

import pytest

from arena import deals
from arena.games import GAMES
from arena.games.base import parse_options

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "deals.md").read_text("utf-8")

SECRET = bytes(range(32))
BOARD = {"game": "idiot", "options": {"rounds": 1}, "versions": ["b", "a"], "number": 7}


def test_the_test_vector_of_the_page_is_what_the_code_deals():
    vector = json.loads(re.search(r"```json\n(.*?)```", PAGE, re.DOTALL)[1])
    secret = bytes.fromhex(vector["secret"])
    board = {key: vector[key] for key in ("game", "options", "versions", "number")}

    seed = deals.board_seed(secret, **board)

    assert deals.commitment(secret) == vector["commitment"]
    assert seed.hex() == vector["board_seed"]
    assert [deals.deck(seed, k, range(52)) for k in (0, 1)] == [vector["deck_0"], vector["deck_1"]]
    assert [deals.bot_seed(seed, seat) for seat in (0, 1)] == vector["bot_seeds"]


def test_the_program_of_the_page_deals_the_same_cards():
    program = re.search(r"```python\n(.*?)```", PAGE, re.DOTALL)[1]
    by_the_page: dict = {}
    exec(compile(program, "docs/deals.md", "exec"), by_the_page)
    seed = deals.board_seed(SECRET, **BOARD)

    assert by_the_page["league_secret"]("demo", 1) == deals.league_secret("demo", 1)
    assert by_the_page["board_seed"](SECRET, "idiot", '{"rounds":1}', ["b", "a"], 7) == seed
    for k in range(40):
        assert by_the_page["deck"](seed, k, 106) == deals.deck(seed, k, range(106))


def in_javascript(questions: Iterable[str]) -> str:
    """What `docs/deals.js` answers, a line each."""
    if shutil.which("node") is None:
        pytest.skip("node is not installed here")
    asked = "\n".join(questions)
    return subprocess.run(
        ["node", ROOT / "docs" / "deals.js"], input=asked, capture_output=True, text=True, check=True
    ).stdout


@pytest.mark.process
def test_the_program_in_another_language_deals_the_same_cards():
    boards = [
        (game, asdict(parse_options(game.options, unusual)), players, number)
        for game, unusual in (
            (GAMES["idiot"], {"rounds": 3, "seven_low": True}),
            (GAMES["imp"], {}),
            (GAMES["imperial"], {}),
            (GAMES["mpirimpa"], {}),
        )
        for players in game.players
        for number in (1, 999_999)
    ]
    questions, dealt = [], []
    for game, options, players, number in boards:
        cards = len(game.deck(parse_options(game.options, options), players))
        board = {"game": game.name, "versions": ["b" * 64, "house-1", "a" * 64], "number": number}
        seed = deals.board_seed(SECRET, options=options, **board)
        written = json.dumps(options, sort_keys=True, separators=(",", ":"))
        for k in (0, 1, 300):
            asked = {**board, "secret": SECRET.hex(), "options": written, "deck": k, "cards": cards}
            questions.append(json.dumps(asked))
            dealt.append(deals.deck(seed, k, range(cards)))

    answers = in_javascript(questions).splitlines()

    assert [json.loads(answer) for answer in answers] == dealt


@pytest.mark.process
def test_the_line_of_the_page_deals_what_stands_below_it():
    command, cards = re.search(r"^\$ (echo .*deals\.js)\n(.*)$", PAGE, re.MULTILINE).groups()

    assert in_javascript([shlex.split(command)[1]]).strip() == cards


def test_secrets_of_a_seed_differ_from_growth_to_growth():
    secrets = [deals.league_secret(seed, growth) for seed in ("1", "11", "") for growth in range(20)]

    assert len(set(secrets)) == len(secrets)


def test_the_order_of_the_versions_does_not_matter():
    turned = {**BOARD, "versions": ["a", "b"]}

    assert deals.board_seed(SECRET, **turned) == deals.board_seed(SECRET, **BOARD)


def test_the_order_of_the_options_does_not_matter():
    one, other = ({**BOARD, "options": dict(pairs)} for pairs in permutations([("a", 1), ("b", True)]))

    assert deals.board_seed(SECRET, **one) == deals.board_seed(SECRET, **other)


@pytest.mark.parametrize(
    "change",
    [
        {"game": "imp"},
        {"options": {"rounds": 2}},
        {"options": {"rounds": True}},
        {"options": {}},
        {"versions": ["ab"]},
        {"versions": ["a", "b", "b"]},
        {"versions": ["a", "b", ""]},
        {"number": 8},
    ],
)
def test_every_part_of_a_board_changes_its_seed(change):
    assert deals.board_seed(SECRET, **{**BOARD, **change}) != deals.board_seed(SECRET, **BOARD)


def test_the_secret_changes_the_seed():
    assert deals.board_seed(bytes(32), **BOARD) != deals.board_seed(SECRET, **BOARD)


def test_a_deck_holds_the_cards_it_was_given_and_leaves_them_alone():
    cards = [3, 1, 2, 2]

    assert sorted(deals.deck(SECRET, 0, cards)) == [1, 2, 2, 3]
    assert cards == [3, 1, 2, 2]
    assert deals.deck(SECRET, 0, []) == []


def test_decks_of_a_board_differ():
    assert len({tuple(deals.deck(SECRET, k, range(52))) for k in range(100)}) == 100


def test_every_order_comes_equally_often():
    """Chi-squared over 24 orders: with 23 degrees of freedom it stays below 49.7 in 999 of 1,000 worlds."""
    drawn = 12_000
    seen = Counter(tuple(deals.deck(SECRET, k, range(4))) for k in range(drawn))

    expected = drawn / 24
    assert sum((seen[order] - expected) ** 2 / expected for order in permutations(range(4))) < 49.7


def test_a_word_that_would_favour_low_cards_is_drawn_again():
    """With a bound of 3 the word 2**32 - 1 is left over: it is above the last whole multiple."""
    assert deals._below(3, iter([2**32 - 1, 5])) == 2


def test_bot_seeds_have_64_bits_and_differ_by_seat():
    seeds = [deals.bot_seed(SECRET, seat) for seat in range(5)]

    assert len(set(seeds)) == 5
    assert all(0 <= seed < 2**64 for seed in seeds)


def test_the_commitment_is_the_hash_of_the_secret():
    assert deals.commitment(SECRET) == sha256(SECRET).hexdigest()
