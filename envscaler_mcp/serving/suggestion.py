"""Suggestions for mistyped names, and values as a message quotes them."""

from __future__ import annotations

import heapq
from collections.abc import Collection, Sequence
from difflib import SequenceMatcher

_LIKE, _PART = 0.75, 3
"""How alike a mistyped word is, from 0 to 1; and how long a part of a name is that stands for the whole."""
_MOST_LETTERS, _MOST_COMPARED = 20_000, 20
"""Letters of all known names among which one is looked for; and how many of them are compared letter by letter."""
_LONGEST = 100


def nearest_name(word: object, known: Collection[str]) -> str | None:
    """The known word that is most like this one: mistyped, or with a part more or less. None where none is near.

    None, too, where so many names are known that looking for it would take long: they may be a stranger's.
    """
    if not isinstance(word, str) or len(word) > _LONGEST or len(known) > _MOST_LETTERS:
        return None
    names = [name for name in known if len(name) <= _LONGEST]
    if sum(map(len, names)) > _MOST_LETTERS:
        return None
    matcher = SequenceMatcher()
    matcher.set_seq2(word)
    best, first, nearest = 0.0, 0, None
    for bound, place in _most_like(word, names, matcher):
        if bound < best:
            break
        matcher.set_seq1(names[place])
        like = matcher.ratio()
        if (like > best or (like == best and place < first)) and (like >= _LIKE or _is_part(word, names[place])):
            best, first, nearest = like, place, names[place]
    return nearest


def _most_like(word: str, names: Sequence[str], matcher: SequenceMatcher[str]) -> list[tuple[float, int]]:
    """Names that may be meant by their places, those first that may be most alike, each with how alike it is at most."""
    bounds: list[tuple[float, int]] = []
    for place, name in enumerate(names):
        matcher.set_seq1(name)
        bound = matcher.real_quick_ratio()
        part = _is_part(word, name)
        if bound >= _LIKE or part:
            bound = matcher.quick_ratio()
            if bound >= _LIKE or (part and bound > 0):
                bounds.append((bound, place))
    return heapq.nsmallest(_MOST_COMPARED, bounds, key=lambda each: (-each[0], each[1]))


def _is_part(word: str, name: str) -> bool:
    """Whether one of them is the other with parts left out: `due` of `due_on`, `lend` of `lend_tool`."""
    shorter, longer = sorted((word.lower(), name.lower()), key=len)
    return len(shorter) >= _PART and (longer.startswith(shorter) or set(shorter.split("_")) <= set(longer.split("_")))


def did_you_mean(word: object, known: Collection[str]) -> str:
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
