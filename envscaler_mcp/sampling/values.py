"""What the `values` of a blueprint's start say: alternatives, ranges, patterns and coherent rows."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from envscaler_mcp.errors import GrowthError
from envscaler_mcp.language.types import Type
from envscaler_mcp.sampling.chance import Chance
from envscaler_mcp.sampling.vocabulary import text_of

_DAY = r"(?:today([+-]\d+)?|(\d{4}-\d{2}-\d{2}))"
_OFFICE = ("09:00", "09:30", "10:00", "10:30", "11:00", "13:00", "14:00", "14:30", "15:00", "16:00")
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
        if head != owner or not dot:
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
    match type_.kind:
        case "bool":
            return chance.of(50)
        case "one_of":
            return chance.pick(type_.options)
        case "int":
            low, high = (1, 10) if type_.low is None or type_.high is None else (type_.low, type_.high)
            return chance.between(low, high)
        case "money":
            low, high = (500, 50_000) if type_.low is None or type_.high is None else (type_.low, type_.high)
            value = chance.between(low, high)
            # People's prices are round.
            rounded = value - value % (500 if high - low > 5000 else 50 if high - low > 500 else 1)
            return max(low, rounded)
        case "date":
            return _shifted(today, chance.between(-120, 30))
        case "datetime":
            return f"{_shifted(today, chance.between(-14, 14))}T{chance.pick(_OFFICE)}"
        case "time":
            return chance.pick(_OFFICE)
    if type_.shape:
        return text_of(type_.shape, chance)
    raise GrowthError(f"{what} is a plain text; say under start.values which texts it may be")


def read(type_: Type, text: str, chance: Chance, today: str, what: str) -> Any:
    """One alternative as a value: a range is drawn from, a pattern filled in."""
    try:
        return _read(type_, text, chance, today)
    except (ValueError, IndexError):
        raise GrowthError(f"start.values of {what}: {text!r} is no {type_}") from None


def _read(type_: Type, text: str, chance: Chance, today: str) -> Any:
    match type_.kind:
        case "bool":
            return {"true": True, "false": False}[text.lower()] if text.lower() in ("true", "false") else _no(text)
        case "one_of":
            return text if text in type_.options else _no(text)
        case "int" | "money":
            low, dots, high = text.partition("..")
            return chance.between(int(low), int(high)) if dots else int(low)
        case "date":
            return _date(text, chance, today)
        case "datetime":
            text = f"today{text[3:]}" if text.startswith("now") else text
            day, _, times = text.partition("T")
            chosen = chance.pick([time.strip() for time in times.split(",")]) if times else chance.pick(_OFFICE)
            return f"{_date(day, chance, today)}T{chosen}" if re.fullmatch(r"\d\d:\d\d", chosen) else _no(text)
        case "time":
            return text if re.fullmatch(r"\d\d:\d\d", text) else _no(text)
    filled = re.sub("#", lambda _: str(chance.below(10)), text) if "#" in text else text
    return (
        re.sub(r"\?(?=[?#\d-]|$)", lambda _: "ABCDEFGHJKLMNPQRSTUVWXYZ"[chance.below(24)], filled)
        if "?" in text
        else filled
    )


def _no(text: str) -> Any:
    raise ValueError(text)


def _date(text: str, chance: Chance, today: str) -> str:
    first, dots, last = text.partition("..")
    start = _one_day(first, today)
    if not dots:
        return start
    end = _one_day(last, today)
    span = (date.fromisoformat(end) - date.fromisoformat(start)).days
    return _shifted(start, chance.between(0, span)) if span >= 0 else _no(text)


def _one_day(text: str, today: str) -> str:
    match = re.fullmatch(_DAY, text.strip())
    if not match:
        return str(_no(text))
    return date.fromisoformat(match[2]).isoformat() if match[2] else _shifted(today, int(match[1] or 0))


def _shifted(day: str, days: int) -> str:
    return (date.fromisoformat(day) + timedelta(days=days)).isoformat()
