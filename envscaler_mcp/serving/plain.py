"""Copies of plain values, faster than `copy.deepcopy` by an order of magnitude."""

from __future__ import annotations

from typing import Any, TypeVar

T = TypeVar("T")


def copied(value: T) -> T:
    """A value made of dicts, lists and scalars, sharing no dict or list with the original."""
    return _copied(value)  # type: ignore[no-any-return]


def _copied(value: Any) -> Any:
    kind = type(value)
    if kind is dict:
        return {name: item if type(item) in _SCALARS else _copied(item) for name, item in value.items()}
    if kind is list:
        return [item if type(item) in _SCALARS else _copied(item) for item in value]
    return value


_SCALARS = frozenset({str, int, float, bool, type(None)})
