"""What the `values` of a blueprint's start say: alternatives, ranges, patterns and coherent rows."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from envscaler_mcp.errors import GrowthError
from envscaler_mcp.language.column_types import NotDrawnError, Sampling, column_of
from envscaler_mcp.language.start import is_computed
from envscaler_mcp.language.types import Type
from envscaler_mcp.sampling.chance import Chance
from envscaler_mcp.sampling.vocabulary import sample_text

HIDDEN_NONE = "none"


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of values that belong together."""

    names: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Values:
    """Everything that an owner (an entity or an operation) says about its values."""

    single: dict[str, tuple[str, ...]]
    tables: tuple[Table, ...]


def values_of(owner: str, said: dict[str, str]) -> Values:
    """The lines of `values` that begin with the owner."""
    single: dict[str, tuple[str, ...]] = {}
    tables: list[Table] = []
    for key, text in said.items():
        head, dot, rest = key.partition(".")
        if head != owner or not dot or is_computed(text):
            continue
        names = tuple(name.strip() for name in rest.split(","))
        alternatives = tuple(piece.strip() for piece in re.split(r"\s*\|\s*", " ".join(text.split())) if piece.strip())
        if not alternatives:
            raise GrowthError(f"start.values {key!r} says nothing; leave it out, or write what it may be")
        if len(names) == 1:
            single[names[0]] = alternatives
            continue
        rows = tuple(tuple(part.strip() for part in row.split(", ")) for row in alternatives)
        for row in rows:
            if len(row) != len(names):
                raise GrowthError(
                    f"start.values {key!r}: the row {', '.join(row)!r} has {len(row)} fields, not {len(names)}"
                )
        tables.append(Table(names, rows))
    return Values(single, tuple(tables))


def drawn(type_: Type, alternatives: tuple[str, ...], chance: Chance, today: str, what: str) -> Any:
    """A value of a plain type: one of the alternatives, or what the type alone allows."""
    if alternatives:
        return read(type_, chance.pick(alternatives), chance, today, what)
    try:
        return column_of(type_).draw(type_, _sampling(chance, today))
    except NotDrawnError:
        raise GrowthError(f"{what} is a plain text; say under start.values which texts it may be") from None


def read(type_: Type, text: str, chance: Chance, today: str, what: str) -> Any:
    """One alternative as a value: a range is drawn from, a pattern filled in."""
    try:
        return column_of(type_).read(type_, text, _sampling(chance, today))
    except (ValueError, IndexError):
        raise GrowthError(f"start.values of {what}: {text!r} is no {type_}") from None


def _sampling(chance: Chance, today: str) -> Sampling:
    return Sampling(chance, today, lambda shape: sample_text(shape, chance))
