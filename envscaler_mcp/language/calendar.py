"""Dates and times as ISO texts. The calendar begins and ends where Python's does."""

from __future__ import annotations

from datetime import MAXYEAR, MINYEAR, UTC, date, datetime, timedelta

_FIRST, _LAST = datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)


WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


def weekdays_named(text: str) -> tuple[int, ...]:
    """The days, from 0 for Monday, that `mon` or `fri..mon` name; none where the text names none."""
    first, dots, last = text.partition("..")
    if first not in WEEKDAYS or (dots and last not in WEEKDAYS):
        return ()
    start = WEEKDAYS.index(first)
    span = (WEEKDAYS.index(last) - start) % len(WEEKDAYS) if dots else 0
    return tuple((start + days) % len(WEEKDAYS) for days in range(span + 1))


def move_day(day: str, days: int) -> str:
    start = date.fromisoformat(day)
    try:
        return (start + timedelta(days=days)).isoformat()
    except OverflowError:
        return (date.max if days > 0 else date.min).isoformat()


def move_moment(moment: str, minutes: int) -> str:
    try:
        moved = _read(moment) + timedelta(minutes=minutes)
    except OverflowError:
        moved = _LAST if minutes > 0 else _FIRST
    return moved.replace(tzinfo=None).isoformat(timespec="minutes")


def days_from(start: str, end: str) -> int:
    return (date.fromisoformat(end) - date.fromisoformat(start)).days


def minutes_from(start: str, end: str) -> int:
    """Between two moments, or between two times of one day."""
    span = _read(end) - _read(start)
    return span.days * 1440 + span.seconds // 60


def move_months(day: str, months: int) -> str:
    """The same day of another month, or the last one that month has."""
    start = date.fromisoformat(day)
    ahead = start.month - 1 + months
    year = min(max(start.year + ahead // 12, MINYEAR), MAXYEAR)
    for last in range(start.day, 0, -1):
        try:
            return date(year, ahead % 12 + 1, last).isoformat()
        except ValueError:
            continue
    raise AssertionError("every month has a first day")


def first_of_month(day: str) -> str:
    return date.fromisoformat(day).replace(day=1).isoformat()


def weekday(day: str) -> int:
    """1 for Monday to 7 for Sunday."""
    return date.fromisoformat(day).weekday() + 1


def whole_years(start: str, end: str) -> int:
    """Birthdays passed; one on 29 February is on 1 March in other years."""
    a, b = date.fromisoformat(start), date.fromisoformat(end)
    return b.year - a.year - (1 if (b.month, b.day) < (a.month, a.day) else 0)


def days_of(start: str, end: str) -> list[str]:
    """Each date before the end, at most 366."""
    days: list[str] = []
    while start < end and len(days) < 366:
        days.append(start)
        start = move_day(start, 1)
    return days


def _read(text: str) -> datetime:
    """A moment; a time is one of the first day. Zones differ nowhere here, so one will do."""
    return datetime.fromisoformat(text if "T" in text else f"2000-01-01T{text}").replace(tzinfo=UTC)
