"""Recorded tables, and the SDK's rehearsal with them."""

import json
from random import Random

import pytest

from arena.games import GAMES
from arena.starters.recording import files
from protocol.rehearsal import Mistake, games, messages, rehearse


def test_the_recorded_tables_are_what_the_arena_says_now():
    for path, text in files().items():
        assert path.read_text("utf-8") == text, "type: python -m arena.starters.recording"


def test_there_is_a_table_of_every_game():
    assert games() == sorted(GAMES)


@pytest.mark.parametrize("game", GAMES)
def test_a_bot_is_asked_every_question_in_its_order(game):
    class Bot:
        def start(self, start):
            self.heard = [start.game]

        def choose(self, decision):
            self.heard.append(decision.turn)
            return Random(decision.turn).choice(decision.legal), "a note"

        def end(self, end):
            self.heard.append(end.places)

    bot = Bot()
    actions = rehearse(bot, game)

    asked = [message for message in messages(game) if message["type"] == "decide"]
    assert bot.heard[:-1] == [game, *(message["turn"] for message in asked)]
    assert bot.heard[-1] == next(each["places"] for each in messages(game) if each["type"] == "end")
    assert all(action in message["legal"] for action, message in zip(actions, asked, strict=True))


def test_the_recorded_answers_belong_to_the_questions():
    for path, text in files().items():
        if path.name.endswith(".answers.jsonl"):
            said = [json.loads(line) for line in text.splitlines()]
            asked = [each for each in messages(path.name.split(".")[0]) if each["type"] == "decide"]
            assert [each["turn"] for each in said[1:]] == [each["turn"] for each in asked]
            assert all(
                each["action"] in question["legal"] for each, question in zip(said[1:], asked, strict=True)
            )


def test_an_answer_that_is_not_legal_is_told_with_its_question():
    with pytest.raises(Mistake, match="question 3 of match 1: found 'fold', allowed are "):
        rehearse(lambda decision: "fold" if decision.turn == 3 else decision.legal[0], "idiot")


def test_a_game_of_which_nothing_was_recorded_is_told():
    with pytest.raises(ValueError, match="no table of 'chess' was recorded; there are idiot, imp"):
        rehearse(lambda decision: decision.legal[0], "chess")
