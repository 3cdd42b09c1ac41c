"""What the functions of the language give, written down a second time and apart from compiled code."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from fractions import Fraction
from functools import total_ordering
from typing import Any

from envscaler_mcp.language import calendar
from envscaler_mcp.language.interpreter.store import as_stored

MOST_NUMBERS = 1000


@total_ordering
class Reversed:
    """A value that sorts the other way round."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Reversed) and bool(self.value == other.value)

    def __lt__(self, other: Reversed) -> bool:
        return bool(other.value < self.value)

    __hash__ = None  # type: ignore[assignment]


def nearest(value: Fraction | int) -> int:
    """Halves go away from zero."""
    ratio = Fraction(value)
    whole, rest = divmod(abs(ratio.numerator), ratio.denominator)
    if 2 * rest >= ratio.denominator:
        whole += 1
    return whole if ratio >= 0 else -whole


def below(value: Fraction | int) -> int:
    ratio = Fraction(value)
    return ratio.numerator // ratio.denominator


def above(value: Fraction | int) -> int:
    return -below(-Fraction(value))


def bucket(*values: Any) -> int:
    text = "|".join(str(as_stored(value)) for value in values)
    return int(hashlib.sha256(text.encode()).hexdigest()[:16], 16) % 100


def share_a_moment(start: Any, end: Any, other_start: Any, other_end: Any) -> bool:
    """Half-open: what ends at nine does not meet what starts at nine."""
    return bool(other_end > start and end > other_start)


def numbers(start: int, end: int) -> list[int]:
    values: list[int] = []
    while start < end and len(values) < MOST_NUMBERS:
        values.append(start)
        start += 1
    return values


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "len": len,
    "abs": abs,
    "min": min,
    "max": max,
    "round": nearest,
    "floor": below,
    "ceil": above,
    "lower": str.lower,
    "overlap": share_a_moment,
    "day": lambda moment: moment.split("T")[0],
    "clock": lambda moment: moment.split("T")[1],
    "moment": lambda day, time: f"{day}T{time}",
    "days": lambda count: count * 24 * 60,
    "hours": lambda count: count * 60,
    "add_months": calendar.move_months,
    "month_start": calendar.first_of_month,
    "weekday": calendar.weekday,
    "years": calendar.whole_years,
    "dates": calendar.days_of,
    "range": numbers,
    "bucket": bucket,
    "desc": Reversed,
}
