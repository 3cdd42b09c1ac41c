"""Dates, times of day, and moments that are both. Stored as ISO texts, which sort as time passes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import date, datetime, timedelta
from functools import lru_cache
from typing import Any, ClassVar

from envscaler_mcp.language import calendar
from envscaler_mcp.language.column_types.column_type import ColumnType, Nearby, Sampling, TextFormat
from envscaler_mcp.language.python_code import SUM, UNARY, Code
from envscaler_mcp.language.types import DATE, DATETIME, TIME, Type

MONTHS = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip
_DAY = re.compile(r"(?:today([+-]\d+)?|(\d{4}-\d{2}-\d{2}))")
_ON_WEEKDAYS = re.compile(r"(.*\d|.*today)\s+([a-z]{3}(?:\.\.[a-z]{3})?)")
"""A day or a range of them, and the weekdays that are meant."""
_CLOCK = re.compile(r"\d\d:\d\d")
_OFFICE = ("09:00", "09:30", "10:00", "10:30", "11:00", "13:00", "14:00", "14:30", "15:00", "16:00")
_TIME_STEPS = (30, -45, 60, 15, -15)
_DAY_STEPS = (1, -1, 7)
_OFFERED_DAYS = (0, 1, 7, 30, -1, -30, 365)


def _days_offered(today: str, what: str) -> Iterable[tuple[str, str]]:
    return ((calendar.move_day(today, days), f"{what} {days} days from today") for days in _OFFERED_DAYS)


def _times_offered(_today: str, what: str) -> Iterable[tuple[str, str]]:
    return ((time, f"{what} {time}") for time in ("09:00", "17:30", "00:00", "23:59"))


def _moments_offered(today: str, what: str) -> Iterable[tuple[str, str]]:
    return ((f"{day}T10:00", words) for day, words in _days_offered(today, what))


class _Written(ColumnType):
    """A date or a time in the one form in which the language writes it."""

    ordered = on_a_line = has_distance = True
    written: ClassVar[str]
    """Its form, as `strftime` has it."""
    alias: ClassVar[str]
    noun: ClassVar[str]
    explained: ClassVar[str]
    """Its form, for the documentation of an argument."""

    def reads(self, text: str) -> bool:
        return _is_written(self.written, text)

    def annotation(self, type_: Type) -> str:
        return self.alias

    def called(self, what: str) -> str:
        return f"{what.capitalize()}: {self.noun}"

    def form(self, type_: Type) -> str:
        return f", as {self.explained}"


class DateType(_Written):
    """`date`: 2026-03-02."""

    name = "date"
    written = "%Y-%m-%d"
    alias = "Date"
    aliases: ClassVar[Mapping[str, str]] = {"Date": 'Annotated[str, {"format": "date"}]'}
    noun = "a date"
    explained = "YYYY-MM-DD"
    step = "days"
    on_a_day = True
    usual = ("today..today+14", "today-45..today+7")
    formats = (TextFormat("date", DATE, r"\d{4}-\d\d-\d\d", "2026-02-30", _days_offered),)

    def moved(self, value: Any, steps: int) -> Any:
        return calendar.move_day(value, steps)

    def distance(self, start: Any, end: Any) -> int:
        return calendar.days_from(start, end)

    def moved_code(self, value: Code, steps: Code, op: str) -> Code:
        return Code(f"_plus_days({value}, {_signed(steps, op)})")

    def distance_code(self, start: Code, end: Code) -> Code:
        return Code(f"_days_between({start}, {end})")

    def draw(self, type_: Type, sampling: Sampling) -> Any:
        return calendar.move_day(sampling.today, sampling.chance.between(-120, 30))

    def read(self, type_: Type, text: str, sampling: Sampling) -> Any:
        if match := _ON_WEEKDAYS.fullmatch(text.strip()):
            return sampling.chance.pick(_days_on(match[1], match[2], sampling.today))
        first, dots, last = text.partition("..")
        start = _one_day(first, sampling.today)
        if not dots:
            return start
        span = calendar.days_from(start, _one_day(last, sampling.today))
        if span < 0:
            raise ValueError(text)
        return calendar.move_day(start, sampling.chance.between(0, span))

    def say(self, value: Any, form: str, today: str) -> str:
        return spoken_day(value, today)

    def is_valid(self, value: Any, type_: Type, nearby: Nearby) -> bool:
        return _parses(value, date.fromisoformat, r"\d{4}-\d\d-\d\d")

    def others(self, value: Any, type_: Type, nearby: Nearby) -> Iterator[Any]:
        return _other_days(value, nearby)

    def first(self, type_: Type, nearby: Nearby) -> Iterator[Any]:
        yield nearby.today[:10]


class TimeType(_Written):
    """`time`: 09:30."""

    name = "time"
    written = "%H:%M"
    alias = "Time"
    aliases: ClassVar[Mapping[str, str]] = {"Time": 'Annotated[str, {"format": "time"}]'}
    noun = "a time of day"
    explained = "HH:MM"
    formats = (TextFormat("time", TIME, r"\d\d:\d\d", "25:00", _times_offered, r"([01]\d|2[0-3]):[0-5]\d(:[0-5]\d)?"),)

    def distance(self, start: Any, end: Any) -> int:
        return calendar.minutes_from(start, end)

    def distance_code(self, start: Code, end: Code) -> Code:
        return Code(f"_clock_minutes({end}) - _clock_minutes({start})", SUM)

    def draw(self, type_: Type, sampling: Sampling) -> Any:
        return sampling.chance.pick(_OFFICE)

    def read(self, type_: Type, text: str, sampling: Sampling) -> Any:
        if not _CLOCK.fullmatch(text):
            raise ValueError(text)
        return text

    def is_valid(self, value: Any, type_: Type, nearby: Nearby) -> bool:
        return _parses(value, lambda text: datetime.strptime(text[:5], "%H:%M"), r"\d\d:\d\d(:\d\d)?")  # noqa: DTZ007

    def others(self, value: Any, type_: Type, nearby: Nearby) -> Iterator[Any]:
        return _other_times(value)

    def first(self, type_: Type, nearby: Nearby) -> Iterator[Any]:
        yield "10:00"


class DateTimeType(_Written):
    """`datetime`: 2026-03-02T09:30."""

    name = "datetime"
    written = "%Y-%m-%dT%H:%M"
    alias = "DateTime"
    aliases: ClassVar[Mapping[str, str]] = {"DateTime": 'Annotated[str, {"format": "date-time"}]'}
    noun = "date and time"
    explained = "YYYY-MM-DDTHH:MM"
    step = "minutes"
    on_a_day = True
    usual = DateType.usual
    forms = ("day", "time")
    formats = (
        TextFormat(
            "date-time",
            DATETIME,
            r"\d{4}-\d\d-\d\dT\d\d:\d\d",
            "2026-02-30T10:00",
            _moments_offered,
            r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d.*)?",
        ),
    )

    def moved(self, value: Any, steps: int) -> Any:
        return calendar.move_moment(value, steps)

    def distance(self, start: Any, end: Any) -> int:
        return calendar.minutes_from(start, end)

    def moved_code(self, value: Code, steps: Code, op: str) -> Code:
        return Code(f"_plus_minutes({value}, {_signed(steps, op)})")

    def distance_code(self, start: Code, end: Code) -> Code:
        return Code(f"_minutes_between({start}, {end})")

    def draw(self, type_: Type, sampling: Sampling) -> Any:
        day = calendar.move_day(sampling.today, sampling.chance.between(-14, 14))
        return f"{day}T{sampling.chance.pick(_OFFICE)}"

    def read(self, type_: Type, text: str, sampling: Sampling) -> Any:
        text = f"today{text[3:]}" if text.startswith("now") else text
        day, _, times = text.partition("T")
        # The time is drawn before the day: worlds that were grown before depend on it.
        clock = sampling.chance.pick([time.strip() for time in times.split(",")] if times else _OFFICE)
        chosen = DateType().read(DATE, day, sampling)
        if not _CLOCK.fullmatch(clock):
            raise ValueError(text)
        return f"{chosen}T{clock}"

    def say(self, value: Any, form: str, today: str) -> str:
        day, _, clock = value.partition("T")
        if form == "time":
            return str(clock)
        return spoken_day(day, today) if form == "day" else f"{spoken_day(day, today)} at {clock}"

    def said_alike(self, a: Any, b: Any, form: str) -> bool:
        if isinstance(a, str) and isinstance(b, str) and form in ("day", "time"):
            return a[:10] == b[:10] if form == "day" else a[-5:] == b[-5:]
        return bool(a == b)

    def leaves_out_the_day(self, form: str) -> bool:
        return form == "time"

    def is_valid(self, value: Any, type_: Type, nearby: Nearby) -> bool:
        return _parses(value, datetime.fromisoformat, r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d.*)?")

    def others(self, value: Any, type_: Type, nearby: Nearby) -> Iterator[Any]:
        day, clock, between = value[:10], value[11:], value[10:11]
        times, days = list(_other_times(clock)), list(_other_days(day, nearby))
        # The first two: another time of the same day, and the same time of another day.
        yield from (f"{day}{between}{other}" for other in times[:1])
        yield from (f"{other}{between}{clock}" for other in days)
        yield from (f"{day}{between}{other}" for other in times[1:])

    def first(self, type_: Type, nearby: Nearby) -> Iterator[Any]:
        yield f"{nearby.today[:10]}T10:00"


def spoken_day(day: str, today: str) -> str:
    """`5 March`, and the year where it is not this one."""
    when = date.fromisoformat(day)
    words = f"{when.day} {MONTHS[when.month - 1]}"
    return words if when.year == date.fromisoformat(today).year else f"{words} {when.year}"


@lru_cache(maxsize=4096)
def _is_written(form: str, text: str) -> bool:
    try:
        return datetime.strptime(text, form).strftime(form) == text  # noqa: DTZ007
    except ValueError:
        return False


def _parses(value: Any, reader: Any, shape: str) -> bool:
    if not isinstance(value, str) or not re.fullmatch(shape, value):
        return False
    try:
        reader(value)
    except ValueError:
        return False
    return True


def _signed(steps: Code, op: str) -> str:
    return str(steps) if op == "+" else f"-{steps.at(UNARY)}"


def _other_days(value: str, nearby: Nearby) -> Iterator[str]:
    try:
        day = date.fromisoformat(value)
    except ValueError:
        return
    for step in _DAY_STEPS:
        yield calendar.move_day(day.isoformat(), step)
    yield nearby.today[:10]


def _other_times(value: str) -> Iterator[str]:
    """Other minutes of the same day; seconds stay."""
    try:
        clock = datetime.strptime(value[:5], "%H:%M")  # noqa: DTZ007
    except ValueError:
        return
    for step in _TIME_STEPS:
        moved = clock + timedelta(minutes=step)
        if moved.date() == clock.date():
            yield f"{moved:%H:%M}{value[5:]}"


def _one_day(text: str, today: str) -> str:
    match = _DAY.fullmatch(text.strip())
    if not match:
        raise ValueError(text)
    return date.fromisoformat(match[2]).isoformat() if match[2] else calendar.move_day(today, int(match[1] or 0))


def _days_on(span: str, weekdays: str, today: str) -> list[str]:
    """The days of a range, no longer than a year, that are one of these weekdays."""
    first, _, last = span.partition("..")
    start, wanted = _one_day(first, today), calendar.weekdays_named(weekdays)
    days = range(min(calendar.days_from(start, _one_day(last or first, today)) + 1, 366))
    chosen = [
        day
        for day in (calendar.move_day(start, number) for number in days)
        if date.fromisoformat(day).weekday() in wanted
    ]
    if not chosen:
        raise ValueError(weekdays)
    return chosen
