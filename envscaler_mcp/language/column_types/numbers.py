"""Whole numbers, amounts of money, and the exact ratios that arise between them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, ClassVar

from envscaler_mcp.language.column_types.column_type import ColumnType, Nearby, Sampling
from envscaler_mcp.language.expressions import Expr, Literal
from envscaler_mcp.language.python_code import Code
from envscaler_mcp.language.types import Complaint, Type

SMALL_NUMBERS = (
    "no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
)  # fmt: skip
_RANGE = re.compile(r"^(-?\d+)\.\.(-?\d+)$")


class IntType(ColumnType):
    """`int` or `int(1..9)`."""

    name = "int"
    ordered = on_a_line = number = True
    unit = "int"
    python = "int"
    forms: ClassVar[tuple[str, ...]] = ("number",)
    widest: ClassVar[int] = 10**9
    """The bound of a number whose author gave none."""

    def parse(self, word: str, inner: str | None, whole: str) -> Type | None:
        low, high = _parse_range(inner, whole) if inner else (None, None)
        return Type(self.name, low=low, high=high)

    def default(self, text: str, bare: str, type_: Type, attribute: str) -> Expr | None:
        if not re.fullmatch(r"-?\d+", text):
            return None
        value = int(text)
        if (type_.low is not None and value < type_.low) or (type_.high is not None and value > type_.high):
            raise Complaint(f"the default {value} of {attribute!r} is outside its range")
        return Literal(type_, value)

    @property
    def says_text(self) -> bool:
        return False

    def annotation(self, type_: Type) -> str:
        low = -self.widest if type_.low is None else type_.low
        high = self.widest if type_.high is None else type_.high
        return f'Annotated[int, {{"minimum": {low}, "maximum": {high}}}]'

    def form(self, type_: Type) -> str:
        return "" if type_.low is None else f", from {type_.low} to {type_.high}"

    def fault(self, value: Any, type_: Type) -> str | None:
        if not is_whole_number(value):
            return f"is {value!r}, which is no whole number"
        if type_.low is not None and type_.high is not None and not type_.low <= value <= type_.high:
            return f"is {value}, which is not between {type_.low} and {type_.high}"
        return None

    def draw(self, type_: Type, sampling: Sampling) -> Any:
        low, high = (1, 10) if type_.low is None or type_.high is None else (type_.low, type_.high)
        return sampling.chance.between(low, high)

    def read(self, type_: Type, text: str, sampling: Sampling) -> Any:
        low, dots, high = text.partition("..")
        return sampling.chance.between(int(low), int(high)) if dots else int(low)

    def say(self, value: Any, form: str, today: str) -> str:
        return SMALL_NUMBERS[value] if form != "number" and 0 <= value < len(SMALL_NUMBERS) else f"{value}"

    def is_valid(self, value: Any, type_: Type, nearby: Nearby) -> bool:
        number = isinstance(value, int | float) and not isinstance(value, bool)
        return number and (type_.low is None or value >= type_.low) and (type_.high is None or value <= type_.high)

    def others(self, value: Any, type_: Type, nearby: Nearby) -> Iterator[Any]:
        yield from (value + 1, value / 2 + 0.25) if isinstance(value, float) else self._near(value)
        yield from (edge for edge in (type_.low, type_.high) if edge is not None)

    def _near(self, value: int) -> tuple[int, ...]:
        return value + 1, value - 1, value * 2 + 1

    def first(self, type_: Type, nearby: Nearby) -> Iterator[Any]:
        yield type_.low if type_.low is not None else 1


class MoneyType(IntType):
    """`money` or `money(0..100000)`: whole cents."""

    name = "money"
    unit = "money"
    forms = ()
    widest = 10**12
    note = "amounts of money are whole cents"

    @property
    def says_text(self) -> bool:
        return True

    def answer_text(self, value: Any) -> str:
        return amount(value)

    def answer_code(self, value: Code) -> Code:
        return Code(f"_money({value})")

    def form(self, type_: Type) -> str:
        return f", in cents{super().form(type_)}"

    def draw(self, type_: Type, sampling: Sampling) -> Any:
        low, high = (500, 50_000) if type_.low is None or type_.high is None else (type_.low, type_.high)
        value = sampling.chance.between(low, high)
        # People's prices are round.
        rounded = value - value % (500 if high - low > 5000 else 50 if high - low > 500 else 1)
        return max(low, rounded)

    def say(self, value: Any, form: str, today: str) -> str:
        whole, cents = divmod(abs(value), 100)
        sign = "-" if value < 0 else ""
        return f"{sign}${whole:,}" if not cents else f"{sign}${whole:,}.{cents:02d}"

    def _near(self, value: int) -> tuple[int, ...]:
        """A cent, a unit and a half more or less: a slip of the finger, and another price."""
        return value + 1, value - 100, value + 100, value + value // 2 + 50


class RatioType(ColumnType):
    """The result of a division, exact until it is rounded; no column has it."""

    name = "ratio"
    ordered = on_a_line = number = True
    python = "Fraction | int"

    def parse(self, word: str, inner: str | None, whole: str) -> Type | None:
        return None

    @property
    def sorts_by_minus(self) -> bool:
        return True

    @property
    def says_text(self) -> bool:
        return False

    def is_valid(self, value: Any, type_: Type, nearby: Nearby) -> bool:
        return True


def is_whole_number(value: Any) -> bool:
    """Whether a value is a whole number; true and false are none."""
    return isinstance(value, int) and not isinstance(value, bool)


def amount(cents: int) -> str:
    """Cents as people write them: 1,234.50."""
    sign = "-" if cents < 0 else ""
    digits = str(abs(cents)).rjust(3, "0")
    whole = digits[:-2]
    groups: list[str] = []
    while whole:
        groups.insert(0, whole[-3:])
        whole = whole[:-3]
    return f"{sign}{','.join(groups)}.{digits[-2:]}"


def _parse_range(text: str, whole: str) -> tuple[int, int]:
    match = _RANGE.match(text.replace(" ", ""))
    if not match:
        raise Complaint(f"{whole!r}: write a range as (1..9)")
    low, high = int(match[1]), int(match[2])
    if low > high:
        raise Complaint(f"{whole!r}: the range is empty")
    return low, high
