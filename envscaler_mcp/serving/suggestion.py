"""Suggestions for mistyped names, and values as a message quotes them."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import SequenceMatcher

_LIKE, _PART = 0.75, 3
"""How alike a mistyped word is, from 0 to 1; and how long a part of a name is that stands for the whole."""


def nearest_name(word: object, known: Iterable[str]) -> str | None:
    """The known word that is most like this one: mistyped, or with a part more or less. None where none is near."""
    if not isinstance(word, str) or len(word) > 100:
        return None
    matcher = SequenceMatcher()
    matcher.set_seq2(word)
    best, nearest = 0.0, None
    for name in known:
        matcher.set_seq1(name)
        if matcher.real_quick_ratio() > best and (_is_part(word, name) or matcher.quick_ratio() >= _LIKE):
            like = matcher.ratio()
            if like > best and (like >= _LIKE or _is_part(word, name)):
                best, nearest = like, name
    return nearest


def _is_part(word: str, name: str) -> bool:
    """Whether one of them is the other with parts left out: `due` of `due_on`, `lend` of `lend_tool`."""
    shorter, longer = sorted((word.lower(), name.lower()), key=len)
    return len(shorter) >= _PART and (longer.startswith(shorter) or set(shorter.split("_")) <= set(longer.split("_")))


def did_you_mean(word: object, known: Iterable[str]) -> str:
    """`; did you mean 'x'?` where one of the known words is near, else the full stop that ends the sentence."""
    near = nearest_name(word, known)
    return "." if near is None else f"; did you mean {near!r}?"


def quote_value(value: object) -> str:
    """A value as a sentence may quote it: short, in the words of JSON, and free of anything that cannot be sent."""
    if value is None or value is True or value is False:
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, str):
        return repr(value if len(value) <= 40 else value[:37] + "…")
    if isinstance(value, float):
        return repr(value)
    if isinstance(value, int):
        return str(value) if -(10**20) < value < 10**20 else "a huge number"
    if isinstance(value, (list, tuple)):
        return "a list"
    return "an object" if isinstance(value, dict) else f"a {type(value).__name__}"
