"""Other valid values of a type: what a mutant says instead, and what a telling must tell apart.

How a type is mutated stands here alone, by kind.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from itertools import islice
from typing import Any

from envscaler_mcp.artifacts import canonical_json
from envscaler_mcp.language.types import Kind, Type

_DIGITS = re.compile(r"\d+(?!.*\d)", re.DOTALL)
_TIME_STEPS = (30, -45, 60, 15, -15)
_DAY_STEPS = (1, -1, 7)
_NEIGHBOURS = 2
"""How many texts of other records are tried in a text's place."""


@dataclass(frozen=True, slots=True)
class Nearby:
    """The world beside a value: what day it is, which records there are, what the same field holds elsewhere."""

    today: str
    records: Callable[[str], Collection[str]]
    """The ids of an entity."""
    observed: tuple[Any, ...] = ()
    """Values of the same field in other records."""

    def beside(self, observed: Iterable[Any]) -> Nearby:
        """The same world, looked at from another field."""
        return Nearby(self.today, self.records, tuple(observed))


def other_values(value: Any, type_: Type, nearby: Nearby) -> Iterator[Any]:
    """Valid values of the type that are not this one, those nearest to it first; each once."""
    seen = {canonical_json(value)}
    for other in _tried(value, type_, nearby):
        text = canonical_json(other)
        if text not in seen and is_valid(other, type_, nearby):
            seen.add(text)
            yield other


def is_valid(value: Any, type_: Type, nearby: Nearby) -> bool:
    """Whether a stored value is one of the type, as far as this world tells."""
    if value is None:
        return type_.optional
    match type_.kind:
        case "bool":
            return isinstance(value, bool)
        case "int" | "money":
            number = isinstance(value, int | float) and not isinstance(value, bool)
            return number and (type_.low is None or value >= type_.low) and (type_.high is None or value <= type_.high)
        case "one_of":
            return value in type_.options
        case "ref":
            return value in nearby.records(type_.entity)
        case "date":
            return _reads(value, date.fromisoformat, r"\d{4}-\d\d-\d\d")
        case "datetime":
            return _reads(value, datetime.fromisoformat, r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d.*)?")
        case "time":
            return _reads(value, lambda text: datetime.strptime(text[:5], "%H:%M"), r"\d\d:\d\d(:\d\d)?")  # noqa: DTZ007
        case "list":
            return isinstance(value, list) and all(is_valid(entry, type_.of, nearby) for entry in value if type_.of)
    return type_.kind != "text" or (isinstance(value, str) and bool(value.strip()))


def _reads(value: Any, reader: Callable[[str], object], shape: str) -> bool:
    if not isinstance(value, str) or not re.fullmatch(shape, value):
        return False
    try:
        reader(value)
    except ValueError:
        return False
    return True


def _tried(value: Any, type_: Type, nearby: Nearby) -> Iterator[Any]:
    if value is None:
        yield from islice(_MADE[type_.kind](type_, nearby), 1) if type_.kind in _MADE else ()
        return
    mutation = MUTATIONS.get(type_.kind)
    if mutation is not None:
        yield from mutation(value, type_, nearby)
    if type_.optional:
        yield None


# How each kind is mutated


def _bools(value: Any, _type: Type, _nearby: Nearby) -> Iterator[Any]:
    yield not value


def _numbers(value: Any, type_: Type, _nearby: Nearby) -> Iterator[Any]:
    if isinstance(value, float):
        yield from (value + 1, value / 2 + 0.25)
    else:
        yield from (value + 1, value - 1, value * 2 + 1)
    yield from (edge for edge in (type_.low, type_.high) if edge is not None)


def _amounts(value: Any, type_: Type, nearby: Nearby) -> Iterator[Any]:
    """A cent, a unit and a half more or less: what a slip of the finger and what another price would be."""
    if isinstance(value, float):
        yield from _numbers(value, type_, nearby)
        return
    yield from (value + 1, value - 100, value + 100, value + value // 2 + 50)
    yield from (edge for edge in (type_.low, type_.high) if edge is not None)


def _options(value: Any, type_: Type, _nearby: Nearby) -> Iterator[Any]:
    yield from (option for option in type_.options if option != value)


def _records(value: Any, type_: Type, nearby: Nearby) -> Iterator[Any]:
    yield from (key for key in sorted(nearby.records(type_.entity)) if key != value)


def _days(value: Any, _type: Type, nearby: Nearby) -> Iterator[Any]:
    try:
        day = date.fromisoformat(value)
    except ValueError:
        return
    for step in _DAY_STEPS:
        yield _moved(day, timedelta(days=step))
    yield nearby.today[:10]


def _moved(day: date, by: timedelta) -> str:
    try:
        return (day + by).isoformat()
    except OverflowError:
        return day.isoformat()


def _times(value: Any, _type: Type, _nearby: Nearby) -> Iterator[Any]:
    """Other minutes of the same day."""
    try:
        clock = datetime.strptime(value[:5], "%H:%M")  # noqa: DTZ007
    except ValueError:
        return
    for step in _TIME_STEPS:
        moved = clock + timedelta(minutes=step)
        if moved.date() == clock.date():
            yield f"{moved:%H:%M}{value[5:]}"


def _moments(value: Any, type_: Type, nearby: Nearby) -> Iterator[Any]:
    day, clock, between = value[:10], value[11:], value[10:11]
    times, days = list(_times(clock, type_, nearby)), list(_days(day, type_, nearby))
    # The first two: another time of the same day, and the same time of another day.
    yield from (f"{day}{between}{other}" for other in times[:1])
    yield from (f"{other}{between}{clock}" for other in days)
    yield from (f"{day}{between}{other}" for other in times[1:])


def _texts(value: Any, type_: Type, nearby: Nearby) -> Iterator[Any]:
    """The same with another number or word in it, and what other records say there."""
    mail, at, host = value.partition("@")
    last = _DIGITS.search(value)
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
    others = sorted({entry for entry in nearby.observed if isinstance(entry, str) and entry.strip() and entry != value})
    yield from islice(others, _NEIGHBOURS)


def _counted_on(digits: str) -> str:
    """The next number with as many digits: 09 → 10, 99 → 98."""
    more = str(int(digits) + 1).zfill(len(digits))
    return more if len(more) == len(digits) else str(int(digits) - 1).zfill(len(digits))


def _lists(value: Any, type_: Type, nearby: Nearby) -> Iterator[Any]:
    """One entry fewer, one entry otherwise, one entry more."""
    element = type_.of or Type("text")
    if len(value) > 1:
        yield value[:-1]
    if element.kind == "struct":
        yield from _entries_changed(value, element, nearby)
        return
    for other in _tried_elements(value, element, nearby):
        yield [*value[:-1], other] if value else [other]
        if value:
            yield [*value, other]
        break


def _tried_elements(value: list[Any], element: Type, nearby: Nearby) -> Iterator[Any]:
    last = value[-1] if value else None
    source = other_values(last, element.certain, nearby)
    yield from (other for other in source if other is not None and other not in value)


def _entries_changed(value: list[Any], struct: Type, nearby: Nearby) -> Iterator[Any]:
    for place, entry in enumerate(value):
        for other in _structures(entry, struct, nearby):
            yield [*value[:place], other, *value[place + 1 :]]


def _structures(value: Any, type_: Type, nearby: Nearby) -> Iterator[Any]:
    """One field otherwise, each in turn."""
    for name, field in type_.fields if isinstance(value, dict) else ():
        key = name if name in value else f"{name}_id"
        if value.get(key) is not None:
            for other in islice(other_values(value[key], field.certain, nearby), 1):
                yield {**value, key: other}


_JSON: tuple[tuple[type, Kind], ...] = (
    (bool, "bool"),
    (int, "int"),
    (float, "int"),
    (str, "text"),
    (list, "list"),
    (dict, "struct"),
)


def _unknown(value: Any, _type: Type, nearby: Nearby) -> Iterator[Any]:
    """Where the type is not known, another value of its kind in JSON."""
    kind = next((kind for python, kind in _JSON if isinstance(value, python)), None)
    if kind is not None and kind != "struct":
        yield from MUTATIONS[kind](value, Type(kind, of=Type("none")), nearby)


Mutation = Callable[[Any, Type, Nearby], Iterator[Any]]

MUTATIONS: dict[Kind, Mutation] = {
    "bool": _bools,
    "int": _numbers,
    "money": _amounts,
    "one_of": _options,
    "ref": _records,
    "date": _days,
    "time": _times,
    "datetime": _moments,
    "text": _texts,
    "list": _lists,
    "struct": _structures,
    "none": _unknown,
}
"""How a value of each kind becomes another one of its type."""


def _lowest(type_: Type, _nearby: Nearby) -> Iterator[Any]:
    yield type_.low if type_.low is not None else 1


_MADE: dict[Kind, Callable[[Type, Nearby], Iterator[Any]]] = {
    "bool": lambda _type, _nearby: iter((True,)),
    "int": _lowest,
    "money": _lowest,
    "one_of": lambda type_, _nearby: iter(type_.options),
    "ref": lambda type_, nearby: iter(sorted(nearby.records(type_.entity))),
    "date": lambda _type, nearby: iter((nearby.today[:10],)),
    "time": lambda _type, _nearby: iter(("10:00",)),
    "datetime": lambda _type, nearby: iter((f"{nearby.today[:10]}T10:00",)),
    "text": lambda _type, nearby: iter((*sorted(t for t in nearby.observed if isinstance(t, str) and t), "a word")),
}
"""A first value of each kind, where there is none yet."""
