"""What changed is told in full, or cut and otherwise to the letter."""

from __future__ import annotations

from envscaler_mcp.artifacts import StateDiff
from envscaler_mcp.viewer.changes import change_lines


def test_what_lies_outside_records_is_told_and_values_keep_their_kind() -> None:
    diff = StateDiff(
        created={"loans": {"L-1": {"book": "B-1", "until": None}}},
        deleted={"loans": {"L-0": {}}},
        changed={"books": {"B-1": {"price": (1, 1.0)}}},
        scalars={"balance": (0, 12345678901234567890), "queue.a": (1, None), "counters.loans": (0, 1)},
    )
    assert list(change_lines(diff)) == [
        '+ loans L-1: book "B-1"',
        "- loans L-0",
        "~ books B-1: price 1 → 1.0",
        "~ balance 0 → 12345678901234567890",
        "~ queue.a 1 → null",
    ]


def test_a_long_value_is_cut_where_that_is_wanted() -> None:
    diff = StateDiff(scalars={"note": ("", "a  b" * 9)})
    assert list(change_lines(diff)) == [f'~ note "" → "{"a  b" * 9}"']
    assert list(change_lines(diff, 10)) == ['~ note "" → "a  ba   …']
