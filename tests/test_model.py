"""What is said of names that nothing has."""

from arena.model import no_such


def test_a_name_that_nothing_has_is_told_with_those_that_are_there() -> None:
    assert no_such("bot", "bob", ["ann", "bea"], of="for idiot") == (
        "no bot 'bob'; the bots for idiot are: ann, bea"
    )


def test_where_nothing_is_there_that_is_said() -> None:
    assert no_such("league", "friday", []) == "no league 'friday'; the leagues are: none yet"


def test_names_are_made_harmless_and_cut() -> None:
    said = no_such("bot", "\x1b[31m\udcff" + "x" * 5_000, ["a\u202eb"])

    assert said.startswith(r"no bot '\x1b[31m\udcffxxx")
    assert said.endswith(r"...'; the bots are: a\u202eb")
    assert len(said) < 150


def test_the_name_that_was_probably_meant_comes_first() -> None:
    assert no_such("bot", "an", ["Bea", "Ann"]) == "no bot 'an'; did you mean 'Ann'? the bots are: Bea, Ann"
    assert no_such("league", "fridy", ["friday"]).startswith("no league 'fridy'; did you mean 'friday'?")
    assert "did you mean" not in no_such("bot", "bob", ["ann", "eve"])


def test_of_many_names_some_are_listed() -> None:
    said = no_such("bot", "x", [f"bot-{number}" for number in range(1_000)])

    assert said.endswith(", bot-39 and 960 more")
