"""Expressions after checking: names resolved, types known, nothing left to guess."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal as Choices

from envscaler_mcp.language.types import Type


@dataclass(frozen=True, slots=True)
class Literal:
    """A number, text, True, False or None."""

    type: Type
    value: int | str | bool | None


@dataclass(frozen=True, slots=True)
class Local:
    """A parameter, a let, a loop variable or `self`."""

    type: Type
    name: str


@dataclass(frozen=True, slots=True)
class Now:
    """`now` or `today`."""

    type: Type
    which: Choices["now", "today"]


@dataclass(frozen=True, slots=True)
class Get:
    """A stored attribute of a record, its `id`, or a field of a structure."""

    type: Type
    of: Expr
    name: str


@dataclass(frozen=True, slots=True)
class Derived:
    """A derived attribute of a record."""

    type: Type
    of: Expr
    entity: str
    name: str


@dataclass(frozen=True, slots=True)
class ListOf:
    """`[a, b]`, also a tuple of literals after `in`."""

    type: Type
    items: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Key:
    """`(a, b)` as a key of unique or an order."""

    type: Type
    items: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Not:
    type: Type
    of: Expr


@dataclass(frozen=True, slots=True)
class And:
    type: Type
    parts: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Or:
    type: Type
    parts: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class OrElse:
    """`a or b` where a may be None: b only then."""

    type: Type
    first: Expr
    second: Expr


@dataclass(frozen=True, slots=True)
class Compare:
    """`left op right`; a chain `a < b < c` is an And of two."""

    type: Type
    op: Choices["==", "!=", "<", "<=", ">", ">=", "in", "not in"]
    left: Expr
    right: Expr


@dataclass(frozen=True, slots=True)
class IsNone:
    type: Type
    of: Expr
    negated: bool


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """`left op right`; the meaning follows from the types (days, minutes, cents, lists, ratios)."""

    type: Type
    op: Choices["+", "-", "*", "/", "//", "%"]
    left: Expr
    right: Expr


@dataclass(frozen=True, slots=True)
class Negate:
    type: Type
    of: Expr


@dataclass(frozen=True, slots=True)
class Choice:
    """`then if test else otherwise`."""

    type: Type
    test: Expr
    then: Expr
    otherwise: Expr


@dataclass(frozen=True, slots=True)
class Records:
    """All records of an entity, oldest first."""

    entity: str


@dataclass(frozen=True, slots=True)
class Loop:
    """`for name in source if tests`."""

    name: str
    element: Type
    source: Records | Expr
    tests: tuple[Expr, ...]
    lookup: tuple[str, Expr] | None = field(init=False, compare=False, repr=False)
    """The attribute that its first test wants to be equal to something, and to what, where that does not depend on the loop."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "lookup", _lookup(self))


Gathering = Choices["all", "any", "none", "count", "sum", "min", "max", "avg", "unique", "first", "list"]


@dataclass(frozen=True, slots=True)
class Scan:
    """`gather(element for … in … if …)`; `by` orders what `first` takes the first of."""

    type: Type
    gather: Gathering
    element: Expr
    loops: tuple[Loop, ...]
    by: tuple[Expr, ...] = ()


@dataclass(frozen=True, slots=True)
class Function:
    """A function of the language; `above` and `below` carry the attribute they follow."""

    type: Type
    name: str
    arguments: tuple[Expr, ...]
    entity: str = ""
    attribute: str = ""


@dataclass(frozen=True, slots=True)
class Defined:
    """A call of the author's own definition."""

    type: Type
    name: str
    arguments: tuple[Expr, ...]


Expr = (
    Literal
    | Local
    | Now
    | Get
    | Derived
    | ListOf
    | Key
    | Not
    | And
    | Or
    | OrElse
    | Compare
    | IsNone
    | Arithmetic
    | Negate
    | Choice
    | Scan
    | Function
    | Defined
)


def children(expr: Expr) -> tuple[Expr, ...]:
    """The expressions directly inside, loops included."""
    match expr:
        case Get(of=of) | Derived(of=of) | Not(of=of) | IsNone(of=of) | Negate(of=of):
            return (of,)
        case ListOf(items=parts) | Key(items=parts) | And(parts=parts) | Or(parts=parts):
            return parts
        case OrElse(first=first, second=second):
            return (first, second)
        case Compare(left=left, right=right) | Arithmetic(left=left, right=right):
            return (left, right)
        case Choice(test=test, then=then, otherwise=otherwise):
            return (test, then, otherwise)
        case Function(arguments=arguments) | Defined(arguments=arguments):
            return arguments
        case Scan(element=element, loops=loops, by=by):
            inside: list[Expr] = []
            for loop in loops:
                if not isinstance(loop.source, Records):
                    inside.append(loop.source)
                inside.extend(loop.tests)
            return (*inside, element, *by)
    return ()


def walk(expr: Expr) -> list[Expr]:
    """The expression and everything inside it."""
    nodes = [expr]
    for child in children(expr):
        nodes.extend(walk(child))
    return nodes


def names_in(*exprs: Expr) -> set[str]:
    """The names of the variables that stand in expressions."""
    return {inner.name for expr in exprs for inner in walk(expr) if isinstance(inner, Local)}


def _lookup(loop: Loop) -> tuple[str, Expr] | None:
    test = loop.tests[0] if loop.tests else None
    if not isinstance(loop.source, Records) or not isinstance(test, Compare) or test.op != "==":
        return None
    for got, wanted in ((test.left, test.right), (test.right, test.left)):
        own = isinstance(got, Get) and isinstance(got.of, Local) and got.of.name == loop.name
        if own and got.type.kind not in ("list", "struct") and loop.name not in names_in(wanted):
            return got.name, wanted  # type: ignore[union-attr]
    return None
