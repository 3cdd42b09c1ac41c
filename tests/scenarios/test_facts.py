"""What a task changed is what its checks ask for, wherever ids differ, and all that its frame allows."""

from __future__ import annotations

from typing import Any

from envscaler_mcp.artifacts import Check, Frame, StateDiff
from envscaler_mcp.grading.reward import frame_violations
from envscaler_mcp.scenarios.facts import checks_and_frame, frame_of
from envscaler_mcp.serving.state_diff import diff_of_states
from tests.scenarios.lending import lending

Plan = list[tuple[str, dict[str, Any]]]

LEND: Plan = [
    ("lend", {"reader_id": "READER-00001", "book_id": "BOOK-00002", "due_at": "2026-03-09T18:00"}),
    ("claim", {"loan_id": "LOAN-00005", "total": 300}),
]
CHANGES: Plan = [
    *LEND,
    ("take_back", {"loan_id": "LOAN-00001"}),
    ("move_book", {"book_id": "BOOK-00001", "shelf_id": "SHELF-00003"}),
    ("drop_claim", {"claim_id": "CLAIM-00001"}),
    ("fill_basket", {"reader_id": "READER-00004", "book_ids": ["BOOK-00004", "BOOK-00005"]}),
]


def end(plan: Plan, **counters: int) -> dict[str, Any]:
    """The state after these calls; other counters give new records other ids."""
    state = lending().state()
    state["counters"] |= counters
    world = type(lending().world()).open(lending().code, state, 7)
    for tool, arguments in plan:
        outcome = world.call(tool, arguments)
        assert outcome.kind == "done", outcome.text
    return world.state()


def made(plan: Plan) -> tuple[tuple[Check, ...], Frame]:
    return checks_and_frame(lending().model, diff_of_states(lending().start, end(plan)), lending().start)


def answers(checks: tuple[Check, ...], final: dict[str, Any]) -> list[bool]:
    found = []
    for check in checks:
        names: dict[str, Any] = {"initial_state": lending().start}
        exec(check.check_func, names)
        found.append(names["check_func"](final))
    return found


def test_every_check_is_false_at_the_start_and_true_at_the_end() -> None:
    checks, frame = made(CHANGES)
    assert len(checks) == 6
    assert answers(checks, lending().start) == [False] * 6
    assert answers(checks, end(CHANGES)) == [True] * 6
    assert frame_violations(diff_of_states(lending().start, end(CHANGES)), frame) == ()


def test_a_check_asks_for_one_fact_in_the_words_of_the_trade() -> None:
    checks, _ = made(CHANGES)
    assert [check.check_item for check in checks] == [
        "Has the shelf of book Emma become shelf B2?",
        "Has the status of loan LOAN-00001 become back?",
        "Has a basket been entered with reader reader Cy Dorn, books 2 entries?",
        "Has a claim been entered with loan a new loan, total $3, paid no?",
        "Has a loan been entered with reader reader Ann Ash, book book Emma, due at 9 March at 18:00, status out?",
        "Has claim CLAIM-00001 been removed?",
    ]
    for number, without in enumerate(CHANGES):
        if without[0] != "lend":
            left = end([call for place, call in enumerate(CHANGES) if place != number])
            assert answers(checks, left).count(False) == 1


def test_new_records_are_found_by_their_content_whatever_their_ids_are() -> None:
    checks, frame = made(LEND)
    other = [LEND[0], ("claim", {"loan_id": "LOAN-00078", "total": 300})]
    final = end(other, loan=77, claim=40, basket=3)
    assert answers(checks, final) == [True, True]
    assert frame_violations(diff_of_states(lending().start, final), frame) == ()


def test_a_reference_to_a_new_record_is_one_to_a_record_of_that_content() -> None:
    checks, _ = made(LEND)
    lend = LEND[0][1]
    twice: Plan = [
        ("lend", {**lend, "book_id": "BOOK-00005"}),
        ("lend", lend),
        ("claim", {"loan_id": "LOAN-00005", "total": 300}),
    ]
    # The claim is for the other new loan: only the loan itself is as it was asked for.
    assert answers(checks, end(twice)) == [False, True]
    twice[2] = ("claim", {"loan_id": "LOAN-00006", "total": 300})
    assert answers(checks, end(twice)) == [True, True]
    assert answers(checks, end([LEND[0], ("claim", {"loan_id": "LOAN-00001", "total": 300})])) == [False, True]


def test_equal_new_records_are_counted() -> None:
    claim = ("claim", {"loan_id": "LOAN-00001", "total": 300})
    checks, frame = made([claim, claim])
    assert [check.check_item for check in checks] == [
        "Has 2 such claims been entered with loan loan LOAN-00001, total $3, paid no?"
    ]
    assert [answers(checks, end([claim] * times)) for times in (1, 2, 3)] == [[False], [True], [False]]
    assert frame.created == {"claims": 2}


def test_a_list_is_the_same_in_another_order_and_not_with_another_record() -> None:
    def basket(*books: str) -> Plan:
        return [("fill_basket", {"reader_id": "READER-00004", "book_ids": list(books)})]

    checks, _ = made(basket("BOOK-00004", "BOOK-00005"))
    assert answers(checks, end(basket("BOOK-00005", "BOOK-00004"))) == [True]
    assert answers(checks, end(basket("BOOK-00005", "BOOK-00003"))) == [False]
    assert answers(checks, end(basket("BOOK-00005"))) == [False]


def test_the_frame_allows_what_was_changed_and_nothing_else() -> None:
    _, frame = made(CHANGES)
    assert frame == Frame(
        created={"baskets": 1, "claims": 1, "loans": 1},
        deleted={"claims": ("CLAIM-00001",)},
        changed={"books": {"BOOK-00001": ("shelf_id",)}, "loans": {"LOAN-00001": ("status",)}},
    )
    more: Plan = [*CHANGES, ("block", {"reader_id": "READER-00001"}), ("claim", {"loan_id": "LOAN-00001", "total": 1})]
    assert frame_violations(diff_of_states(lending().start, end(more)), frame) == (
        "claims.CLAIM-00002: created, one of 2, 1 allowed",
        "claims.CLAIM-00003: created, one of 2, 1 allowed",
        "readers.READER-00001.blocked: changed",
    )
    assert frame_of(StateDiff()) == Frame()
