"""When each check turned true is told from what was recorded to have changed."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from envscaler_mcp.artifacts import StateDiff, Step, digest_of
from envscaler_mcp.serving.state_diff import diff_of_states
from envscaler_mcp.viewer.milestones import Milestone, milestones

VALUES = st.one_of(st.integers(0, 3), st.booleans(), st.text("ab", max_size=2), st.lists(st.integers(0, 2), max_size=2))
RECORDS = st.dictionaries(
    st.sampled_from("abc"), st.fixed_dictionaries({"x": VALUES}, optional={"y": VALUES}), max_size=3
)
STATES = st.fixed_dictionaries(
    {"books": RECORDS, "queue": st.dictionaries(st.sampled_from("abc"), VALUES, max_size=3)}, optional={"now": VALUES}
)


def changed(number: int, **fields: tuple[Any, Any]) -> Step:
    return Step(number=number, diff=StateDiff(changed={"books": {"a": fields}}))


def answers(state: Mapping[str, Any]) -> list[bool]:
    book = state["books"]["a"]
    return [book["x"] == 1, book["y"] == 1]


START = {"books": {"a": {"x": 0, "y": 0}}}


def test_a_check_turns_true_at_the_step_that_made_it_so_and_may_turn_back() -> None:
    steps = [
        Step(number=1, text="Hello"),
        changed(2, x=(0, 1)),
        changed(3, y=(0, 2)),
        changed(4, x=(1, 0), y=(2, 1)),
    ]
    assert milestones(steps, START, "", answers) == ((Milestone(2, (1,)), Milestone(4, (2,), (1,))), "")
    assert START == {"books": {"a": {"x": 0, "y": 0}}}


def test_a_milestone_names_the_place_of_its_step_since_numbers_may_occur_twice() -> None:
    steps = [changed(1, x=(0, 1)), changed(1, y=(0, 1))]
    assert milestones(steps, START, "", answers)[0] == (Milestone(1, (1,)), Milestone(2, (2,)))


def test_of_changes_that_lead_elsewhere_what_was_found_is_kept_and_called_unsure() -> None:
    end = digest_of({"books": {"a": {"x": 1, "y": 0}}})
    assert milestones([changed(1, x=(0, 1))], START, end, answers) == ((Milestone(1, (1,)),), "")
    found, unsure = milestones([changed(1, x=(0, 1)), changed(2, y=(0, 2))], START, end, answers)
    assert (found, "do not lead" in unsure) == ((Milestone(1, (1,)),), True)
    lost = Step(number=2, diff=StateDiff(deleted={"books": {"z": {}}}))
    found, unsure = milestones([changed(1, x=(0, 1)), lost, changed(3, y=(0, 1))], START, end, answers)
    assert (found, "what step 2 changed" in unsure) == ((Milestone(1, (1,)),), True)


def test_what_became_null_and_what_is_gone_are_told_apart_by_the_ending() -> None:
    start: dict[str, Any] = {"books": {"a": {"x": 0, "y": 0}}, "queue": {"a": 1, "b": 2}}
    ends: tuple[dict[str, Any], ...] = (
        {"books": {"a": {"x": 0, "y": 0}}, "queue": {"a": 1}},
        {"books": {"a": {"x": 0, "y": 0}}, "queue": {"a": 1, "b": None}},
        {"books": {"a": {"x": 0, "y": None}}, "queue": {"a": 1}},
        {"books": {"a": {"x": 0}}, "queue": {"a": 1, "b": None}},
    )
    for end in ends:
        steps = [Step(number=1, diff=diff_of_states(start, end))]
        gone = milestones(steps, start, digest_of(end), lambda state: ["b" in state["queue"]])
        assert gone == ((() if "b" in end["queue"] else (Milestone(1, (), (1,)),)), "")


@given(st.lists(STATES, min_size=2, max_size=4))
def test_what_a_world_tells_of_its_changes_leads_to_its_end(states: list[dict[str, Any]]) -> None:
    steps = [
        Step(number=number, diff=diff_of_states(before, after))
        for number, (before, after) in enumerate(pairwise(states), 1)
    ]
    assert milestones(steps, states[0], digest_of(states[-1]), lambda state: []) == ((), "")
