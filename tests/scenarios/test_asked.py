"""A task in a model's words ships when a solver found a plan for it, checks know its end, and the proof holds."""

from __future__ import annotations

import re
from typing import Any

import pytest

from envscaler_mcp.artifacts import Scenario
from envscaler_mcp.errors import GrowthError
from envscaler_mcp.llm import UnusableError
from envscaler_mcp.sandbox.isolation import open_isolated
from envscaler_mcp.scenarios.task_first.maker import AskedTaskMaker
from envscaler_mcp.scenarios.task_first.task_backend import WrittenCourt
from tests.homes import written
from tests.llm.asking import Actor, Part, plays
from tests.quality.test_agents import content
from tests.scenarios.written_classes import LENDING, lending_state, start_state

COURT = WrittenCourt(written(LENDING), open_isolated)
STATE = start_state(lending_state())

TASK = (
    "Ada Cole has just been at the desk with Middlemarch, which she has finished at last, so please take it back from "
    "her. While she was here she asked for Walden, and you can lend it to her until 2026-04-01 as far as I am concerned. "
    "One more thing before I forget it: her mail goes to ada@example.org from now on, since she has changed her job."
)
READS = (
    (("find_reader", {"name": "Ada Cole"}), ("list_books", {"status": None})),
    (("list_loans_of_reader", {"reader_id": "RD-1"}),),
)
WRITES = (
    (("take_back", {"loan_id": "LN-0001"}),),
    (
        ("lend_book", {"book_id": "BK-04", "reader_id": "RD-1", "due_date": "2026-04-01"}),
        ("update_email", {"reader_id": "RD-1", "email": "ada@example.org"}),
    ),
)
DONE = "Task Completed"

BACK = """\
def check_func(final_state):
    gone = "LN-0001" not in final_state["loans"]
    return gone and final_state["books"]["BK-01"]["status"] == "in" and "LN-0001" not in final_state["readers"]["RD-1"]["loans"]
"""
LENT = """\
def check_func(final_state):
    old = initial_state["loans"]
    new = [key for key, one in final_state["loans"].items() if key not in old and one["book_id"] == "BK-04"
           and one["reader_id"] == "RD-1" and one["due_date"] == "2026-04-01" and not one["extended"] and one["loan_id"] == key]
    return len(new) == 1 and final_state["books"]["BK-04"]["status"] == "lent" and new[0] in final_state["readers"]["RD-1"]["loans"]
"""
MAIL = """\
def check_func(final_state):
    return final_state["readers"]["RD-1"]["email"] == "ada@example.org"
"""
GOOD = {
    "Has Middlemarch been taken back from Ada Cole?": BACK,
    "Has Walden been lent to Ada Cole until 1 April?": LENT,
    "Has the e-mail address of Ada Cole become ada@example.org?": MAIL,
}


def checks(found: dict[str, str], objection: str = "") -> dict[str, Any]:
    return {"objection": objection, "checks": [{"question": q, "function": f} for q, f in found.items()]}


def actor(**parts: Part) -> Actor:
    played: dict[str, Part] = {
        "write_task": [TASK],
        "solve_task": plays(*READS, *WRITES, DONE),
        "write_checks": [checks(GOOD)],
    }
    return Actor(**(played | parts))


async def made(playing: Actor) -> Scenario:
    return await AskedTaskMaker(playing.author(), COURT).scenario(STATE, 1)


def told(playing: Actor, purpose: str) -> str:
    """What the last question of a prompt ended with: what was wrong with the answer before it."""
    return next(one for one in reversed(playing.asked) if one.purpose == purpose).messages[-1].content


async def test_a_task_comes_with_the_plan_of_its_solver_and_a_whole_proof() -> None:
    scenario = await made(actor())
    assert scenario.task == TASK == "".join(span.text for span in scenario.spans)
    assert [call.tool for call in scenario.oracle] == [
        "find_reader",
        "list_books",
        "list_loans_of_reader",
        "take_back",
        "lend_book",
        "update_email",
    ]
    assert (scenario.id, scenario.level) == ("written-easy-01", "easy")
    assert {span.text for span in scenario.spans if span.fact} == {"Ada Cole", "2026-04-01", "ada@example.org"}
    assert scenario.proof is not None
    assert (scenario.proof.oracle_reward, scenario.proof.do_nothing_reward) == (1.0, 0.0)
    assert all(one.right == one.made - one.equivalent for one in scenario.proof.mutants.values())
    assert sum(one.made for one in scenario.proof.mutants.values()) > 20
    assert scenario.provenance.model == "small"


async def test_what_a_solver_did_for_nothing_is_no_part_of_the_plan() -> None:
    wandering = plays(
        READS[0],
        READS[0],
        (("move_book", {"book_id": "BK-04", "new_shelf": "B"}), ("get_book", {"book_id": "BK-77"})),
        (("move_book", {"book_id": "BK-04", "new_shelf": "B"}),),
        *READS[1:],
        *WRITES,
        DONE,
    )
    state = lending_state()
    state["books"]["BK-04"]["shelf"] = "B"
    playing = actor(solve_task=wandering)
    scenario = await AskedTaskMaker(playing.author(), COURT).scenario(start_state(state), 1)
    assert [call.tool for call in scenario.oracle].count("find_reader") == 1
    assert {"move_book", "get_book"}.isdisjoint(call.tool for call in scenario.oracle)


@pytest.mark.parametrize(
    ("first", "complaint"),
    [
        (
            GOOD | {"Has Ada Cole an address?": "def check_func(final_state):\n    return True\n"},
            "is true in the initial",
        ),
        (
            GOOD | {"Has it gone?": "def check_func(final_state):\n    return final_state['x'] == 1\n"},
            "says nothing in",
        ),
        (
            GOOD | {"Has it gone?": "import os\ndef check_func(final_state):\n    return False\n"},
            "Check 4 says nothing",
        ),
        (GOOD | {"Is it lent?": MAIL}, "Check 4 is no question that begins with `Has`"),
        (
            GOOD
            | {"Has Dracula gone?": "def check_func(final_state):\n    return 'BK-03' not in final_state['books']\n"},
            "is false at the end",
        ),
        ({}, "There is no check"),
        (
            {name: source for name, source in GOOD.items() if source != LENT},
            "cannot be proven: .* mutants .* are rewarded in full, for example",
        ),
    ],
)
async def test_checks_that_are_worth_nothing_go_back_to_whoever_wrote_them(
    first: dict[str, str], complaint: str
) -> None:
    playing = actor(write_checks=[checks(first), checks(GOOD)])
    scenario = await made(playing)
    assert [check.check_item for check in scenario.checks] == list(GOOD)
    assert playing.times("write_checks") == 2
    assert re.search(complaint, told(playing, "write_checks"))


async def test_values_that_the_task_says_in_other_words_are_marked_there() -> None:
    task = TASK.replace("2026-04-01", "the first of April").replace("Ada Cole has", "Our Ada Cole has")
    quotes = {"quotes": [{"number": 1, "words": "the first of April"}]}
    playing = actor(write_task=[task], find_words=[quotes])
    scenario = await made(playing)
    assert 'lend book, due date = "2026-04-01"' in content(playing.asked[-2])
    marked = {span.text: span.fact for span in scenario.spans if span.fact}
    assert marked["the first of April"] == 'lend book, due date = "2026-04-01"'


async def test_a_task_that_leaves_open_what_its_solver_chose_is_written_anew() -> None:
    open_task = TASK.replace("until 2026-04-01 ", "for a while, whatever you find right, ")
    playing = actor(write_task=[open_task, TASK], find_words=[{"quotes": [{"number": 1, "words": ""}]}])
    scenario = await made(playing)
    assert scenario.task == TASK
    assert playing.times("solve_task") == 10


@pytest.mark.parametrize(
    ("parts", "reason"),
    [
        ({"solve_task": plays(*READS, "There is no reader of that name.")}, "the solver says 'There is no reader"),
        ({"solve_task": plays(*READS, DONE)}, "nothing is different afterwards"),
        ({"solve_task": lambda _: READS[0]}, "the solver is not done after 40 turns"),
        ({"write_checks": [checks({}, "Dracula was moved too.")]}, "did something else: Dracula was moved too"),
    ],
)
async def test_a_task_that_comes_to_nothing_is_told_with_its_reason(parts: dict[str, Part], reason: str) -> None:
    playing = actor(**parts)
    with pytest.raises(GrowthError, match=re.escape(reason)):
        await made(playing)
    asked = [content(one) for one in playing.asked if one.purpose == "write_task"]
    assert [reason in one for one in asked] == [False, True, True]


@pytest.mark.parametrize(
    ("first", "complaint"),
    [
        ("Lend Walden to Ada Cole.", "It has 5 words; 50 is the fewest."),
        (f"{TASK} Use lend_book for that.", "It names the tool lend_book"),
    ],
)
async def test_a_task_that_is_no_task_goes_back(first: str, complaint: str) -> None:
    playing = actor(write_task=[first, TASK])
    await made(playing)
    assert complaint in told(playing, "write_task")


async def test_no_task_is_written_twice() -> None:
    playing = actor()
    maker = AskedTaskMaker(playing.author(), COURT)
    await maker.scenario(STATE, 1)
    with pytest.raises(UnusableError, match="nearly the same as one that there is"):
        await maker.scenario(STATE, 2)
    assert maker.shipped == [TASK]
    assert TASK in content(playing.asked[-1])
