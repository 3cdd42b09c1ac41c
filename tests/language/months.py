"""A type that the package does not have, in one file: a month such as 2026-03."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import date
from typing import Any, ClassVar

from envscaler_mcp.language.column_types import ColumnType, Nearby, Sampling
from envscaler_mcp.language.column_types.moments import MONTHS
from envscaler_mcp.language.python_code import UNARY, Code
from envscaler_mcp.language.types import Type


class Month(ColumnType):
    """`month`: 2026-03. `month + 1` is the next one."""

    name = "month"
    ordered = on_a_line = True
    step = "months"
    forms = ("year",)
    aliases: ClassVar[Mapping[str, str]] = {"Month": 'Annotated[str, {"pattern": "^[0-9]{4}-(0[1-9]|1[0-2])$"}]'}
    helpers: ClassVar[Mapping[str, str]] = {
        "_plus_months": '''
def _plus_months(month: str, months: int) -> str:
    """So many months later."""
    year, index = divmod(int(month[:4]) * 12 + int(month[5:]) - 1 + months, 12)
    return f"{min(max(year, 1), 9999):04d}-{index + 1:02d}"
'''
    }

    def reads(self, text: str) -> bool:
        return re.fullmatch(r"\d{4}-(0[1-9]|1[0-2])", text) is not None

    def annotation(self, type_: Type) -> str:
        return "Month"

    def moved(self, value: Any, steps: int) -> Any:
        return later(value, steps)

    def moved_code(self, value: Code, steps: Code, op: str) -> Code:
        return Code(f"_plus_months({value}, {steps if op == '+' else '-' + steps.at(UNARY)})")

    def draw(self, type_: Type, sampling: Sampling) -> Any:
        return later(sampling.today[:7], sampling.chance.between(0, 5))

    def say(self, value: Any, form: str, today: str) -> str:
        month = MONTHS[int(value[5:]) - 1]
        return month if value[:4] == today[:4] and form != "year" else f"{month} {value[:4]}"

    def others(self, value: Any, type_: Type, nearby: Nearby) -> Iterator[Any]:
        yield from (later(value, steps) for steps in (1, -1, 12))


def later(month: str, months: int) -> str:
    day = date.fromisoformat(f"{month}-01")
    for _ in range(abs(months)):
        step = 31 if months > 0 else -1
        day = date.fromordinal(day.toordinal() + step).replace(day=1)
    return day.isoformat()[:7]
