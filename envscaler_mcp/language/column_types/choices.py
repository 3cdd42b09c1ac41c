"""Yes or no, and one of a few words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from envscaler_mcp.language.column_types.column_type import ColumnType, Nearby, Sampling
from envscaler_mcp.language.expressions import Expr, Literal
from envscaler_mcp.language.python_code import CHOICE, OR, Code, quoted
from envscaler_mcp.language.text import name_hint, split_top
from envscaler_mcp.language.types import BOOL, Complaint, Type

NAME = re.compile(r"^[a-z][a-z0-9_-]*$", re.IGNORECASE)


class BoolType(ColumnType):
    """`bool`."""

    name = "bool"
    python = "bool"

    def default(self, text: str, bare: str, type_: Type, attribute: str) -> Expr | None:
        return Literal(BOOL, text.lower() == "true") if text.lower() in ("true", "false") else None

    def answer_text(self, value: Any) -> str:
        return "yes" if value else "no"

    def answer_code(self, value: Code) -> Code:
        return Code(f'"yes" if {value.at(OR)} else "no"', CHOICE)

    def called(self, what: str) -> str:
        return f"{what.capitalize()}, true or false"

    def fault(self, value: Any, type_: Type) -> str | None:
        return None if isinstance(value, bool) else f"is {value!r}, neither true nor false"

    def draw(self, type_: Type, sampling: Sampling) -> Any:
        return sampling.chance.of(50)

    def read(self, type_: Type, text: str, sampling: Sampling) -> Any:
        if text.lower() not in ("true", "false"):
            raise ValueError(text)
        return text.lower() == "true"

    def say(self, value: Any, form: str, today: str) -> str:
        return "yes" if value else "no"

    def is_valid(self, value: Any, type_: Type, nearby: Nearby) -> bool:
        return isinstance(value, bool)

    def others(self, value: Any, type_: Type, nearby: Nearby) -> Iterator[Any]:
        yield not value

    def first(self, type_: Type, nearby: Nearby) -> Iterator[Any]:
        yield True


class OneOfType(ColumnType):
    """`one_of(a | b)`; `states(a > b)` is read elsewhere, because it also says which moves are allowed."""

    name = "one_of"
    spellings = ("states",)

    def parse(self, word: str, inner: str | None, whole: str) -> Type | None:
        options = tuple(piece.strip() for piece in split_top(inner or "", "|"))
        for option in options:
            if not NAME.match(option):
                raise Complaint(f"{whole!r}: {option!r} is no name; write one_of(first | second)")
        if len(set(options)) != len(options):
            raise Complaint(f"{whole!r} names a value twice")
        return Type("one_of", options=options)

    def default(self, text: str, bare: str, type_: Type, attribute: str) -> Expr | None:
        return Literal(Type("one_of", options=(bare,)), bare) if bare in type_.options else None

    def annotation(self, type_: Type) -> str:
        return f"Literal[{', '.join(quoted(option) for option in type_.options)}]"

    def stored_annotation(self, type_: Type) -> str:
        return self.annotation(type_)

    def form(self, type_: Type) -> str:
        return f": {', '.join(type_.options[:-1])} or {type_.options[-1]}" if len(type_.options) > 1 else ""

    def fault(self, value: Any, type_: Type) -> str | None:
        if not isinstance(value, str):
            return f"is {value!r}, which is no text"
        return None if value in type_.options else f"is {value!r}{name_hint(value, type_.options)}"

    def draw(self, type_: Type, sampling: Sampling) -> Any:
        return sampling.chance.pick(type_.options)

    def read(self, type_: Type, text: str, sampling: Sampling) -> Any:
        if text not in type_.options:
            raise ValueError(text)
        return text

    def say(self, value: Any, form: str, today: str) -> str:
        return str(value).replace("_", " ")

    def is_valid(self, value: Any, type_: Type, nearby: Nearby) -> bool:
        return value in type_.options

    def others(self, value: Any, type_: Type, nearby: Nearby) -> Iterator[Any]:
        yield from (option for option in type_.options if option != value)

    def first(self, type_: Type, nearby: Nearby) -> Iterator[Any]:
        yield from type_.options
