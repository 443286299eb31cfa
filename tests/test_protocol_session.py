import pytest

from protocol.codec import encode, encode_together
from protocol.messages import VERSION, Action, FaultKind, Hello
from protocol.session import NEXT, Phase, Session, Step, Violation

ALLOWED = "allowed is one JSON object of type hello or action with its known fields"
HELLO = encode(Hello(1, "test"))


def greeted() -> Session:
    session = Session()
    session.hello(HELLO)
    return session


def asked(match: int = 1, turn: int = 1) -> Session:
    session = greeted()
    session.asked(match, turn)
    return session


def standing(session: Session) -> tuple[Phase, int, int]:
    return session.phase, session.match, session.turn


def refused(session: Session, data: bytes, *, before_question: bool = False) -> tuple[FaultKind, str]:
    """What the session says to an answer, having made sure that it has not moved."""
    before = standing(session)
    with pytest.raises(Violation) as violation:
        session.answer(data, before_question=before_question)
    assert standing(session) == before
    return violation.value.kind, violation.value.detail


def test_a_whole_conversation():
    session = Session()

    assert session.hello(HELLO) == Hello(1, "test")
    for match, turn in ((1, 1), (1, 2), (2, 1)):
        session.asked(match, turn)
        given = Action(match, turn, "pickup")
        assert session.answer(encode(given), before_question=False) == given
    assert standing(session) == (Phase.IDLE, 2, 1)


@pytest.mark.parametrize(
    ("data", "detail"),
    [
        (encode(Action(1, 1, "pickup")), "found an action, only a hello is allowed first"),
        (encode(Hello(2, "later")), "protocol 2, only 1 is spoken here"),
        (b" " * 65_537, "bad hello: 65537 bytes, at most 65536 allowed"),
        (
            b"\x1bHTTP/1.1",
            f"bad hello: found \\x1bHTTP/1.1 (JSON is malformed: invalid character (byte 0)); {ALLOWED}",
        ),
    ],
)
def test_anything_but_a_hello_at_the_start_is_a_bad_start(data, detail):
    session = Session()

    with pytest.raises(Violation) as violation:
        session.hello(data)

    assert (violation.value.kind, violation.value.detail) == (FaultKind.START, detail)
    assert standing(session) == (Phase.GREETING, 0, 0)


def test_bad_form_is_malformed():
    assert refused(asked(), b"{}") == (
        FaultKind.MALFORMED,
        f"found {{}} (Object missing required field `type`); {ALLOWED}",
    )


def test_bad_form_is_malformed_even_out_of_turn():
    kind, _ = refused(greeted(), b"{}", before_question=True)

    assert kind is FaultKind.MALFORMED


def test_an_answer_that_nobody_asked_for_is_out_of_turn():
    assert refused(greeted(), encode(Action(1, 1, "pickup"))) == (
        FaultKind.OUT_OF_TURN,
        "found an answer to match 1 turn 1, but no question is open",
    )


def test_a_second_answer_is_out_of_turn():
    session = asked()
    session.answer(encode(Action(1, 1, "pickup")), before_question=False)

    assert refused(session, encode(Action(1, 1, "pickup"))) == (
        FaultKind.OUT_OF_TURN,
        "found an answer to match 1 turn 1, but no question is open",
    )


def test_an_early_answer_is_out_of_turn_even_with_the_right_numbers():
    assert refused(asked(1, 5), encode(Action(1, 5, "pickup")), before_question=True) == (
        FaultKind.OUT_OF_TURN,
        "found an answer to match 1 turn 5 before the bot was asked match 1 turn 5",
    )


@pytest.mark.parametrize(("match", "turn"), [(2, 4), (2, 6), (1, 5), (3, 5)])
def test_a_stale_or_foreign_answer_is_out_of_turn(match, turn):
    assert refused(asked(2, 5), encode(Action(match, turn, "pickup"))) == (
        FaultKind.OUT_OF_TURN,
        f"found an answer to match {match} turn {turn}, allowed is match 2 turn 5",
    )


def test_a_second_hello_is_out_of_turn():
    for session in (greeted(), asked()):
        assert refused(session, HELLO) == (FaultKind.OUT_OF_TURN, "found a second hello, allowed is one")


def test_after_a_violation_the_right_answer_is_still_known():
    session = asked(1, 2)
    refused(session, encode(Action(1, 1, "pickup")))

    assert session.answer(encode(Action(1, 2, "pickup")), before_question=False) == Action(1, 2, "pickup")


@pytest.mark.parametrize(
    "step",
    [
        lambda: Session().asked(1, 1),
        lambda: asked().asked(1, 2),
        lambda: greeted().hello(HELLO),
    ],
    ids=["a question before hello", "a second question", "hello read twice"],
)
def test_our_own_disorder_is_a_bug(step):
    with pytest.raises(AssertionError, match="has no place in"):
        step()


def test_every_step_has_exactly_one_phase():
    assert sorted(step.name for _, step in NEXT) == sorted(step.name for step in Step)


def asked_two() -> Session:
    session = Session()
    session.hello(encode(Hello(VERSION, "bot", 2)))
    session.asked_together([(1, 4), (2, 7)])
    return session


def several(*answers: tuple[int, int]) -> bytes:
    return encode_together([encode(Action(match, turn, f"{match}")) for match, turn in answers])


def test_several_answers_may_come_in_any_order():
    found = asked_two().answers(several((2, 7), (1, 4)), before_question=False)

    assert [answer.action for answer in found] == ["1", "2"]


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (several((1, 4)), FaultKind.OUT_OF_TURN),
        (several((1, 4), (1, 4)), FaultKind.OUT_OF_TURN),
        (several((1, 4), (2, 7), (2, 7)), FaultKind.OUT_OF_TURN),
        (several((1, 4), (2, 8)), FaultKind.OUT_OF_TURN),
        (several(), FaultKind.OUT_OF_TURN),
        (encode(Action(1, 4, "1")), FaultKind.MALFORMED),
        (b"[" + encode(Hello(VERSION, "bot")) + b"]", FaultKind.MALFORMED),
        (b"[null]", FaultKind.MALFORMED),
        (b"[" * 10_000, FaultKind.MALFORMED),
    ],
)
def test_anything_but_one_answer_to_each_question_is_a_violation(data, kind):
    with pytest.raises(Violation) as violation:
        asked_two().answers(data, before_question=False)

    assert violation.value.kind is kind


def test_an_empty_array_is_told_as_no_answer():
    with pytest.raises(Violation) as violation:
        asked_two().answers(several(), before_question=False)

    assert violation.value.detail == "found no answer; allowed is one each to match 1 turn 4, match 2 turn 7"


def test_answers_before_the_questions_are_out_of_turn():
    with pytest.raises(Violation, match="before the bot was asked"):
        asked_two().answers(several((1, 4), (2, 7)), before_question=True)
