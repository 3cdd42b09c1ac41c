"""How a loop comes to its records: by an index or by their ids where one of its tests allows it, else through all of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Literal as Choices

from envscaler_mcp.language.expressions import (
    Compare,
    Expr,
    Function,
    Get,
    Local,
    Loop,
    Or,
    Records,
    names_in,
)
from envscaler_mcp.language.model import Entity
from envscaler_mcp.synthesis.compile.indexes import Index, Indexes
from envscaler_mcp.synthesis.compile.inline import Inliner
from envscaler_mcp.synthesis.compile.narrowing import (
    Branch,
    Narrowing,
    conjuncts,
    needs_first,
    steps_from,
    with_nothing,
)

Worth = Callable[[Entity, str], bool]
"""Whether an attribute of an entity is worth an index."""


@dataclass(frozen=True, slots=True)
class Way:
    """How a loop comes to its records."""

    kind: Choices["all", "key", "path", "either", "among"] = "all"
    index: Index | None = None
    values: dict[str, Expr] = field(default_factory=dict)
    """What each attribute of the index must be; of a path, the first one must lead to this in the end."""
    answered: list[Expr] = field(default_factory=list)
    """The tests that need not be asked any more."""
    others: list[Index] = field(default_factory=list)
    """Of a path, the indexes after the first; of either, one for each part."""
    keys: list[Expr] = field(default_factory=list)
    first: str = ""
    branches: tuple[Branch, ...] = ()
    """Of among, where the records are."""

    def rest(self, loop: Loop) -> list[Expr]:
        """The tests that remain."""
        return [test for test in loop.tests if not any(test is answered for answered in self.answered)]


@dataclass(slots=True)
class Ways:
    """Finds the narrowest way to the records of a loop."""

    indexes: Indexes

    def of(self, loop: Loop) -> Way:
        """The narrowest way to the records of a loop."""
        if not isinstance(loop.source, Records):
            return Way()
        entity = self.indexes.model.entities[loop.source.entity]
        links, used = self._links(loop, entity)
        return (
            self._among(loop, direct=True)
            or self._key(entity, links, used, _refers_or_unique)
            or self._lowered(loop, entity)
            or self._by_one_test(loop, entity, links, used)
            or self._among(loop, direct=False)
            or self._value(loop, entity)
            or self._key(entity, links, used, _has_moves)
            or Way()
        )

    def _key(self, entity: Entity, links: dict[str, Expr], used: list[Expr], worth: Worth) -> Way | None:
        """By the attributes that equalities fix, where one of them is worth it."""
        if any(worth(entity, name) for name in links):
            return Way("key", self.indexes.candidate(entity.name, tuple(links)), links, used)
        return None

    def _links(self, loop: Loop, entity: Entity, *, any_value: bool = False) -> tuple[dict[str, Expr], list[Expr]]:
        """The attributes that equalities fix, and those equalities."""
        links: dict[str, Expr] = {}
        used: list[Expr] = []
        for number, test in enumerate(loop.tests):
            link = _equality(test, loop.name)
            if link is None or link[0] in links or not (_refers_or_unique_or_word(entity, link[0]) or any_value):
                continue
            key = with_nothing(link[1], loop.tests[:number])
            if key is not None and entity.attributes[link[0]].type.kind != "list":
                links[link[0]] = key
                used.append(test)
        return links, used

    def _value(self, loop: Loop, entity: Entity) -> Way | None:
        """`v.on == day`, and whatever else must be equal."""
        links, used = self._links(loop, entity, any_value=True)
        return self._key(entity, links, used, _has_many_values)

    def _lowered(self, loop: Loop, entity: Entity) -> Way | None:
        """`lower(v.name) == lower(name)`"""
        for number, test in enumerate(loop.tests):
            if not isinstance(test, Compare) or test.op != "==":
                continue
            for side, other in ((test.left, test.right), (test.right, test.left)):
                name = _in_lower_case(side, loop.name)
                if not name or loop.name in names_in(other) or needs_first(other, loop.tests[:number]):
                    continue
                if not entity.attributes[name].type.optional:
                    index = self.indexes.candidate(entity.name, (name,), lowered=True)
                    return Way("key", index, {name: other}, [test])
        return None

    def _by_one_test(self, loop: Loop, entity: Entity, links: dict[str, Expr], used: list[Expr]) -> Way | None:
        for number, test in enumerate(loop.tests):
            if any(needs_first(side, loop.tests[:number]) for side in _keys(test, loop.name)):
                continue
            way = self._member(test, loop, entity) or self._path(test, loop, links, used) or self._either(test, loop)
            if way is not None:
                return way
        return None

    def _member(self, test: Expr, loop: Loop, entity: Entity) -> Way | None:
        """`x in v.list`"""
        match test:
            case Compare(op="in", left=left, right=Get(of=Local(name=name), name=attribute)) if name == loop.name:
                if loop.name not in names_in(left) and left.type.kind == "ref":
                    return Way("key", self.indexes.candidate(entity.name, (attribute,)), {attribute: left}, [test])
        return None

    def _path(self, test: Expr, loop: Loop, links: dict[str, Expr], used: list[Expr]) -> Way | None:
        """`v.room.ward == w`: from the ward to its rooms, and from each room to what refers to it."""
        if not isinstance(test, Compare) or test.op != "==":
            return None
        for side, other in ((test.left, test.right), (test.right, test.left)):
            steps = steps_from(side, loop.name)
            if steps and len(steps) > 1 and other.type.kind == "ref" and loop.name not in names_in(other):
                first = self.indexes.candidate(steps[0][0], (steps[0][1], *links))
                beyond = [self.indexes.candidate(entity, (attribute,)) for entity, attribute in steps[1:]]
                return Way("path", first, {**links, steps[0][1]: other}, [*used, test], beyond, first=steps[0][1])
        return None

    def _either(self, test: Expr, loop: Loop) -> Way | None:
        """`v.home == t or v.away == t`"""
        if not isinstance(test, Or):
            return None
        links = [_equality(part, loop.name) for part in test.parts]
        assert isinstance(loop.source, Records)
        entity = self.indexes.model.entities[loop.source.entity]
        if any(link is None or entity.attributes[link[0]].type.kind != "ref" for link in links):
            return None
        pairs = [link for link in links if link is not None]
        both = [self.indexes.candidate(entity.name, (name,)) for name, _ in pairs]
        return Way("either", None, {}, [test], both, [value for _, value in pairs])

    def _among(self, loop: Loop, *, direct: bool) -> Way | None:
        """`v in records`, `v.room in above(room)`, or anything that is true of such records only."""
        narrowing = Narrowing(self.indexes.model, loop.name, self._shortened)
        before: list[Expr] = []
        for test in loop.tests:
            facts = conjuncts(Inliner(self.indexes.model, keep=set())(test))
            for number, fact in enumerate(facts):
                narrowed = narrowing.of(fact, [*before, *facts[:number]])
                if narrowed is not None and (narrowed.direct or not direct):
                    answered = [test] if narrowed.exact and len(facts) == 1 else []
                    return Way("among", answered=answered, branches=narrowed.branches)
            before += facts
        return None

    def _shortened(self, loop: Loop) -> Loop | None:
        """The loop with only the tests that lead to its records; None where it goes through all of them."""
        if not isinstance(loop.source, Records):
            return replace(loop, tests=())
        way = self.of(loop)
        if way.kind == "all":
            return None
        return replace(loop, tests=tuple(way.answered)) if way.answered else loop


def leads(indexes: Indexes, loop: Loop) -> bool:
    """Whether a loop comes to its records without looking at all of them."""
    return Ways(indexes).of(loop).kind != "all"


def _equality(test: Expr, variable: str) -> tuple[str, Expr] | None:
    """The attribute of the variable and what it must equal, where a test is such an equality."""
    if not isinstance(test, Compare) or test.op != "==":
        return None
    for side, other in ((test.left, test.right), (test.right, test.left)):
        if not isinstance(side, Get) or not isinstance(side.of, Local) or side.name == "id":
            continue
        if side.of.name == variable and variable not in names_in(other):
            return side.name, other
    return None


def _in_lower_case(expr: Expr, variable: str) -> str:
    """The attribute of `lower(v.name)`."""
    match expr:
        case Function(name="lower", arguments=(Get(of=Local(name=name), name=attribute),)) if name == variable:
            return attribute
    return ""


def _keys(test: Expr, variable: str) -> list[Expr]:
    """The sides of a test, or of its parts, that do not speak of the variable: one of them may become a key."""
    parts = test.parts if isinstance(test, Or) else (test,)
    sides = [side for part in parts if isinstance(part, Compare) for side in (part.left, part.right)]
    return [side for side in sides if variable not in names_in(side)]


def _refers_or_unique(entity: Entity, name: str) -> bool:
    attribute = entity.attributes[name]
    return attribute.type.kind == "ref" or attribute.unique


def _refers_or_unique_or_word(entity: Entity, name: str) -> bool:
    return _refers_or_unique(entity, name) or entity.attributes[name].type.kind == "one_of"


def _has_moves(entity: Entity, name: str) -> bool:
    return entity.attributes[name].moves is not None


def _has_many_values(entity: Entity, name: str) -> bool:
    """Whether records are told apart by it: texts, numbers and dates, but no words of a few and no yes or no."""
    return entity.attributes[name].type.kind not in ("one_of", "bool", "list", "ref")
