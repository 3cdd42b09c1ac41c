"""Where agents part, and what stands beside what."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from envscaler_mcp.studio.comparing import call_key, parting, side_by_side

CALLS = st.lists(st.sampled_from("abc"), max_size=12)


@given(st.lists(CALLS, max_size=4))
def test_before_the_parting_all_do_the_same_and_at_it_two_do_not(lanes: list[list[str]]) -> None:
    at = parting(lanes)
    longest = max(map(len, lanes), default=0)
    before = at - 1 if at else longest
    for place in range(before):
        assert len({lane[place] for lane in lanes if len(lane) > place}) == 1
    if at:
        assert len({lane[at - 1] for lane in lanes if len(lane) >= at}) > 1


@given(CALLS, CALLS)
def test_of_two_that_have_ended_only_equals_never_part(left: list[str], right: list[str]) -> None:
    assert (parting([left, right], ended=True) == 0) == (left == right)


@given(CALLS, CALLS)
def test_side_by_side_every_step_stands_once_in_its_order_and_equal_ones_beside_each_other(
    left: list[str], right: list[str]
) -> None:
    rows = side_by_side(left, right)
    assert [one_side for one_side, _, _ in rows if one_side] == list(range(1, len(left) + 1))
    assert [other for _, other, _ in rows if other] == list(range(1, len(right) + 1))
    for one_side, other, same in rows:
        assert not same or left[one_side - 1] == right[other - 1]


def test_calls_are_the_same_whatever_the_order_of_their_arguments() -> None:
    assert call_key("lend", {"a": 1, "b": [2]}) == call_key("lend", {"b": [2], "a": 1})
    assert call_key("lend", {"a": 1}) != call_key("lend", {"a": "1"})
