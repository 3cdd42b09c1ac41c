"""The value of an expression: every loop looks at every record."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from envscaler_mcp.language.expressions import (
    And,
    Arithmetic,
    Choice,
    Clock,
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
    Or,
    OrElse,
    Records,
    Scan,
)
from envscaler_mcp.language.interpreter import calendar
from envscaler_mcp.language.interpreter.functions import FUNCTIONS, amount
from envscaler_mcp.language.interpreter.store import Ref, Store
from envscaler_mcp.language.model import Sentence
from envscaler_mcp.language.types import Type

Names = dict[str, Any]


class Evaluation:
    """Works out expressions over the records of a store as they are at that moment."""

    def __init__(self, store: Store) -> None:
        self.store, self.model = store, store.model

    def value(self, expr: Expr, names: Names) -> Any:  # noqa: C901
        # The commonest come first: the order of cases is the order of the tests.
        match expr:
            case Local(name=name):
                return names[name]
            case Get(of=of, name=name):
                return self.attribute(self.value(of, names), name)
            case Compare(op=op, left=left, right=right):
                return compare(op, self.value(left, names), self.value(right, names))
            case Literal(value=value):
                return value
            case And(parts=parts):
                return all(self.value(part, names) for part in parts)
            case Clock(which=which):
                now = self.store.clock()
                return now if which == "now" else now.split("T")[0]
            case Derived(of=of, entity=entity, name=name):
                body = self.model.entities[entity].attributes[name].derived
                assert body is not None
                return self.value(body, {"self": self.value(of, names)})
            case ListOf(items=items):
                return [self.value(item, names) for item in items]
            case Key(items=items):
                return tuple(self.value(item, names) for item in items)
            case Not(of=of):
                return not self.value(of, names)
            case Or(parts=parts):
                return any(self.value(part, names) for part in parts)
            case OrElse(first=first, second=second):
                found = self.value(first, names)
                return self.value(second, names) if found is None else found
            case IsNone(of=of, negated=negated):
                return (self.value(of, names) is None) != negated
            case Arithmetic(op=op, left=left, right=right):
                return arithmetic(op, left.type, self.value(left, names), right.type, self.value(right, names))
            case Negate(of=of):
                return -self.value(of, names)
            case Choice(test=test, then=then, otherwise=otherwise):
                return self.value(then if self.value(test, names) else otherwise, names)
            case Scan():
                return self.scan(expr, names)
            case Function(name=name, arguments=arguments):
                values = [self.value(argument, names) for argument in arguments]
                if name in ("above", "below"):
                    return self.closure(name, values[0], expr.attribute)
                return FUNCTIONS[name](*values)
            case Defined(name=name, arguments=arguments):
                define = self.model.defines[name]
                given = [self.value(argument, names) for argument in arguments]
                return self.value(define.body, {p.name: v for p, v in zip(define.params, given, strict=True)})

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
        for element in self.elements(loops[0].source, names):
            inside = {**names, loops[0].name: element}
            for test in loops[0].tests:
                if not self.value(test, inside):
                    break
            else:
                yield from self.passes(loops[1:], inside)

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
        found: list[Ref] = []
        ahead = [start]
        while ahead:
            following: list[Ref] = []
            for record in ahead:
                for other in self.next(name, record, attribute):
                    if other not in found:
                        found.append(other)
                        following.append(other)
            ahead = following
        return found

    def next(self, name: str, record: Ref, attribute: str) -> list[Ref]:
        if name == "above":
            goal = self.attribute(record, attribute)
            return goal if isinstance(goal, list) else [goal] if goal is not None else []
        found = []
        for other in self.store.all(record.entity):
            goal = self.attribute(other, attribute)
            if goal == record or (isinstance(goal, list) and record in goal):
                found.append(other)
        return found

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
        if type_.kind == "money":
            return amount(value)
        if type_.kind == "bool":
            return "yes" if value else "no"
        if type_.kind == "list" and type_.of is not None:
            return ", ".join(self.say(one, type_.of) for one in value)
        return str(value)


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


def compare(op: str, a: Any, b: Any) -> bool:
    match op:
        case "==":
            return bool(a == b)
        case "!=":
            return bool(a != b)
        case "<":
            return bool(a < b)
        case "<=":
            return bool(a <= b)
        case ">":
            return bool(a > b)
        case ">=":
            return bool(a >= b)
        case "in":
            return a in b
    return a not in b


def arithmetic(op: str, left: Type, a: Any, right: Type, b: Any) -> Any:
    """Days beside dates, minutes beside moments, cents, numbers, lists, and exact ratios."""
    if left.kind == "date":
        return calendar.days_from(b, a) if right.kind == "date" else calendar.move_day(a, b if op == "+" else -b)
    if left.kind in ("datetime", "time"):
        if right.kind == left.kind:
            return calendar.minutes_from(b, a)
        return calendar.move_moment(a, b if op == "+" else -b)
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
