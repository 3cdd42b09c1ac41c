"""What the language itself is made of: references, lists, entries of lists, and the types that no column has.

How these are read, compiled and stored is the language's grammar and stands in its modules. Here is what the proofs
and the documentation need of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import Any

from envscaler_mcp.language.column_types.column_type import COLUMN_TYPES, ColumnType, Nearby, is_valid, other_values
from envscaler_mcp.language.expressions import Expr, ListOf
from envscaler_mcp.language.types import NONE, Complaint, Type, list_of, ref


class RefType(ColumnType):
    """`ref(Entity)`: stored as the id of a record."""

    name = "ref"

    @property
    def says_text(self) -> bool:
        return False

    def parse(self, word: str, inner: str | None, whole: str) -> Type | None:
        if not re.fullmatch(r"[A-Z]\w*", inner or ""):
            raise Complaint(f"{whole!r}: write ref(Name) with the name of an entity")
        return ref(inner or "")

    def fault(self, value: Any, type_: Type) -> str | None:
        return None if isinstance(value, str) else f"is {value!r}, which is no text"

    def is_valid(self, value: Any, type_: Type, nearby: Nearby) -> bool:
        return value in nearby.records(type_.entity)

    def others(self, value: Any, type_: Type, nearby: Nearby) -> Iterator[Any]:
        yield from (key for key in sorted(nearby.records(type_.entity)) if key != value)

    def first(self, type_: Type, nearby: Nearby) -> Iterator[Any]:
        yield from sorted(nearby.records(type_.entity))


class ListType(ColumnType):
    """`list(type)`."""

    name = "list"
    python = "list"

    @property
    def says_text(self) -> bool:
        return False

    def default(self, text: str, bare: str, type_: Type, attribute: str) -> Expr | None:
        return ListOf(list_of(type_.of or NONE), ()) if text == "[]" else None

    def is_valid(self, value: Any, type_: Type, nearby: Nearby) -> bool:
        return isinstance(value, list) and all(is_valid(entry, type_.of, nearby) for entry in value if type_.of)

    def others(self, value: Any, type_: Type, nearby: Nearby) -> Iterator[Any]:
        """One entry fewer, one entry otherwise, one entry more."""
        element = type_.of or Type("text")
        if len(value) > 1:
            yield value[:-1]
        if element.kind == "struct":
            for position, entry in enumerate(value):
                for other in COLUMN_TYPES["struct"].others(entry, element, nearby):
                    yield [*value[:position], other, *value[position + 1 :]]
            return
        candidates = other_values(value[-1] if value else None, element.certain, nearby)
        for other in (entry for entry in candidates if entry is not None and entry not in value):
            yield [*value[:-1], other] if value else [other]
            if value:
                yield [*value, other]
            return

    def first(self, type_: Type, nearby: Nearby) -> Iterator[Any]:
        return iter(())


class StructType(ColumnType):
    """An entry of a list of several fields, as an operation's parameter."""

    name = "struct"
    python = "dict[str, Any]"

    @property
    def says_text(self) -> bool:
        return False

    def parse(self, word: str, inner: str | None, whole: str) -> Type | None:
        return None

    def is_valid(self, value: Any, type_: Type, nearby: Nearby) -> bool:
        return True

    def others(self, value: Any, type_: Type, nearby: Nearby) -> Iterator[Any]:
        """One field otherwise, each in turn."""
        for name, field in type_.fields if isinstance(value, dict) else ():
            key = name if name in value else f"{name}_id"
            if value.get(key) is not None:
                for other in islice(other_values(value[key], field.certain, nearby), 1):
                    yield {**value, key: other}

    def first(self, type_: Type, nearby: Nearby) -> Iterator[Any]:
        return iter(())


_JSON: tuple[tuple[type, str], ...] = (
    (bool, "bool"),
    (int, "int"),
    (float, "int"),
    (str, "text"),
    (list, "list"),
)


class UnknownType(ColumnType):
    """Nothing, or a value of which no type is known."""

    name = "none"

    @property
    def says_text(self) -> bool:
        return False

    def parse(self, word: str, inner: str | None, whole: str) -> Type | None:
        return None

    def is_valid(self, value: Any, type_: Type, nearby: Nearby) -> bool:
        return True

    def others(self, value: Any, type_: Type, nearby: Nearby) -> Iterator[Any]:
        """Another value of the same kind in JSON."""
        kind = next((kind for python, kind in _JSON if isinstance(value, python)), None)
        if kind is not None:
            yield from COLUMN_TYPES[kind].others(value, Type(kind, of=Type("none")), nearby)

    def first(self, type_: Type, nearby: Nearby) -> Iterator[Any]:
        return iter(())


class KeyType(UnknownType):
    """Several values in brackets, by which records are found or ordered."""

    name = "key"
