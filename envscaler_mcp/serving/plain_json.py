"""Plain values: whether a value is one, and copies, faster than `copy.deepcopy` by an order of magnitude."""

from __future__ import annotations

import math
from typing import Any, TypeVar

T = TypeVar("T")


def json_copy(value: T) -> T:
    """A value made of dicts, lists and scalars, sharing no dict or list with the original."""
    copied: Any = value
    if type(copied) is dict:
        copied = {name: item if type(item) in _SCALARS else json_copy(item) for name, item in copied.items()}
    elif type(copied) is list:
        copied = [item if type(item) in _SCALARS else json_copy(item) for item in copied]
    return copied  # type: ignore[no-any-return]


_SCALARS = frozenset({str, int, float, bool, type(None)})


def is_plain(value: object) -> bool:
    """Whether a value arrives as it was sent: exact JSON types, text that can be encoded, finite numbers, no deep nesting."""
    return not is_deeper(value, _DEEPEST) and _is_plain(value)


def _is_plain(value: object) -> bool:
    if type(value) is dict:
        return all(type(name) is str and _is_plain(name) and _is_plain(inner) for name, inner in value.items())
    if type(value) is list:
        return all(_is_plain(inner) for inner in value)
    if type(value) is str:
        return not any("\ud800" <= letter <= "\udfff" for letter in value)
    if type(value) is float:
        return math.isfinite(value)
    return value is None or type(value) in (bool, int)


LARGEST = 2**60
"""Python gives numbers below it hashes of their own. Larger ones can be chosen so that an index of them is a list."""


def has_large_numbers(value: Any) -> bool:
    """Whether a number lies in it that is not below `LARGEST`."""
    waiting = [value]
    while waiting:
        part = waiting.pop()
        if type(part) is dict:
            waiting.extend(part.values())
        elif type(part) is list:
            waiting.extend(part)
        elif (type(part) is int or type(part) is float) and not -LARGEST < part < LARGEST:
            return True
    return False


_WIDE = 100_000
_DEEPEST = 250
"""How deep `is_plain` looks, which recurses; more than any message of a client may be."""
MAX_DEPTH = 100
"""How deep lists and objects of a state or a result may lie in one another. Python code that reads them recurses."""


def is_deeper(value: Any, depth: int) -> bool:
    """Whether lists and objects lie deeper in one another than this."""
    level = [value] if type(value) in (dict, list) else []
    for _ in range(depth):
        level = [
            inner
            for outer in level
            for inner in (outer.values() if type(outer) is dict else outer)
            if type(inner) is dict or type(inner) is list
        ]
        if not level:
            return False
        if len(level) > _WIDE:
            # What holds itself twice would double with every step.
            level = list({id(inner): inner for inner in level}.values())
    return True
