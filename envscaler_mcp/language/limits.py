"""How large a blueprint may be, so that reading, checking, growing and calling it all come to an end.

Each number is several times what the largest blueprint of the library needs. How long a call may work is another limit,
which serving/deadline.py keeps.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from typing import Any

from envscaler_mcp.artifacts import Blueprint, OperationSpec, QuerySpec
from envscaler_mcp.language.expressions import (
    Arithmetic,
    Choice,
    Defined,
    Derived,
    Expr,
    Function,
    Literal,
    Local,
    Negate,
    Records,
    Scan,
    children,
)
from envscaler_mcp.language.model import For, If, Model, Statement

MOST_BYTES = 512 * 1024
MOST_DEPTH = 40
"""Of YAML: mappings and lists inside each other."""
MOST_NODES = 20_000
LONGEST_SCALAR = 40_000
MOST_DIGITS = 15
"""Of a number, wherever one stands."""

LONGEST_EXPRESSION = 4_000
MOST_BRACKETS = 40
"""Brackets inside each other in an expression."""
DEEPEST_EXPRESSION = 60
MOST_EXPRESSION_NODES = 2_000
MOST_LOOPS = 6
"""Loops over all records of an entity inside each other, those of definitions and derived attributes included."""
MOST_ROUNDS = 100_000
"""How often loops over `range` and `dates` may go round inside each other, and how long a list written with them may be."""
LONGEST_RANGE = 1_000
"""More values no `range` and no `dates` gives, and so one counts whose length the text does not tell."""
MOST_PARTS = 50_000
"""Of one expression with its definitions and derived attributes written out."""
MOST_PARTS_TOGETHER = 400_000

_COUNTS = {
    "entities": 40,
    "define": 120,
    "rules": 120,
    "operations": 60,
    "queries": 60,
    "stories": 200,
}
MOST_ATTRIBUTES = 100
MOST_PARAMS = 40
MOST_LINES = 200
"""Guards of one operation, or statements, those inside others included."""
MOST_RECORDS = 5_000
"""Base records of all entities together."""
MOST_HISTORY = 5_000
MOST_DAYS = 36_525
LONGEST_ID = 60

Told = tuple[str, str]
"""A place, and what is wrong there."""


def blueprint_too_large(blueprint: Blueprint) -> Iterator[Told]:
    """What there is too much of, before anything is read more closely."""
    if len(blueprint.id) > LONGEST_ID:
        yield "id", f"it has {len(blueprint.id)} characters; {LONGEST_ID} are allowed"
    for part, most in _COUNTS.items():
        yield from _more_than(part, len(getattr(blueprint, part)), most, f"{part}; write several blueprints")
    for name, attributes in blueprint.entities.items():
        yield from _more_than(f"entity {name}", len(attributes), MOST_ATTRIBUTES, "attributes; write two entities")
    asked: dict[str, OperationSpec | QuerySpec] = {**blueprint.operations, **blueprint.queries}
    for name, spec in asked.items():
        yield from _more_than(name, len(spec.params), MOST_PARAMS, "parameters; write two operations")
        yield from _more_than(name, len(spec.require), MOST_LINES, "guards; write definitions for some of them")
    for name, operation in blueprint.operations.items():
        yield from _more_than(name, _lines(operation.effect), MOST_LINES, "statements; write two operations")
    for name, story in blueprint.stories.items():
        for lines in (story.cast, story.do, story.tell):
            yield from _more_than(f"story {name}", len(lines), MOST_LINES, "lines; write two stories")
    yield from _too_much_at_start(blueprint)
    yield from _too_many_digits(blueprint)


def _too_much_at_start(blueprint: Blueprint) -> Iterator[Told]:
    start = blueprint.start
    for name, number in start.records.items():
        if number < 0:
            yield "start.records", f"{name} is {number}; write 0 or more"
    together = sum(start.records.values())
    yield from _more_than("start.records", together, MOST_RECORDS, "base records; let the history make more")
    yield from _more_than("start.history", start.history, MOST_HISTORY, "operations; a shorter history is enough")
    yield from _more_than("start.daily", _lines(start.daily), MOST_LINES, "statements; fewer are enough")
    yield from _more_than("start.days", start.days, MOST_DAYS, "days; a century is enough")
    for name, weight in start.play.items():
        yield from _more_than("start.play", weight, 10_000, f"as the weight of {name}; weights count beside each other")


def _too_many_digits(blueprint: Blueprint) -> Iterator[Told]:
    asked: dict[str, OperationSpec | QuerySpec] = {**blueprint.operations, **blueprint.queries}
    texts = [
        (f"entity {name}", text) for name, attributes in blueprint.entities.items() for text in attributes.values()
    ]
    texts += [(name, str(text)) for name, spec in asked.items() for text in spec.params.values()]
    texts += [(f"start.values {name}", text) for name, text in blueprint.start.values.items()]
    for place, text in texts:
        if re.search(rf"\d{{{MOST_DIGITS + 1},}}", text):
            yield place, f"a number has more than {MOST_DIGITS} digits, which no sum of money and no count has"


def _more_than(place: str, number: int, most: int, what: str) -> Iterator[Told]:
    if number > most:
        yield place, f"there are {number:,} where {most:,} are allowed: too many {what}"


def _lines(effect: Iterable[Any]) -> int:
    total = 0
    for statement in effect:
        below = (
            [getattr(statement, name, ()) for name in ("do", "then", "otherwise")]
            if not isinstance(statement, str)
            else []
        )
        total += 1 + sum(_lines(lines) for lines in below)
    return total


def unreadable(text: str) -> str | None:
    """Why the text of an expression is too large to be parsed at all."""
    if len(text) > LONGEST_EXPRESSION:
        return f"it has {len(text):,} characters; {LONGEST_EXPRESSION:,} are allowed, and definitions hold the rest"
    depth = deepest = 0
    for sign in text:
        depth += (sign in "([{") - (sign in ")]}")
        deepest = max(deepest, depth)
    if deepest > MOST_BRACKETS:
        return f"{deepest} brackets stand inside each other; {MOST_BRACKETS} are allowed"
    if re.search(rf"\d{{{MOST_DIGITS + 1},}}", text):
        return f"a number has more than {MOST_DIGITS} digits"
    return None


def unwieldy(node: ast.expr) -> str | None:
    """Why a parsed expression is too large to be read."""
    waiting: list[tuple[ast.AST, int]] = [(node, 1)]
    count = 0
    while waiting:
        part, depth = waiting.pop()
        count += 1
        if depth > DEEPEST_EXPRESSION:
            return f"it is nested more than {DEEPEST_EXPRESSION} deep; write definitions for parts of it"
        if count > MOST_EXPRESSION_NODES:
            return f"it has more than {MOST_EXPRESSION_NODES:,} parts; write definitions for some of them"
        waiting += [(child, depth + 1) for child in ast.iter_child_nodes(part)]
    return None


def too_costly(model: Model) -> Iterator[Told]:
    """Expressions that look at records by too many loops inside each other, or are too large when written out."""
    cost = _Cost(model)
    yield from _costly(cost.places())
    for place, parts in cost.expressions():
        yield from _too_long(place, max(map(cost.rounds, parts), default=1))


def too_costly_parts(model: Model, places: Mapping[str, object]) -> Iterator[Told]:
    """The same of what stories say of their casts, and of what `start` says of time."""
    cost = _Cost(model)
    said = {name: list(_expressions(story)) for name, story in places.items()}
    for name, inside in said.items():
        yield from _too_long(name, max(map(cost.rounds, inside), default=1))
    yield from _costly(
        (name, max(map(cost.loops, inside), default=0), sum(map(cost.parts, inside))) for name, inside in said.items()
    )


def _costly(places: Iterable[tuple[str, int, int]]) -> Iterator[Told]:
    together = 0
    for place, loops, parts in places:
        together += parts
        if loops > MOST_LOOPS:
            counted = f"{loops} loops over all records stand inside each other, those of definitions included"
            yield place, f"{counted}; {MOST_LOOPS} are allowed: over a hundred records they look {100**loops:.0e} times"
        if parts > MOST_PARTS:
            yield place, f"it has {parts:,} parts with its definitions written out; {MOST_PARTS:,} are allowed"
    if together > MOST_PARTS_TOGETHER:
        yield "blueprint", f"its expressions have {together:,} parts together; {MOST_PARTS_TOGETHER:,} are allowed"


def _too_long(place: str, rounds: int) -> Iterator[Told]:
    if rounds > MOST_ROUNDS:
        counted = f"its ranges and dates inside each other, or added as lists, come to {rounds:,} values or more"
        yield place, f"{counted}; {MOST_ROUNDS:,} are allowed: use shorter ranges"


class _Cost:
    """What expressions come to, each definition and derived attribute looked at once."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self._loops: dict[tuple[str, ...], int] = {}
        self._parts: dict[tuple[str, ...], tuple[int, dict[str, int]]] = {}
        self._rounds: dict[tuple[str, ...], int] = {}
        self._lengths: dict[tuple[str, ...], int] = {}

    def places(self) -> Iterator[tuple[str, int, int]]:
        for rule in self.model.rules:
            yield f"rule {rule.number} ({rule.text})", self.loops(rule.holds), self.parts(rule.holds)
        for define in self.model.defines.values():
            yield f"define {define.name}", self.loops(define.body), self.parts(define.body)
        for entity in self.model.entities.values():
            for attribute in entity.derived:
                assert attribute.derived is not None
                yield (
                    f"entity {entity.name}, attribute {attribute.name}",
                    self.loops(attribute.derived),
                    self.parts(attribute.derived),
                )
        for operation in self.model.operations.values():
            guards = [*_expressions(operation.require), *_expressions(operation.say)]
            loops = max([self._statements(operation.effect), *map(self.loops, guards)])
            parts = sum(map(self.parts, [*guards, *_expressions(operation.effect)]))
            yield f"operation {operation.name}", loops, parts
        for query in self.model.queries.values():
            outside = int(isinstance(query.source, Records))
            inside = list(_expressions((query.where, query.by, query.show, query.answer)))
            loops = max(
                [outside + max(map(self.loops, inside), default=0), *map(self.loops, _expressions(query.require))]
            )
            yield f"query {query.name}", loops, sum(map(self.parts, _expressions(query)))

    def loops(self, expr: Expr) -> int:
        """How many loops over records stand inside each other."""
        inside = max((self.loops(child) for child in children(expr)), default=0)
        match expr:
            case Scan(loops=loops):
                return inside + sum(isinstance(loop.source, Records) for loop in loops)
            case Defined() | Derived():
                key, body = self._body(expr)
                if key not in self._loops:
                    self._loops[key] = 0
                    self._loops[key] = self.loops(body)
                return inside + self._loops[key]
        return inside

    def expressions(self) -> Iterator[tuple[str, list[Expr]]]:
        """Every place with all expressions that stand there."""
        for rule in self.model.rules:
            yield f"rule {rule.number} ({rule.text})", [rule.holds]
        for define in self.model.defines.values():
            yield f"define {define.name}", [define.body]
        for entity in self.model.entities.values():
            derived = [attribute.derived for attribute in entity.derived if attribute.derived is not None]
            yield f"entity {entity.name}", derived
        for operation in self.model.operations.values():
            yield f"operation {operation.name}", list(_expressions(operation))
        for query in self.model.queries.values():
            yield f"query {query.name}", list(_expressions(query))

    def rounds(self, expr: Expr) -> int:
        """How often loops over ranges and dates go round inside each other at the most, or the longest list made of them."""
        inside = max((self.rounds(child) for child in children(expr)), default=1)
        match expr:
            case Scan(loops=loops):
                for loop in loops:
                    inside = _capped(inside * (1 if isinstance(loop.source, Records) else self.length(loop.source)))
            case Defined() | Derived():
                key, body = self._body(expr)
                if key not in self._rounds:
                    self._rounds[key] = 1
                    self._rounds[key] = self.rounds(body)
                inside = _capped(inside * self._rounds[key])
            case Arithmetic(op="+") if expr.type.kind == "list":
                inside = max(inside, self.length(expr))
        return inside

    def length(self, expr: Expr) -> int:
        """How long a list is that an expression makes, as far as its text tells; lists of records count as one."""
        match expr:
            case Function(name="range" | "dates", arguments=(first, last)):
                begin, end = _number(first), _number(last)
                if begin is None or end is None:
                    return LONGEST_RANGE
                return min(max(end - begin, 1), LONGEST_RANGE)
            case Scan(gather="list" | "unique", loops=loops):
                total = 1
                for loop in loops:
                    total *= 1 if isinstance(loop.source, Records) else self.length(loop.source)
                return _capped(total)
            case Arithmetic(left=left, right=right):
                return _capped(self.length(left) + self.length(right))
            case Defined() | Derived():
                key, body = self._body(expr)
                if key not in self._lengths:
                    self._lengths[key] = 1
                    self._lengths[key] = self.length(body)
                return self._lengths[key]
            case Choice(then=then, otherwise=otherwise):
                return max(self.length(then), self.length(otherwise))
        return max((self.length(child) for child in children(expr) if child.type.kind == "list"), default=1)

    def parts(self, expr: Expr) -> int:
        fixed, names = self._linear(expr)
        return fixed + sum(names.values())

    def _linear(self, expr: Expr) -> tuple[int, dict[str, int]]:
        """The parts of an expression written out: those that are always there, and how often each name stands there."""
        match expr:
            case Local(name=name):
                return 0, {name: 1}
            case Defined(name=name, arguments=arguments):
                fixed, uses = self._written_out(expr)
                given = [param.name for param in self.model.defines[name].params]
                return self._put_in(fixed, uses, dict(zip(given, arguments, strict=True)))
            case Derived(of=of):
                fixed, uses = self._written_out(expr)
                return self._put_in(fixed, uses, {"self": of})
        total, names = 1, dict[str, int]()
        for child in children(expr):
            more, inside = self._linear(child)
            total = _capped(total + more)
            _add(names, inside, 1)
        return total, names

    def _put_in(self, fixed: int, uses: dict[str, int], given: dict[str, Expr]) -> tuple[int, dict[str, int]]:
        names: dict[str, int] = {}
        for name, times in uses.items():
            if name not in given:
                fixed = _capped(fixed + times)
                continue
            more, inside = self._linear(given[name])
            fixed = _capped(fixed + times * more)
            _add(names, inside, times)
        return fixed, names

    def _written_out(self, expr: Defined | Derived) -> tuple[int, dict[str, int]]:
        key, body = self._body(expr)
        if key not in self._parts:
            self._parts[key] = 1, {}
            self._parts[key] = self._linear(body)
        return self._parts[key]

    def _body(self, expr: Defined | Derived) -> tuple[tuple[str, ...], Expr]:
        if isinstance(expr, Defined):
            return (expr.name,), self.model.defines[expr.name].body
        body = self.model.entities[expr.entity].attributes[expr.name].derived
        assert body is not None
        return (expr.entity, expr.name), body

    def _statements(self, statements: Iterable[Statement]) -> int:
        most = 0
        for statement in statements:
            if isinstance(statement, For):
                outside = int(isinstance(statement.loop.source, Records))
                inside = [
                    self._statements(statement.body),
                    *map(self.loops, _expressions((statement.loop.tests, statement.by))),
                ]
                source = [] if isinstance(statement.loop.source, Records) else [self.loops(statement.loop.source)]
                most = max([most, outside + max(inside), *source])
            elif isinstance(statement, If):
                most = max(
                    most,
                    self.loops(statement.test),
                    self._statements(statement.then),
                    self._statements(statement.otherwise),
                )
            else:
                most = max([most, *map(self.loops, _expressions(statement))])
        return most


def _number(expr: Expr) -> int | None:
    """What a number is, where the text says it."""
    match expr:
        case Literal(value=int(value)):
            return value
        case Negate(of=of):
            inner = _number(of)
            return None if inner is None else -inner
    return None


def _capped(number: int) -> int:
    return min(number, 10**12)


def _add(names: dict[str, int], more: dict[str, int], times: int) -> None:
    for name, number in more.items():
        names[name] = _capped(names.get(name, 0) + times * number)


def _expressions(part: Any) -> Iterator[Expr]:
    """The expressions in a part of the model, those inside others not."""
    if isinstance(part, Expr):
        yield part
    elif isinstance(part, (tuple, list)):
        for element in part:
            yield from _expressions(element)
    elif isinstance(part, dict):
        yield from _expressions(tuple(part.values()))
    elif is_dataclass(part) and not isinstance(part, Records):
        for item in fields(part):
            if item.init and item.name not in ("type", "params"):
                yield from _expressions(getattr(part, item.name))
