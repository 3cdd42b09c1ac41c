"""Which records can be found without looking at all of them.

An index maps the values of some attributes to the records that have them, by id. One is kept for every set of attributes that an
equality in the blueprint asks for, so that a call costs what it touches and not what there is.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal as Choices

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
    Or,
    Records,
    names_in,
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

    @property
    def of_members(self) -> bool:
        """Whether a record is found under each value of a list."""
        return len(self.attributes) == 1 and self.entity.attributes[self.attributes[0]].type.kind == "list"

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

    def way(self, loop: Loop) -> Way:
        """The narrowest way to the records of a loop."""
        if not isinstance(loop.source, Records):
            return Way()
        entity = self.model.entities[loop.source.entity]
        links, used = self._links(loop, entity)
        if any(entity.attributes[name].type.kind == "ref" or entity.attributes[name].unique for name in links):
            return Way("key", self.on(entity.name, tuple(links)), links, used)
        for number, test in enumerate(loop.tests):
            if any(_needs_first(side, loop.tests[:number]) for side in _keys(test, loop.name)):
                continue
            way = self._member(test, loop, entity) or self._path(test, loop, links, used) or self._either(test, loop)
            if way is not None:
                return way
        if any(entity.attributes[name].moves is not None for name in links):
            return Way("key", self.on(entity.name, tuple(links)), links, used)
        return Way()

    def _links(self, loop: Loop, entity: Entity) -> tuple[dict[str, Expr], list[Expr]]:
        """The attributes that equalities fix, and those equalities."""
        links: dict[str, Expr] = {}
        used: list[Expr] = []
        for number, test in enumerate(loop.tests):
            link = equality(test, loop.name)
            if link is None or link[0] in links or not _worth(entity, link[0]):
                continue
            if not _needs_first(link[1], loop.tests[:number]):
                links[link[0]] = link[1]
                used.append(test)
        return links, used

    def _member(self, test: Expr, loop: Loop, entity: Entity) -> Way | None:
        """`x in v.list`"""
        match test:
            case Compare(op="in", left=left, right=Get(of=Local(name=name), name=attribute)) if name == loop.name:
                if loop.name not in names_in(left) and left.type.kind == "ref":
                    return Way("key", self.on(entity.name, (attribute,)), {attribute: left}, [test])
        return None

    def _path(self, test: Expr, loop: Loop, links: dict[str, Expr], used: list[Expr]) -> Way | None:
        """`v.room.ward == w`: from the ward to its rooms, and from each room to what refers to it."""
        if not isinstance(test, Compare) or test.op != "==":
            return None
        for side, other in ((test.left, test.right), (test.right, test.left)):
            steps = _steps(side, loop.name)
            if len(steps) > 1 and other.type.kind == "ref" and loop.name not in names_in(other):
                first = self.on(steps[0][0], (steps[0][1], *links))
                beyond = [self.on(entity, (attribute,)) for entity, attribute in steps[1:]]
                return Way("path", first, {**links, steps[0][1]: other}, [*used, test], beyond, first=steps[0][1])
        return None

    def _either(self, test: Expr, loop: Loop) -> Way | None:
        """`v.home == t or v.away == t`"""
        if not isinstance(test, Or):
            return None
        links = [equality(part, loop.name) for part in test.parts]
        assert isinstance(loop.source, Records)
        entity = self.model.entities[loop.source.entity]
        if any(link is None or entity.attributes[link[0]].type.kind != "ref" for link in links):
            return None
        pairs = [link for link in links if link is not None]
        both = [self.on(entity.name, (name,)) for name, _ in pairs]
        return Way("either", None, {}, [test], both, [value for _, value in pairs])


@dataclass(frozen=True, slots=True)
class Way:
    """How a loop comes to its records."""

    kind: Choices["all", "key", "path", "either"] = "all"
    index: Index | None = None
    values: dict[str, Expr] = field(default_factory=dict)
    """What each attribute of the index must be; of a path, the first one must lead to this in the end."""
    answered: list[Expr] = field(default_factory=list)
    """The tests that need not be asked any more."""
    others: list[Index] = field(default_factory=list)
    """Of a path, the indexes after the first; of either, one for each part."""
    keys: list[Expr] = field(default_factory=list)
    first: str = ""

    def rest(self, loop: Loop) -> list[Expr]:
        """The tests that remain."""
        return [test for test in loop.tests if not any(test is answered for answered in self.answered)]


def _steps(expr: Expr, variable: str) -> list[tuple[str, str]]:
    """`v.room.ward` as (Bed, room), (Room, ward)."""
    if isinstance(expr, Get) and expr.type.kind == "ref" and expr.of.type.kind == "ref":
        if isinstance(expr.of, Local):
            return [(expr.of.type.entity, expr.name)] if expr.of.name == variable else []
        before = _steps(expr.of, variable)
        return [*before, (expr.of.type.entity, expr.name)] if before else []
    return []


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


def _keys(test: Expr, variable: str) -> list[Expr]:
    """The sides of a test, or of its parts, that do not speak of the variable: one of them may become a key."""
    parts = test.parts if isinstance(test, Or) else (test,)
    sides = [side for part in parts if isinstance(part, Compare) for side in (part.left, part.right)]
    return [side for side in sides if variable not in names_in(side)]


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


def _worth(entity: Entity, name: str) -> bool:
    attribute = entity.attributes[name]
    return attribute.type.kind in ("ref", "one_of") or attribute.unique
