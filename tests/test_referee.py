"""The referee against plain functions in place of bots."""

from collections.abc import Callable, Mapping

from hypothesis import given
from hypothesis import strategies as st

from arena.games.base import Game, average_ranks
from arena.model import Answer, Clock, Decision, FaultKind, FaultRecord, Outcome, Question, SeatFault
from arena.referee import Happening, Played, bank_after, places, play
from tests.toy import PARTNERS, STICKS, Options

CLOCK = Clock(move_ms=100, bank_ms=1_000)
CRASHED = SeatFault(FaultKind.CRASH, "exit code 3")

Reply = Callable[[Question], Answer | SeatFault]


def first(question: Question) -> Answer:
    return Answer(question.legal[0], wall_ms=1)


def crash(_question: Question) -> SeatFault:
    return CRASHED


def says(action: str, wall_ms: float = 1, note: str | None = None) -> Reply:
    return lambda _question: Answer(action, wall_ms=wall_ms, note=note)


def after(turns: int, then: Reply) -> Reply:
    return lambda question: then(question) if question.turn > turns else first(question)


def referee(  # noqa: PLR0913 - a match has this many parts
    replies: list[Reply],
    *,
    game: Game = STICKS,
    sticks: int = 6,
    deals: int = 1,
    clock: Clock = CLOCK,
    faulted: Mapping[int, SeatFault] | None = None,
    watch: Callable[[Happening], None] = lambda _happening: None,
) -> tuple[Played, list[Question]]:
    players = len(replies)
    state = game.new(Options(sticks, deals), players, players - 1)
    match = play(game, state, players=players, deck=lambda k: [k], clock=clock, faulted=faulted, watch=watch)
    asked = []
    try:
        question = next(match)
        while True:
            asked.append(question)
            question = match.send(replies[question.seat](question))
    except StopIteration as ended:
        return ended.value, asked


def test_a_match_without_faults_ends_with_the_places_of_the_game() -> None:
    played, _ = referee([first, first], sticks=3)

    assert played == Played(
        outcome=Outcome(places=(2.0, 1.0), scores=(-1.0, 0.0), decisions=3),
        decisions=(Decision(0, "take 1"), Decision(1, "take 1"), Decision(0, "take 1")),
        found=(),
        events=(("0 take 1",), ("1 take 1", "0 take 1")),
    )


def test_a_question_holds_view_events_since_the_last_one_and_the_legal_list() -> None:
    _, asked = referee([first, first], sticks=3)

    assert asked == [
        Question(0, 1, {"seat": 0, "sticks": 3}, ("deal 1",), ("take 1", "take 2"), 1_100.0, 1_000.0),
        Question(
            1, 1, {"seat": 1, "sticks": 2}, ("deal 1", "0 take 1"), ("take 1", "take 2"), 1_100.0, 1_000.0
        ),
        Question(0, 2, {"seat": 0, "sticks": 1}, ("0 take 1", "1 take 1"), ("take 1",), 1_100.0, 1_000.0),
    ]


def test_turns_count_the_questions_put_to_each_seat_through_all_deals_of_a_match() -> None:
    _, asked = referee([first, first, first], sticks=3, deals=2)

    assert [(question.seat, question.turn) for question in asked] == [
        *[(0, 1), (1, 1), (2, 1)],
        *[(1, 2), (2, 2), (0, 2)],
    ]


def test_the_decks_are_brought_in_order_from_zero() -> None:
    drawn = []
    state = STICKS.new(Options(sticks=2, deals=3), 2, 1)
    match = play(STICKS, state, players=2, deck=lambda k: drawn.append(k) or [], clock=CLOCK)

    next(match)
    match.send(Answer("take 2", wall_ms=1))
    match.send(Answer("take 2", wall_ms=1))

    assert drawn == [0, 1, 2]


def test_an_action_that_is_taken_though_not_listed_is_played() -> None:
    played, _ = referee([says("take 3", note="all of them"), first], sticks=3)

    assert played.decisions == (Decision(0, "take 3", "all of them"),)


def test_a_fault_between_two_ends_the_match_at_once() -> None:
    played, asked = referee([after(1, crash), first])

    assert played.outcome == Outcome(
        places=(2.0, 1.0), scores=None, decisions=2, faults=(FaultRecord(0, FaultKind.CRASH, 2),)
    )
    assert tuple(fault.detail for fault in played.found) == ("exit code 3",)
    assert len(asked) == 3


def test_the_fallback_plays_on_for_a_faulted_seat_and_the_others_rank_among_themselves() -> None:
    played, asked = referee([crash, first, says("take 2")], sticks=6)

    assert played.outcome == Outcome(
        places=(3.0, 2.0, 1.0),
        scores=(0.0, -1.0, 0.0),
        decisions=5,
        faults=(FaultRecord(0, FaultKind.CRASH, 0),),
    )
    assert played.decisions[0] == Decision(0, "take 1")
    assert [question.seat for question in asked] == [0, 1, 2, 1]


def test_forfeiting_sides_share_the_last_places() -> None:
    played, _ = referee([first, crash, crash])

    assert played.outcome.places == (1.0, 2.5, 2.5)
    assert [fault.seat for fault in played.outcome.faults] == [1, 2]


def test_a_side_answers_for_its_seats_and_only_the_offender_is_charged() -> None:
    played, asked = referee([first, first, crash, first], game=PARTNERS)

    assert played.outcome == Outcome(
        places=(2.0, 1.0), scores=None, decisions=2, faults=(FaultRecord(2, FaultKind.CRASH, 2),)
    )
    assert [question.seat for question in asked] == [0, 1, 2]


def test_a_seat_that_failed_before_the_match_is_never_asked() -> None:
    started = SeatFault(FaultKind.START, "no hello within 10000 ms")

    played, asked = referee([first, first, first], faulted={1: started})

    assert {question.seat for question in asked} == {0, 2}
    assert played.outcome.faults == (FaultRecord(1, FaultKind.START, 0),)
    assert tuple(fault.detail for fault in played.found) == ("no hello within 10000 ms",)


def test_when_all_failed_before_the_match_all_share() -> None:
    played, asked = referee([first, first], faulted={0: CRASHED, 1: CRASHED})

    assert not asked
    assert played.outcome == Outcome(
        places=(1.5, 1.5),
        scores=None,
        decisions=0,
        faults=(FaultRecord(0, FaultKind.CRASH, 0), FaultRecord(1, FaultKind.CRASH, 0)),
    )


def test_an_illegal_action_is_a_fault_that_says_what_was_allowed() -> None:
    played, _ = referee([says("take 9\x1b[2J"), first])

    assert played.outcome.faults == (FaultRecord(0, FaultKind.ILLEGAL, 0),)
    assert tuple(fault.detail for fault in played.found) == (
        r"found action 'take 9\x1b[2J', allowed are take 1, take 2",
    )
    assert played.decisions == ()


def test_an_answer_at_the_limit_is_in_time_and_one_above_it_is_not() -> None:
    at_limit, _ = referee([says("take 3", wall_ms=1_100), first], sticks=3)
    above, _ = referee([says("take 3", wall_ms=1_100.5), first], sticks=3)

    assert at_limit.outcome.faults == ()
    assert above.outcome.faults == (FaultRecord(0, FaultKind.TIMEOUT, 0),)


def test_the_bank_pays_for_what_a_decision_uses_above_its_own_time() -> None:
    _, asked = referee([says("take 1", wall_ms=350), says("take 1", wall_ms=100)])

    assert [(q.seat, q.bank_ms, q.limit_ms) for q in asked] == [
        (0, 1_000.0, 1_100.0),
        (1, 1_000.0, 1_100.0),
        (0, 750.0, 850.0),
        (1, 1_000.0, 1_100.0),
        (0, 500.0, 600.0),
        (1, 1_000.0, 1_100.0),
    ]


@given(
    clock=st.builds(Clock, move_ms=st.integers(0, 2_000), bank_ms=st.integers(0, 5_000)),
    walls=st.lists(st.integers(0, 4_000), min_size=1, max_size=30),
)
def test_a_seat_is_late_exactly_when_its_excess_time_is_more_than_its_bank(
    clock: Clock, walls: list[int]
) -> None:
    times = iter(walls)

    def thinks(_question: Question) -> Answer:
        return Answer("take 1", wall_ms=next(times))

    played, asked = referee([thinks, says("take 1", wall_ms=0)], sticks=2 * len(walls), clock=clock)

    excess = [max(0, wall - clock.move_ms) for wall in walls]
    in_time = next((n for n in range(len(walls)) if sum(excess[: n + 1]) > clock.bank_ms), len(walls))
    assert bool(played.outcome.faults) == (in_time < len(walls))
    assert sum(decision.seat == 0 for decision in played.decisions) == in_time
    assert all(q.limit_ms == clock.move_ms + q.bank_ms and q.bank_ms >= 0 for q in asked)


@given(move=st.floats(0, 1e6), bank=st.floats(0, 1e6), wall=st.floats(0, 2e6))
def test_a_bank_never_grows_and_is_never_overdrawn_by_an_answer_in_time(
    move: float, bank: float, wall: float
) -> None:
    left = bank_after(bank, wall_ms=wall, move_ms=move)

    assert left <= bank
    assert left == bank or wall > move
    assert wall > move + bank or left >= -1e-9


@given(values=st.lists(st.integers(0, 3), min_size=1, max_size=6))
def test_ranks_are_shared_fairly(values: list[int]) -> None:
    found = average_ranks(values)

    assert sum(found) == len(values) * (len(values) + 1) / 2
    assert all((a < b) == (x < y) for a, x in zip(values, found) for b, y in zip(values, found))  # noqa: B905


@given(
    values=st.lists(st.integers(0, 3), min_size=2, max_size=6),
    chosen=st.sets(st.integers(0, 5)),
)
def test_whoever_forfeits_is_behind_whoever_does_not(values: list[int], chosen: set[int]) -> None:
    forfeited = frozenset(side for side in chosen if side < len(values))

    found = places(average_ranks(values), forfeited)

    stayed = [side for side in range(len(values)) if side not in forfeited]
    assert len({found[side] for side in forfeited}) <= 1
    assert all(found[a] < found[b] for a in stayed for b in forfeited)
    assert average_ranks([values[side] for side in stayed]) == tuple(found[side] for side in stayed)
    assert sum(found) == len(values) * (len(values) + 1) / 2


def test_whoever_watches_hears_of_every_deal_action_and_fault_as_it_happens() -> None:
    heard = []

    def watch(happening: Happening) -> None:
        heard.append((happening.seat, happening.fault or happening.decision, happening.events))

    played, _ = referee([says("take 2", note="why"), crash, first], sticks=4, watch=watch)

    assert heard == [
        (None, None, ("deal 1",)),
        (0, Decision(0, "take 2", "why"), ("0 take 2",)),
        (1, CRASHED, ()),
        (1, Decision(1, "take 1"), ("1 take 1",)),
        (2, Decision(2, "take 1"), ("2 take 1",)),
    ]
    assert played.decisions == tuple(each for _, each, _ in heard if isinstance(each, Decision))
