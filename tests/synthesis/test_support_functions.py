"""The small functions that compiled code calls, against those that the interpreter was given independently."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as draw

from envscaler_mcp.language import calendar
from envscaler_mcp.language.column_types.numbers import amount
from envscaler_mcp.language.interpreter.functions import FUNCTIONS as MEANT
from envscaler_mcp.synthesis.compile.support import FUNCTIONS, IMPORTS


def compiled() -> dict[str, Callable[..., Any]]:
    names: dict[str, Any] = {}
    code = "\n".join(["from __future__ import annotations", *IMPORTS.values(), *FUNCTIONS.values()])
    exec(compile(code, "support", "exec"), names)  # our own text
    return names


MADE = compiled()
DAYS = draw.dates().map(date.isoformat)
MOMENTS = draw.datetimes().map(lambda moment: moment.isoformat(timespec="minutes"))
TIMES = draw.times().map(lambda moment: moment.isoformat(timespec="minutes"))
FEW = draw.integers(-5000, 5000) | draw.integers(-(10**13), 10**13)
LAST = "9999-12-31"


@given(DAYS, FEW)
@example(LAST, 1)
@example("0001-01-01", -1)
@example("2024-02-29", 366)
def test_days_move(day: str, days: int) -> None:
    assert MADE["_plus_days"](day, days) == calendar.move_day(day, days)


@given(MOMENTS, FEW)
@example(f"{LAST}T23:59", 1)
@example("0001-01-01T00:00", -1)
def test_moments_move(moment: str, minutes: int) -> None:
    assert MADE["_plus_minutes"](moment, minutes) == calendar.move_moment(moment, minutes)


@given(DAYS, DAYS)
def test_days_lie_between_dates(start: str, end: str) -> None:
    assert MADE["_days_between"](start, end) == calendar.days_from(start, end)
    assert MADE["_years"](start, end) == calendar.whole_years(start, end)
    assert MADE["_dates"](start, end) == calendar.days_of(start, end)


@given(MOMENTS, MOMENTS)
def test_minutes_lie_between_moments(start: str, end: str) -> None:
    assert MADE["_minutes_between"](start, end) == calendar.minutes_from(start, end)


@given(TIMES, TIMES)
def test_minutes_lie_between_times_of_a_day(start: str, end: str) -> None:
    assert MADE["_clock_minutes"](end) - MADE["_clock_minutes"](start) == calendar.minutes_from(start, end)


@given(DAYS, draw.integers(-200_000, 200_000))
@example("2024-01-31", 1)
@example("2023-01-31", 1)
@example(LAST, 2)
def test_months_end_where_they_are_shorter(day: str, months: int) -> None:
    assert MADE["_add_months"](day, months) == calendar.move_months(day, months)


@given(DAYS)
def test_a_week_begins_on_monday(day: str) -> None:
    assert MADE["_weekday"](day) == calendar.weekday(day)


@given(draw.fractions() | draw.integers())
@example(Fraction(1, 2))
@example(Fraction(-1, 2))
@example(Fraction(5, 2))
def test_halves_are_rounded_away_from_zero(value: Fraction | int) -> None:
    assert MADE["_rounded"](value) == MEANT["round"](value)
    assert (MADE["floor"](value), MADE["ceil"](value)) == (MEANT["floor"](value), MEANT["ceil"](value))


@given(draw.integers(-(10**15), 10**15))
@example(-5)
@example(99)
@example(-100)
def test_amounts_are_written_alike(cents: int) -> None:
    assert MADE["_money"](cents) == amount(cents)


@given(draw.lists(draw.integers() | draw.text() | draw.booleans(), min_size=1, max_size=4))
def test_buckets_never_change(values: list[Any]) -> None:
    try:
        meant = MEANT["bucket"](*values)
    except UnicodeEncodeError:
        return
    assert MADE["_bucket"](*values) == meant
    assert 0 <= meant <= 99


@given(draw.integers(-50, 50), draw.integers(-50, 3000))
def test_numbers_end_before_the_last(start: int, end: int) -> None:
    assert MADE["_numbers"](start, end) == MEANT["range"](start, end) == list(range(start, end))[:1000]


@given(draw.tuples(DAYS, DAYS, DAYS, DAYS))
def test_stretches_that_touch_do_not_overlap(ends: tuple[str, str, str, str]) -> None:
    assert MADE["_overlap"](*ends) == MEANT["overlap"](*ends)
    start, end = sorted(ends[:2])
    assert not MADE["_overlap"](start, end, end, LAST + "x")


@given(draw.lists(draw.text(max_size=5), max_size=6))
def test_texts_can_be_put_in_reverse_order(words: list[str]) -> None:
    assert sorted(words, key=MADE["_descending"]) == sorted(words, key=MEANT["desc"]) == sorted(words, reverse=True)


@pytest.mark.parametrize(
    ("name", "arguments", "answer"),
    [
        ("round", (Fraction(5, 2),), 3),
        ("round", (Fraction(-5, 2),), -3),
        ("floor", (Fraction(-1, 3),), -1),
        ("ceil", (Fraction(-1, 3),), 0),
        ("day", ("2026-03-02T09:30",), "2026-03-02"),
        ("clock", ("2026-03-02T09:30",), "09:30"),
        ("moment", ("2026-03-02", "09:30"), "2026-03-02T09:30"),
        ("days", (2,), 2880),
        ("hours", (-3,), -180),
        ("add_months", ("2024-01-31", 1), "2024-02-29"),
        ("add_months", ("2026-01-31", -2), "2025-11-30"),
        ("month_start", ("2026-03-31",), "2026-03-01"),
        ("weekday", ("2026-03-02",), 1),
        ("years", ("2008-03-03", "2026-03-02"), 17),
        ("years", ("2004-02-29", "2022-02-28"), 17),
        ("dates", ("2026-02-27", "2026-03-02"), ["2026-02-27", "2026-02-28", "2026-03-01"]),
        ("dates", ("2026-03-02", "2026-03-02"), []),
        ("overlap", (1, 3, 3, 5), False),
        ("overlap", (1, 4, 3, 5), True),
        ("lower", ("ÄB",), "äb"),
    ],
)
def test_the_interpreter_counts_as_people_do(name: str, arguments: tuple[Any, ...], answer: Any) -> None:
    assert MEANT[name](*arguments) == answer
