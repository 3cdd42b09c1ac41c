"""Values as people say them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import date
from typing import Any

from envscaler_mcp.artifacts import Span
from envscaler_mcp.language.column_types import column_of
from envscaler_mcp.language.column_types.moments import MONTHS
from envscaler_mcp.language.types import Type

_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_TITLES = frozenset(
    ("Capt", "Captain", "Chief", "Dr", "Judge", "Justice", "Miss", "Mr", "Mrs", "Ms", "Prof", "Professor")
)


def spoken(value: Any, type_: Type, form: str, today: str) -> str:
    """A plain value in words; `form` chooses among the ways there are."""
    if form == "quoted":
        return f"“{value}”"
    if form == "short":
        return short(str(value))
    return column_of(type_).say(value, form, today)


def short(name: str) -> str:
    """What people say once they have said the whole name: the first word, or the title with the last one."""
    first, *others = name.split()
    if first in ("a", "an", "the"):
        return name
    return f"{first} {others[-1]}" if others and first.rstrip(".") in _TITLES else first


def heading(now: str) -> str:
    """The line with the date that stands over a message."""
    day = date.fromisoformat(now[:10])
    return f"{_DAYS[day.weekday()]}, {day.day} {MONTHS[day.month - 1]} {day.year}"


def enumerated(pieces: list[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    return pieces[0] if len(pieces) == 1 else f"{', '.join(pieces[:-1])} and {pieces[-1]}"


def polished(spans: Iterable[Span]) -> Iterator[Span]:
    """The spans with a capital where a sentence begins, and `an` before a vowel; what a fact says stays as it is."""
    before: Span | None = None
    begins, tail = True, ""
    for span in spans:
        text = span.text
        # A name such as eBook stays as it is; words such as basic support do not.
        if begins and text[:1].islower() and (not span.fact or text.islower()):
            span = span.model_copy(update={"text": text[0].upper() + text[1:]})
        if before is not None:
            article = before.text.endswith((" a ", "\na ")) and text[:1].lower() in "aeio"
            yield before.model_copy(update={"text": f"{before.text[:-1]}n "}) if article else before
        tail = (tail + text)[-4:]
        begins = tail.endswith((". ", "! ", "? ", ".” ", "\n", "\n- "))
        before = span
    if before is not None:
        yield before
