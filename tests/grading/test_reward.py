"""The reward of a final state, from states, a frame and check results alone."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from envscaler_mcp.artifacts import Frame
from envscaler_mcp.grading.reward import frame_violations, reward
from envscaler_mcp.serving.state_diff import diff_of_states

START: dict[str, Any] = {
    "rooms": {"R1": {"id": "R1", "status": "open", "beds": 2}, "R2": {"id": "R2", "status": "closed", "beds": 1}},
    "stays": {"S1": {"id": "S1", "room_id": "R1"}},
    "now": "2026-03-02T09:00",
    "counters": {"stay": 1},
}


def ending(**changes: Any) -> dict[str, Any]:
    state = deepcopy(START)
    for path, value in changes.items():
        *way, last = path.split("__")
        inner = state
        for step in way:
            inner = inner[step]
        if value is None:
            del inner[last]
        else:
            inner[last] = value
    return state


def violations(final: dict[str, Any], frame: Frame) -> tuple[str, ...]:
    return frame_violations(diff_of_states(START, final), frame)


def test_nothing_changed_breaks_no_frame() -> None:
    assert violations(deepcopy(START), Frame()) == ()


def test_every_change_outside_the_frame_is_told_by_its_path_in_order() -> None:
    final = ending(rooms__R2__status="open", rooms__R1=None, stays__S2={"id": "S2"}, now="2026-03-02T10:00")
    assert violations(final, Frame()) == (
        "now: changed",
        "rooms.R1: deleted",
        "rooms.R2.status: changed",
        "stays.S2: created, one of 1, 0 allowed",
    )


def test_changes_inside_the_frame_are_free() -> None:
    final = ending(rooms__R2__status="open", rooms__R1=None, stays__S2={"id": "S2"}, counters__stay=2)
    frame = Frame(created={"stays": 1}, deleted={"rooms": ("R1",)}, changed={"rooms": {"R2": ("status",)}})
    assert violations(final, frame) == ()


def test_a_record_that_may_lose_one_field_s_value_keeps_the_others() -> None:
    final = ending(rooms__R2__status="open", rooms__R2__beds=3)
    frame = Frame(changed={"rooms": {"R2": ("status",)}})
    assert violations(final, frame) == ("rooms.R2.beds: changed",)


def test_a_record_that_may_be_deleted_may_not_be_changed_instead() -> None:
    frame = Frame(deleted={"rooms": ("R2",)})
    assert violations(ending(rooms__R2__status="open"), frame) == ("rooms.R2.status: changed",)


def test_where_there_are_too_many_new_records_each_may_be_the_one_too_many() -> None:
    final = ending(stays__S2={"id": "S2"}, stays__S3={"id": "S3"})
    assert violations(final, Frame(created={"stays": 1})) == (
        "stays.S2: created, one of 2, 1 allowed",
        "stays.S3: created, one of 2, 1 allowed",
    )


def test_new_records_that_nobody_made_are_for_the_checks_to_miss() -> None:
    assert violations(deepcopy(START), Frame(created={"stays": 1})) == ()


def test_true_for_one_is_a_change() -> None:
    assert violations(ending(rooms__R2__beds=True), Frame()) == ("rooms.R2.beds: changed",)


def test_state_outside_containers_is_free_only_where_its_path_is() -> None:
    final = ending(counters__stay=9)
    assert violations(final, Frame(scalars=("count",))) == ("counters.stay: changed",)
    assert violations(final, Frame(scalars=("counters.stay",))) == ()
    assert violations(final, Frame(scalars=("counters",))) == ()


def test_a_container_that_appears_or_goes_is_told() -> None:
    assert violations(ending(stays=None), Frame()) == ("stays: changed",)
    assert violations(ending(guests={"G1": {"id": "G1"}}), Frame()) == ("guests: changed",)


def test_the_reward_is_the_share_of_checks() -> None:
    assert reward((True, True, False), ()) == 2 / 3
    assert reward((True,), ()) == 1.0


def test_a_broken_frame_earns_nothing_but_under_the_published_rule() -> None:
    assert reward((True, True), ("now: changed",)) == 0.0
    assert reward((True, True, False), ("now: changed",), "upstream") == 0.6667


def test_what_is_only_truthy_did_not_pass() -> None:
    assert reward((1, True), ()) == 0.5  # type: ignore[arg-type]


def test_without_checks_nothing_is_earned() -> None:
    assert reward((), ()) == 0.0
    assert reward((), (), "upstream") == 0.0
