"""Suggestions for mistyped names, and values as a message quotes them."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


def nearest_name(word: object, known: Iterable[str]) -> str | None:
    """The known word that is most like this one, if any is near."""
    if not isinstance(word, str) or len(word) > 100:
        return None
    return next(iter(get_close_matches(word, list(known), n=1)), None)


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
