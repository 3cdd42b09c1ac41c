"""A tester who never sees the code picks calls, they are made in the sandbox, and a judge who sees everything judges them."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from envscaler_mcp.llm import ChatRequest, UnusableError
from envscaler_mcp.quality.agents import methods_source, shortened, try_with_agents
from envscaler_mcp.quality.report import Judged
from envscaler_mcp.sandbox.isolation import open_isolated
from tests.homes import written
from tests.llm.asking import Actor, Part
from tests.scenarios.written_classes import LENDING, lending_state, start_state

CALLS: list[tuple[str, str, dict[str, Any]]] = [
    ("list_books", "positive", {}),
    ("list_books", "negative", {"status": 5}),
    ("get_book", "positive", {"book_id": "BK-04"}),
    ("get_book", "negative", {"book_id": "BK-99"}),
    ("find_reader", "positive", {"name": "ada cole"}),
    ("get_reader", "positive", {"reader_id": "RD-1"}),
    ("get_reader", "negative", {"reader_id": "RD-9"}),
    ("list_loans_of_reader", "positive", {"reader_id": "RD-1"}),
    ("list_loans_of_reader", "negative", {"reader_id": "RD-9"}),
    ("lend_book", "positive", {"book_id": "BK-04", "reader_id": "RD-1", "due_date": "2026-04-01"}),
    ("lend_book", "negative", {"book_id": "BK-01", "reader_id": "RD-1", "due_date": "2026-04-01"}),
    ("extend_loan", "positive", {"loan_id": "LN-0001", "new_due_date": "2026-04-01"}),
    ("extend_loan", "negative", {"loan_id": "LN-0001", "new_due_date": "2025-04-01"}),
    ("take_back", "positive", {"loan_id": "LN-0001"}),
    ("take_back", "negative", {"loan_id": "LN-0009"}),
    ("move_book", "positive", {"book_id": "BK-04", "new_shelf": "C"}),
    ("move_book", "negative", {"book_id": "BK-99", "new_shelf": "C"}),
    ("update_email", "positive", {"reader_id": "RD-1", "email": "ada@example.org"}),
    ("update_email", "negative", {"reader_id": "RD-9", "email": "ada@example.org"}),
    ("find_reader", "negative", {"name": 7}),
]


def picked(calls: list[tuple[str, str, dict[str, Any]]]) -> dict[str, Any]:
    return {"calls": [{"tool": t, "tries": f"{t}, {kind}", "kind": kind, "arguments": a} for t, kind, a in calls]}


def content(question: ChatRequest) -> str:
    return question.messages[1].content


def passes(question: ChatRequest) -> str:
    numbers = [int(one) for one in re.findall(r"(?m)^(\d+)\. ", content(question))]
    return json.dumps({"verdicts": [{"number": n, "reason": "as told", "judgement": "pass"} for n in numbers]})


async def tried(source: str = LENDING, judge: Part = passes, pick: Part | None = None) -> tuple[list[Judged], Actor]:
    actor = Actor(pick_calls=pick or [picked(CALLS[:10]), picked(CALLS[10:])], judge_calls=judge)
    author = actor.author()
    code = written(source)
    return await try_with_agents(author, author, code, [start_state(lending_state())], open_isolated), actor


async def test_calls_are_picked_made_and_judged_until_every_tool_was_tried_in_every_way() -> None:
    judged, actor = await tried()
    assert len(judged) == 20
    assert {one.judgement for one in judged} <= {"pass", "warning"}
    assert (actor.times("pick_calls"), actor.times("judge_calls")) == (2, 2)
    lent = next(one for one in judged if one.probe.tool == "lend_book" and one.probe.kind == "positive")
    assert lent.diff.changed["books"]["BK-04"]["status"] == ("in", "lent")


async def test_the_tester_sees_interface_and_state_and_never_the_code() -> None:
    _, actor = await tried()
    asked = content(actor.asked[0])
    assert "lend_book (writes): Lend a book that is in to a reader." in asked
    assert "Middlemarch" in asked
    assert "self.books" not in asked
    again = content(next(one for one in actor.asked[1:] if one.purpose == "pick_calls"))
    assert "list_books 1 positive, 1 negative" in again


async def test_the_judge_sees_the_code_of_what_was_called_the_change_and_the_answer() -> None:
    _, actor = await tried()
    asked = content(next(one for one in actor.asked if one.purpose == "judge_calls"))
    assert "def lend_book" in asked
    assert "def move_book" not in asked
    assert '"status":["in","lent"]' in asked
    assert "The book is lent." in asked


async def test_what_the_contract_of_all_environments_forbids_fails_whatever_the_judge_says() -> None:
    wrong = LENDING.replace(
        '            return {"success": False, "error": "The book is not in"}',
        '            self.lent_in_all += 1\n            return {"success": False, "error": "The book is not in"}',
    )
    judged, _ = await tried(wrong)
    (fail,) = [one for one in judged if one.judgement == "fail"]
    assert (fail.probe.tool, fail.reason) == ("lend_book", "the refused call changed lent_in_all")


async def test_what_the_judge_finds_wrong_fails_although_the_contract_is_kept() -> None:
    def strict(question: ChatRequest) -> str:
        whole = json.loads(passes(question))
        if 'get_book({"book_id": "BK-99"})' in content(question):
            whole["verdicts"][-1] |= {"judgement": "fail", "reason": "The limit is five books."}
        return json.dumps(whole)

    judged, _ = await tried(judge=strict)
    (fail,) = [one for one in judged if one.judgement == "fail"]
    assert fail.reason == "The limit is five books."


@pytest.mark.slow
async def test_code_that_never_ends_is_a_failed_call_and_no_hanging_run() -> None:
    endless = LENDING.replace(
        '        self.books[book_id]["shelf"] = new_shelf', "        while True:\n            pass"
    )
    judged, _ = await tried(endless)
    fails = [one for one in judged if one.judgement == "fail"]
    assert {one.probe.tool for one in fails} == {"move_book"}


async def test_a_tool_that_there_is_not_goes_back_to_the_tester() -> None:
    wrong = [("lend_books", "positive", {}), *CALLS[:2]]
    _, actor = await tried(pick=[picked(wrong), picked(CALLS)])
    assert "There is no tool lend_books; there are extend_loan" in actor.asked[1].messages[3].content


async def test_a_tester_who_tries_the_same_again_and_again_is_stopped() -> None:
    judged, actor = await tried(pick=[picked(CALLS[:2])])
    assert (len(judged), actor.times("pick_calls")) == (10, 5)


async def test_a_judge_who_forgets_a_call_is_asked_again() -> None:
    with pytest.raises(UnusableError, match="There is no verdict on call 1, 2"):
        await tried(judge=[{"verdicts": []}])


def test_a_long_state_is_told_with_the_first_records_of_each_kind() -> None:
    many = {f"BK-{n}": {"title": "Emma " * 20} for n in range(1000)}
    state = start_state({"books": many, "now": "2026-03-02T10:00"})
    told = json.loads(shortened(state))
    assert 10 < len(told["books"]) < 1000
    assert told["now"] == "2026-03-02T10:00"
    assert len(shortened(state)) <= 24_000


def test_the_source_of_some_methods_has_the_constructor_and_what_they_share() -> None:
    text = methods_source(LENDING, "LendingDesk", {"get_book"})
    assert "def __init__" in text
    assert "def get_book" in text
    assert "def get_reader" not in text
