"""The value of an expression: every loop looks at every record."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

from envscaler_mcp.language.column_types import column_of
from envscaler_mcp.language.expressions import (
    And,
    Arithmetic,
    Choice,
    Compare,
    Defined,
    Derived,
    Expr,
    Function,
    Gathering,
    Get,
    IsNone,
    Key,
    ListOf,
    Literal,
    Local,
    Loop,
    Negate,
    Not,
    Now,
    Or,
    OrElse,
    Records,
    Scan,
)
from envscaler_mcp.language.interpreter.functions import FUNCTIONS
from envscaler_mcp.language.interpreter.store import Ref, Store
from envscaler_mcp.language.model import Sentence
from envscaler_mcp.language.types import Type

Names = dict[str, Any]


class Evaluator:
    """Works out expressions over the records of a store as they are at that moment."""

    def __init__(self, store: Store) -> None:
        self.store, self.model = store, store.model

    def value(self, expr: Expr, names: Names) -> Any:
        """What the expression comes to where these names are bound."""
        return WAYS[type(expr)](self, expr, names)

    def attribute(self, of: Any, name: str) -> Any:
        """An attribute of a record, or a field of a structure."""
        if not isinstance(of, Ref):
            return of[name]
        return of.id if name == "id" else self.store.read(of, self.store.entity(of).attributes[name])

    def elements(self, source: Records | Expr, names: Names) -> list[Any]:
        return self.store.all(source.entity) if isinstance(source, Records) else list(self.value(source, names))

    def passes(self, loops: tuple[Loop, ...], names: Names) -> Iterator[Names]:
        """The names at each pass through all loops whose tests are true."""
        if not loops:
            yield names
            return
        loop, rest = loops[0], loops[1:]
        for element in self.elements(loop.source, names):
            inside = {**names, loop.name: element}
            for test in loop.tests:
                if not self.value(test, inside):
                    break
            else:
                if rest:
                    yield from self.passes(rest, inside)
                else:
                    yield inside

    def scan(self, expr: Scan, names: Names) -> Any:
        passes = list(self.passes(expr.loops, names))
        if expr.gather in ("any", "none") and expr.element.type.kind != "bool":
            return bool(passes) == (expr.gather == "any")
        if expr.by:
            if len(expr.loops) == 1:
                passes.sort(key=lambda inside: age(inside[expr.loops[0].name]))
            passes.sort(key=lambda inside: [self.value(part, inside) for part in expr.by])
        return gathered(expr.gather, [self.value(expr.element, inside) for inside in passes])

    def closure(self, name: str, start: Ref, attribute: str) -> list[Ref]:
        """Nearest first; a record stands in its own closure only where the way is a circle."""
        reached: list[Ref] = []
        ahead = [start]
        while ahead:
            following: list[Ref] = []
            for record in ahead:
                for other in self.next(name, record, attribute):
                    if other not in reached:
                        reached.append(other)
                        following.append(other)
            ahead = following
        return reached

    def next(self, name: str, record: Ref, attribute: str) -> list[Ref]:
        if name == "above":
            goal = self.attribute(record, attribute)
            return goal if isinstance(goal, list) else [goal] if goal is not None else []
        records = []
        for other in self.store.all(record.entity):
            goal = self.attribute(other, attribute)
            if goal == record or (isinstance(goal, list) and record in goal):
                records.append(other)
        return records

    def ordered(self, elements: list[Any], variable: str, by: tuple[Expr, ...], names: Names) -> list[Any]:
        """By the keys; of records that are alike the older one comes first."""
        if not by:
            return elements
        return sorted(
            sorted(elements, key=age),
            key=lambda element: [self.value(part, {**names, variable: element}) for part in by],
        )

    def sentence(self, sentence: Sentence, names: Names) -> str:
        said = (
            part if isinstance(part, str) else self.say(self.value(part, names), part.type) for part in sentence.parts
        )
        return "".join(said)

    def say(self, value: Any, type_: Type) -> str:
        """A value as people write it."""
        if isinstance(value, Ref):
            return self.store.label(value)
        if type_.kind == "list" and type_.of is not None:
            return ", ".join(self.say(entry, type_.of) for entry in value)
        return column_of(type_).answer_text(value)


def _get(ev: Evaluator, expr: Get, names: Names) -> Any:
    return ev.attribute(ev.value(expr.of, names), expr.name)


def _compare(ev: Evaluator, expr: Compare, names: Names) -> bool:
    return compare(expr.op, ev.value(expr.left, names), ev.value(expr.right, names))


def _and(ev: Evaluator, expr: And, names: Names) -> bool:
    for part in expr.parts:  # noqa: SIM110 - a generator costs as much as most parts
        if not ev.value(part, names):
            return False
    return True


def _or(ev: Evaluator, expr: Or, names: Names) -> bool:
    for part in expr.parts:  # noqa: SIM110
        if ev.value(part, names):
            return True
    return False


def _clock(ev: Evaluator, expr: Now, _names: Names) -> str:
    now = ev.store.clock()
    return now if expr.which == "now" else now.split("T")[0]


def _derived(ev: Evaluator, expr: Derived, names: Names) -> Any:
    body = ev.model.entities[expr.entity].attributes[expr.name].derived
    assert body is not None
    return ev.value(body, {"self": ev.value(expr.of, names)})


def _or_else(ev: Evaluator, expr: OrElse, names: Names) -> Any:
    value = ev.value(expr.first, names)
    return ev.value(expr.second, names) if value is None else value


def _arithmetic(ev: Evaluator, expr: Arithmetic, names: Names) -> Any:
    left, right = expr.left, expr.right
    return arithmetic(expr.op, left.type, ev.value(left, names), right.type, ev.value(right, names))


def _choice(ev: Evaluator, expr: Choice, names: Names) -> Any:
    return ev.value(expr.then if ev.value(expr.test, names) else expr.otherwise, names)


def _function(ev: Evaluator, expr: Function, names: Names) -> Any:
    values = [ev.value(argument, names) for argument in expr.arguments]
    if expr.name in ("above", "below"):
        return ev.closure(expr.name, values[0], expr.attribute)
    return FUNCTIONS[expr.name](*values)


def _defined(ev: Evaluator, expr: Defined, names: Names) -> Any:
    define = ev.model.defines[expr.name]
    given = [ev.value(argument, names) for argument in expr.arguments]
    return ev.value(define.body, {p.name: v for p, v in zip(define.params, given, strict=True)})


WAYS: dict[type, Callable[[Evaluator, Any, Names], Any]] = {
    Literal: lambda _ev, expr, _names: expr.value,
    Local: lambda _ev, expr, names: names[expr.name],
    Now: _clock,
    Get: _get,
    Derived: _derived,
    ListOf: lambda ev, expr, names: [ev.value(item, names) for item in expr.items],
    Key: lambda ev, expr, names: tuple([ev.value(item, names) for item in expr.items]),
    Not: lambda ev, expr, names: not ev.value(expr.of, names),
    And: _and,
    Or: _or,
    OrElse: _or_else,
    Compare: _compare,
    IsNone: lambda ev, expr, names: (ev.value(expr.of, names) is None) != expr.negated,
    Arithmetic: _arithmetic,
    Negate: lambda ev, expr, names: -ev.value(expr.of, names),
    Choice: _choice,
    Scan: lambda ev, expr, names: ev.scan(expr, names),
    Function: _function,
    Defined: _defined,
}
"""How each kind of expression is worked out. A table, since a chain of tests is most of the time that small ones take."""


def age(element: Any) -> tuple[int, str]:
    """What orders records that are alike otherwise; other things stay where they are."""
    return (len(element.id), element.id) if isinstance(element, Ref) else (0, "")


def gathered(gather: Gathering, values: list[Any]) -> Any:
    """One answer made of a value for each pass."""
    match gather:
        case "all":
            return all(values)
        case "any":
            return any(values)
        case "none":
            return not any(values)
        case "count":
            return len(values)
        case "sum":
            return sum(values)
        case "min" | "max":
            return (min if gather == "min" else max)(values, default=None)
        case "avg":
            return Fraction(sum(values)) / len(values) if values else None
        case "unique":
            return not any(a == b for k, a in enumerate(values) for b in values[:k])
        case "first":
            return values[0] if values else None
    return values


_COMPARING: dict[str, Callable[[Any, Any], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "in": lambda a, b: a in b,
    "not in": lambda a, b: a not in b,
}


def compare(op: str, a: Any, b: Any) -> bool:
    return bool(_COMPARING[op](a, b))


def arithmetic(op: str, left: Type, a: Any, right: Type, b: Any) -> Any:
    """Days beside dates, minutes beside moments, cents, numbers, lists, and exact ratios."""
    column = column_of(left)
    if column.has_distance and right.kind == left.kind:
        return column.distance(b, a)
    if column.step:
        return column.moved(a, b if op == "+" else -b)
    match op:
        case "+":
            return a + b
        case "-":
            return a - b
        case "*":
            return a * b
        case "/":
            return Fraction(a) / Fraction(b)
        case "//":
            return a // b
    return a % b
