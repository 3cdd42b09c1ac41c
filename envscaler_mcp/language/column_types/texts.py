"""Texts: free ones, and those of a known shape such as a person or an address."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any, ClassVar

from envscaler_mcp.language.column_types.column_type import ColumnType, Nearby, NotDrawnError, Sampling, TextFormat
from envscaler_mcp.language.expressions import Expr, Literal
from envscaler_mcp.language.types import Type

TEXT_KINDS = ("name", "person", "email", "phone", "address", "company", "city", "country")
"""Text whose generator is known."""
_LAST_NUMBER = re.compile(r"\d+(?!.*\d)", re.DOTALL)
_NEIGHBOURS = 2
"""How many texts of other records are tried in a text's place."""


def _offered(_today: str, _what: str) -> Iterable[tuple[str, str]]:
    yield "ada.lovelace@example.com", "an address nobody has"


class TextType(ColumnType):
    """`text`, or one of `TEXT_KINDS`."""

    name = "text"
    spellings = TEXT_KINDS
    ordered = True
    aliases: ClassVar[Mapping[str, str]] = {
        "Email": 'Annotated[str, {"format": "email", "maxLength": 200}]',
        "Text": 'Annotated[str, {"minLength": 1, "maxLength": 1000}]',
    }
    formats = (
        TextFormat("email", Type("text", shape="email"), r"\S+@\S+\.\w+", "nobody", _offered, r"[^@\s]+@[^@\s]+\.\w+"),
    )

    def parse(self, word: str, inner: str | None, whole: str) -> Type | None:
        return Type("text", shape="" if word == "text" else word) if inner is None else None

    def default(self, text: str, bare: str, type_: Type, attribute: str) -> Expr | None:
        return Literal(Type("text"), bare) if bare else None

    def annotation(self, type_: Type) -> str:
        return "Email" if type_.shape == "email" else "Text"

    def fault(self, value: Any, type_: Type) -> str | None:
        return None if isinstance(value, str) else f"is {value!r}, which is no text"

    def draw(self, type_: Type, sampling: Sampling) -> Any:
        if not type_.shape:
            raise NotDrawnError
        return sampling.text_of(type_.shape)

    def read(self, type_: Type, text: str, sampling: Sampling) -> Any:
        """The text with a digit for each `#`, and a letter for each `?` that stands in a code."""
        below = sampling.chance.below
        filled = re.sub("#", lambda _: str(below(10)), text)
        return re.sub(r"\?(?=[?#\d-]|$)", lambda _: "ABCDEFGHJKLMNPQRSTUVWXYZ"[below(24)], filled)

    def is_valid(self, value: Any, type_: Type, nearby: Nearby) -> bool:
        return isinstance(value, str) and bool(value.strip())

    def others(self, value: Any, type_: Type, nearby: Nearby) -> Iterator[Any]:
        """The same with another number or word in it, and what other records say there."""
        mail, at, host = value.partition("@")
        last = _LAST_NUMBER.search(value)
        if type_.shape == "email" or (at and "." in host and " " not in value):
            yield f"{mail}.2{at}{host}"
        elif last is not None:
            yield f"{value[: last.start()]}{_counted_on(last[0])}{value[last.end() :]}"
        elif len(value) == 1 and value.isalpha():
            yield "B" if value in "Aa" else "A"
        elif type_.shape in ("person", "name"):
            yield f"{value} Jr"
        else:
            yield f"{value} II"
        texts = {entry for entry in nearby.observed if isinstance(entry, str) and entry.strip() and entry != value}
        yield from islice(sorted(texts), _NEIGHBOURS)

    def first(self, type_: Type, nearby: Nearby) -> Iterator[Any]:
        yield from sorted(entry for entry in nearby.observed if isinstance(entry, str) and entry)
        yield "a word"


def _counted_on(digits: str) -> str:
    """The next number with as many digits: 09 → 10, 99 → 98."""
    more = str(int(digits) + 1).zfill(len(digits))
    return more if len(more) == len(digits) else str(int(digits) - 1).zfill(len(digits))
