"""Whether numbers and lists of a world can grow without bound: a value squared in every call has a billion digits in thirty.

How large a value may be is followed as a degree: what is stored or given is 1, a product has the sum of its factors'
degrees, a list made of two lists has the sum of theirs. Operations and loops are run through a few times; a degree that
grows faster with every turn has no bound.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from envscaler_mcp.language.expressions import (
    Arithmetic,
    Choice,
    Defined,
    Derived,
    Expr,
    Get,
    Literal,
    Local,
    Records,
    Scan,
    children,
)
from envscaler_mcp.language.model import Delete, For, If, Let, Model, New, Operation, Put, SetLocal, Statement

_TURNS = 6
MOST_FACTORS = 64
"""How many stored values may be multiplied with each other to make one."""
_CAP = 10**9

Degrees = dict[str, int]


def boundless(model: Model) -> Iterator[tuple[str, str]]:
    """Operations that make values grow faster with every call, with every turn of a loop, or too far at once."""
    stored: Degrees = {}
    history: list[Degrees] = []
    for turn in range(_TURNS):
        before = dict(stored)
        for operation in model.operations.values():
            run = _Run(model, before, dict(before))
            run.operation(operation)
            for name, degree in run.after.items():
                stored[name] = max(stored.get(name, 1), degree)
            if turn == 0:
                for name in sorted(run.boundless):
                    yield f"operation {operation.name}", _told(name, "turn of a loop")
                if run.highest > MOST_FACTORS and not run.boundless:
                    yield (
                        f"operation {operation.name}",
                        f"a value is the product of up to {run.highest} others; {MOST_FACTORS} factors are allowed",
                    )
        history.append(dict(stored))
    for name in sorted(_faster(history)):
        yield "operations", _told(name, "call")


def _told(name: str, each: str) -> str:
    return (
        f"{name} is multiplied by itself, or added to itself as a list, so that it grows faster with every {each}; give it "
        "a range such as 0..1000000, or work it out of values that do not grow"
    )


def _faster(history: list[Degrees]) -> set[str]:
    """The names whose degree rose more in the last turn than in the first."""
    first, second, almost, last = history[0], history[1], history[-2], history[-1]
    return {
        name
        for name, degree in last.items()
        if degree - almost.get(name, 1) > max(second.get(name, 1) - first.get(name, 1), 0)
    }


@dataclass(slots=True)
class _Run:
    """One run through one operation."""

    model: Model
    before: Mapping[str, int]
    after: Degrees
    names: Degrees = field(default_factory=dict)
    boundless: set[str] = field(default_factory=set)
    highest: int = 0
    _known: dict[tuple[object, ...], int] = field(default_factory=dict)

    def operation(self, operation: Operation) -> None:
        for line in operation.require:
            if isinstance(line, Let):
                self.names[line.name] = self.degree(line.value, self.names)
        self.statements(operation.effect)

    def statements(self, statements: Iterable[Statement]) -> None:
        for statement in statements:
            match statement:
                case Let(name=name, value=value) | SetLocal(name=name, value=value):
                    self.names[name] = max(self.names.get(name, 0), self.degree(value, self.names))
                case Put(entity=entity, attribute=attribute, value=value):
                    self.store(entity, attribute, value)
                case New(entity=entity, values=values):
                    for attribute, value in values.items():
                        self.store(entity, attribute, value)
                case If(then=then, otherwise=otherwise):
                    self.statements(then)
                    self.statements(otherwise)
                case For(body=body):
                    self.loop(body)
                case Delete():
                    pass

    def loop(self, body: Iterable[Statement]) -> None:
        history = []
        body = tuple(body)
        for _ in range(_TURNS):
            self.statements(body)
            self._known.clear()
            history.append({**self.after, **self.names})
        self.boundless |= _faster(history)

    def store(self, entity: str, attribute: str, value: Expr) -> None:
        type_ = self.model.entities[entity].attributes[attribute].type
        if type_.high is not None or type_.kind == "bool":
            # The class refuses what lies outside.
            return
        name = f"{entity}.{attribute}"
        self.after[name] = max(self.after.get(name, 1), self.degree(value, self.names))

    def degree(self, expr: Expr, names: Mapping[str, int]) -> int:
        degree = min(self._degree(expr, names), _CAP)
        self.highest = max(self.highest, degree)
        return degree

    def _degree(self, expr: Expr, names: Mapping[str, int]) -> int:
        match expr:
            case Literal():
                return 0
            case Local(name=name):
                return names.get(name, 1)
            case Get(of=of, name=name):
                return self.after.get(f"{of.type.entity}.{name}", 1)
            case Arithmetic(op=op, left=left, right=right):
                degrees = self.degree(left, names), self.degree(right, names)
                adds = op == "*" or (op == "+" and expr.type.kind == "list")
                return sum(degrees) if adds else max(degrees)
            case Choice(then=then, otherwise=otherwise):
                return max(self.degree(then, names), self.degree(otherwise, names))
            case Scan(gather="sum" | "min" | "max" | "avg" | "first" | "list", element=element, loops=loops):
                inside = {**names, **{loop.name: 1 for loop in loops}}
                for loop in loops:
                    if not isinstance(loop.source, Records):
                        inside[loop.name] = self.degree(loop.source, inside)
                return max(1, self.degree(element, inside))
            case Scan():
                return 1
            case Derived(entity=entity, name=name):
                body = self.model.entities[entity].attributes[name].derived
                assert body is not None
                return self.once((entity, name), body, {"self": 1})
            case Defined(name=name, arguments=arguments):
                define = self.model.defines[name]
                given = [self.degree(argument, names) for argument in arguments]
                inside = {param.name: degree for param, degree in zip(define.params, given, strict=True)}
                return self.once((name, *given), define.body, inside)
        return max((self.degree(child, names) for child in children(expr)), default=1)

    def once(self, key: tuple[object, ...], body: Expr, names: Mapping[str, int]) -> int:
        if key not in self._known:
            self._known[key] = 1
            self._known[key] = self.degree(body, names)
        return self._known[key]
