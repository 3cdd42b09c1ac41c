"""What a blueprint says of time in its start states: daily steps, values that follow from others, hours."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date

from envscaler_mcp.artifacts import Blueprint
from envscaler_mcp.language.calendar import WEEKDAYS, weekdays_named
from envscaler_mcp.language.expressions import Expr, names_in
from envscaler_mcp.language.fitting import assignable
from envscaler_mcp.language.model import Model
from envscaler_mcp.language.reader import ExpressionReader
from envscaler_mcp.language.scope import NameScope
from envscaler_mcp.language.stories import Deed, read_deeds
from envscaler_mcp.language.types import Complaint, Type

_HOURS = re.compile(r"(\S+)\s+(\d\d:\d\d)\.\.(\d\d:\d\d)")
FIRST, LAST = "08:00", "18:00"
"""When a day begins and ends where no hours are given."""


@dataclass(frozen=True, slots=True)
class Hours:
    """When things happen: by weekday, Monday first, from when until when; nothing on a day that is closed."""

    days: tuple[tuple[str, str] | None, ...]

    def of(self, day: str) -> tuple[str, str] | None:
        return self.days[date.fromisoformat(day).weekday()]


@dataclass(frozen=True, slots=True)
class Computed:
    """A value that follows from others, and the names of these."""

    value: Expr
    names: frozenset[str]


@dataclass(frozen=True, slots=True)
class StartPlan:
    """What is done every day, which values follow from others, and when things happen."""

    daily: tuple[Deed, ...] = ()
    computed: Mapping[str, Mapping[str, Computed]] = field(default_factory=dict)
    """By entity, operation or query, and by attribute or parameter."""
    hours: Hours | None = None

    def opening(self, day: str) -> str:
        """When a day begins; one that is closed begins as others do."""
        hours = self.hours.of(day) if self.hours is not None else None
        return hours[0] if hours is not None else FIRST


Report = Callable[[str, str], None]


def is_computed(text: str) -> bool:
    """Whether what is said of a value is an expression."""
    return text.lstrip().startswith("=")


def read_start(blueprint: Blueprint, model: Model, reader: ExpressionReader, report: Report) -> StartPlan:
    """The plan; what is wrong is reported place by place."""
    daily: tuple[Deed, ...] = ()
    try:
        daily = read_deeds(blueprint.start.daily, model, reader)
    except Complaint as complaint:
        report("start, daily", str(complaint))
    computed: dict[str, dict[str, Computed]] = {}
    for key, text in blueprint.start.values.items():
        if is_computed(text):
            owner, _, name = key.partition(".")
            try:
                computed.setdefault(owner, {})[name] = _computed(
                    owner, name, text.strip()[1:], blueprint, model, reader
                )
            except Complaint as complaint:
                report(f"start, values {key}", str(complaint))
    hours = None
    if blueprint.start.hours:
        try:
            hours = read_hours(blueprint.start.hours)
        except Complaint as complaint:
            report("start, hours", str(complaint))
    return StartPlan(daily, computed, hours)


def _computed(
    owner: str, name: str, text: str, blueprint: Blueprint, model: Model, reader: ExpressionReader
) -> Computed:
    types = _types(owner, model)
    if name not in types:
        raise Complaint(
            f"write one attribute or parameter of an entity, an operation or a query; {owner} has no {name!r}"
        )
    others = {other: type_ for other, type_ in types.items() if other != name}
    place = NameScope({})
    for other, type_ in others.items():
        known = not is_computed(blueprint.start.values.get(f"{owner}.{other}", "")) and not _is_structured(type_)
        if known and other not in reader.reserved:
            place = reader.bind(place, other, type_, "the value")
    value = reader.read(text, place)
    # A call without a value that it needs is not made; a record without one would be wrong.
    target = types[name] if owner in model.entities else types[name].maybe
    assignable(value, target, text.strip())
    return Computed(value, frozenset(names_in(value)) & others.keys())


def _types(owner: str, model: Model) -> dict[str, Type]:
    if owner in model.entities:
        return {attribute.name: attribute.type for attribute in model.entities[owner].stored}
    asked = model.operations.get(owner) or model.queries.get(owner)
    return {param.name: param.type for param in asked.params} if asked is not None else {}


def _is_structured(type_: Type) -> bool:
    return type_.of is not None and type_.of.kind == "struct"


def read_hours(text: str) -> Hours:
    """`mon..fri 08:00..18:00 | sat 09:00..13:00`."""
    days: list[tuple[str, str] | None] = [None] * len(WEEKDAYS)
    for piece in map(str.strip, text.split("|")):
        match = _HOURS.fullmatch(piece)
        if match is None or not _is_span(match[2], match[3]):
            raise Complaint(f"{piece!r}: write weekdays and when they begin and end: mon..fri 08:00..18:00")
        for day in weekdays_named(match[1]) or _no_weekdays(match[1]):
            days[day] = (match[2], match[3])
    return Hours(tuple(days))


def _no_weekdays(text: str) -> Iterable[int]:
    raise Complaint(f"{text!r} is no weekday and no span of them: {', '.join(WEEKDAYS)}, mon..fri")


def _is_span(first: str, last: str) -> bool:
    return all(time[:2] < "24" and time[3:] < "60" for time in (first, last)) and first < last
