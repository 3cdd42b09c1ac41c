"""Which records can be found without looking at all of them.

An index maps the values of some attributes to the records that have them, by id. One is kept for every set of attributes that an
equality in the blueprint asks for, so that a call costs what it touches and not what there is.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from envscaler_mcp.language.expressions import (
    Arithmetic,
    Compare,
    Defined,
    Derived,
    Expr,
    Get,
    IsNone,
    Local,
    Loop,
    Records,
    walk,
)
from envscaler_mcp.language.model import Entity, Model


@dataclass(frozen=True, slots=True)
class Index:
    """Records of an entity by the values of some stored attributes."""

    entity: Entity
    attributes: tuple[str, ...]

    @property
    def name(self) -> str:
        return f"_{self.entity.container}_by_{'_'.join(self.attributes)}"

    @property
    def keys(self) -> tuple[str, ...]:
        return tuple(self.entity.attributes[name].key for name in self.attributes)

    def key_of(self, record: str) -> str:
        """The index key of a record, as code."""
        return ", ".join(f'{record}["{key}"]' for key in self.keys)


@dataclass(slots=True)
class Indexes:
    """The indexes that the code written so far relies on."""

    model: Model
    used: dict[tuple[str, tuple[str, ...]], Index] = field(default_factory=dict)

    def on(self, entity: str, attributes: tuple[str, ...]) -> Index:
        """The index of these attributes, kept from now on."""
        declared = self.model.entities[entity]
        ordered = tuple(name for name in declared.attributes if name in attributes)
        return self.used.setdefault((entity, ordered), Index(declared, ordered))

    def of(self, entity: str) -> list[Index]:
        return sorted((index for (name, _), index in self.used.items() if name == entity), key=lambda index: index.name)

    def for_loop(self, loop: Loop) -> tuple[Index | None, dict[str, Expr], list[Expr]]:
        """The index that serves a loop over records, the value of each indexed attribute, and the tests that remain."""
        if not isinstance(loop.source, Records):
            return None, {}, list(loop.tests)
        entity = self.model.entities[loop.source.entity]
        links: dict[str, Expr] = {}
        used: list[Expr] = []
        for number, test in enumerate(loop.tests):
            found = equality(test, loop.name)
            if found is None or found[0] in links or not _worth(entity, found[0]):
                continue
            if _needs_first(found[1], loop.tests[:number]):
                continue
            links[found[0]] = found[1]
            used.append(test)
        if not any(_selective(entity, name) for name in links):
            return None, {}, list(loop.tests)
        index = self.on(entity.name, tuple(links))
        return index, links, [test for test in loop.tests if not any(test is one for one in used)]


def equality(test: Expr, variable: str) -> tuple[str, Expr] | None:
    """The attribute of the variable and what it must equal, where a test is such an equality."""
    if not isinstance(test, Compare) or test.op != "==":
        return None
    for side, other in ((test.left, test.right), (test.right, test.left)):
        if not isinstance(side, Get) or not isinstance(side.of, Local) or side.name == "id":
            continue
        if side.of.name == variable and variable not in names_in(other):
            return side.name, other
    return None


def _needs_first(key: Expr, tests: tuple[Expr, ...]) -> bool:
    """Whether a test must be true before the key can be worked out at all: the index would be asked before the test."""
    asked = {_called(side) for test in tests for inner in walk(test) for side in _narrowed(inner)} - {""}
    divides = any(isinstance(inner, Arithmetic) and inner.op in ("/", "//", "%") for inner in walk(key))
    return bool(asked & {_called(inner) for inner in walk(key)}) or (divides and bool(tests))


def _narrowed(test: Expr) -> list[Expr]:
    """What a test may show to be there."""
    if isinstance(test, IsNone):
        return [test.of]
    if isinstance(test, Compare) and test.op in ("==", "!=", "in", "not in"):
        return [side for side in (test.left, test.right) if side.type.optional]
    return []


def _called(expr: Expr) -> str:
    """What an author would write for a value that can be asked whether it is there."""
    match expr:
        case Local(name=name):
            return name
        case Get(of=of, name=name) | Derived(of=of, name=name):
            return f"{_called(of)}.{name}"
        case Defined(name=name, arguments=arguments):
            return f"{name}({', '.join(map(_called, arguments))})"
    return ""


def names_in(expr: Expr) -> set[str]:
    return {inner.name for inner in walk(expr) if isinstance(inner, Local)}


def _worth(entity: Entity, name: str) -> bool:
    attribute = entity.attributes[name]
    return attribute.type.kind in ("ref", "one_of") or attribute.unique


def _selective(entity: Entity, name: str) -> bool:
    attribute = entity.attributes[name]
    return attribute.type.kind == "ref" or attribute.unique or attribute.moves is not None
