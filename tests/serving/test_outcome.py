"""An outcome's text is the JSON that Python itself writes, with everything refused that is not JSON."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some

from envscaler_mcp.serving.outcome import encode

PLAIN = some.recursive(
    some.none() | some.booleans() | some.integers() | some.floats(allow_nan=False, allow_infinity=False) | some.text(),
    lambda inner: some.lists(inner) | some.dictionaries(some.text(), inner),
)


@given(PLAIN)
def test_the_text_is_what_json_dumps_writes(value: Any) -> None:
    assert encode(value) == json.dumps(value, ensure_ascii=False, separators=(",", ":"))


@pytest.mark.parametrize("value", [float("nan"), float("inf"), {"deep": [float("-inf")]}])
def test_a_number_that_json_does_not_know_is_refused(value: Any) -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        encode(value)


@pytest.mark.parametrize("value", [{1, 2}, b"bytes", {"a": object()}, {("a", "b"): 1}])
def test_a_value_that_json_does_not_know_is_refused(value: Any) -> None:
    with pytest.raises(TypeError):
        encode(value)


def test_a_value_that_holds_itself_is_refused() -> None:
    value: list[Any] = []
    value.append(value)
    with pytest.raises(RecursionError):
        encode(value)
