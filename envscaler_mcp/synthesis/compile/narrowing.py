"""Where alone the records can be of which a test is true: among some ids, or where an attribute leads to some ids."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from envscaler_mcp.language.expressions import (
    And,
    Arithmetic,
    Choice,
    Compare,
    Defined,
    Derived,
    Expr,
    Function,
    Get,
    IsNone,
    ListOf,
    Literal,
    Local,
    Loop,
    Or,
    OrElse,
    Records,
    Scan,
    names_in,
    walk,
)
from envscaler_mcp.language.model import Model
from envscaler_mcp.language.types import BOOL, list_of
from envscaler_mcp.synthesis.compile.inline import renamed

Step = tuple[str, str]
"""An entity and the reference of it that is followed."""


@dataclass(frozen=True, slots=True)
class Branch:
    """Records from which some steps lead to one of some records; without steps, these records themselves."""

    steps: tuple[Step, ...]
    keys: tuple[Expr, ...]
    """Each a record or a list of records."""


@dataclass(frozen=True, slots=True)
class Narrowed:
    """The records are in one of the branches."""

    branches: tuple[Branch, ...]
    exact: bool
    """Whether the test is true of all records there."""

    @property
    def direct(self) -> bool:
        """Whether the ids are at hand, with nothing to be followed."""
        return all(not branch.steps and not _follows(branch.keys) for branch in self.branches)


@dataclass(frozen=True, slots=True)
class Narrowing:
    """What the tests of a loop tell of its variable."""

    model: Model
    variable: str
    shortened: Callable[[Loop], Loop | None]
    """A loop with those tests only that lead it to its records; None where it looks at all of them."""

    def of(self, test: Expr, before: list[Expr]) -> Narrowed | None:
        """Where a test can be true; `before` must be true already when it is asked."""
        match test:
            case Or(parts=parts):
                return _together(self.of(part, before) for part in parts)
            case And(parts=parts):
                for number, part in enumerate(parts):
                    narrowed = self.of(part, [*before, *parts[:number]])
                    if narrowed is not None:
                        return replace(narrowed, exact=False)
            case Compare(op="==", left=left, right=right):
                return self._same(left, right, before) or self._same(right, left, before)
            case Compare(op="in", left=left, right=right):
                return self._inside(left, right, before)
            case Scan(gather="any"):
                return self._through_others(test, before)
        return None

    def _same(self, mine: Expr, other: Expr, before: list[Expr]) -> Narrowed | None:
        steps = steps_from(mine, self.variable)
        if steps is None or other.type.kind != "ref" or self.variable in names_in(other):
            return None
        key = with_nothing(other, before)
        return None if key is None else Narrowed((Branch(steps, (key,)),), exact=True)

    def _inside(self, left: Expr, right: Expr, before: list[Expr]) -> Narrowed | None:
        if left.type.kind != "ref":
            return None
        if isinstance(right, ListOf):
            return _together(self.of(Compare(BOOL, "==", left, item), before) for item in right.items)
        if isinstance(right, Arithmetic):
            return _together(self._inside(left, part, before) for part in (right.left, right.right))
        if isinstance(right, Scan) and right.gather == "list":
            same = Compare(BOOL, "==", left, right.element)
            return self._through_others(Scan(BOOL, "any", same, right.loops), before)
        if self.variable not in names_in(right):
            steps = steps_from(left, self.variable)
            return None if steps is None else self._known(steps, right, before)
        if self.variable in names_in(left):
            return None
        if isinstance(right, Function) and right.attribute:
            # What is above me has me below it.
            steps = steps_from(right.arguments[0], self.variable)
            turned = replace(right, name="below" if right.name == "above" else "above", arguments=(left,))
            return None if steps is None else self._known(steps, turned, before)
        steps = steps_from(right, self.variable)
        return None if steps is None else self._known(steps, left, before)

    def _known(self, steps: tuple[Step, ...], keys: Expr, before: list[Expr]) -> Narrowed | None:
        return None if needs_first(keys, before) else Narrowed((Branch(steps, (keys,)),), exact=True)

    def _through_others(self, scan: Scan, before: list[Expr]) -> Narrowed | None:
        """`any(k.person == v for k in Key if k.door == door)`: those whom the keys of this door lead to."""
        loops = put_together(with_question(scan))
        for number, loop in enumerate(loops):
            if not isinstance(loop.source, Records) and self.variable in names_in(loop.source):
                return self._through_members(loop, before) if number == 0 else None
        tests = [test for loop in loops for test in loop.tests]
        for number, test in enumerate(tests):
            narrowed = self.of(test, [*before, *tests[:number]]) if self.variable in names_in(test) else None
            if narrowed is not None:
                shorter = self._without_me(loops)
                return self._gathered(narrowed, shorter) if shorter else None
        return None

    def _through_members(self, loop: Loop, before: list[Expr]) -> Narrowed | None:
        """`any(x in area for x in v.segments)`: those that have a segment of the area."""
        assert not isinstance(loop.source, Records)
        steps = steps_from(loop.source, self.variable)
        if steps is None or loop.element.kind != "ref":
            return None
        of_members = replace(self, variable=loop.name)
        for number, test in enumerate(loop.tests):
            if self.variable not in names_in(test):
                narrowed = of_members.of(test, [*before, *loop.tests[:number]])
                if narrowed is not None and not any(
                    self.variable in names_in(*branch.keys) for branch in narrowed.branches
                ):
                    branches = tuple(Branch((*steps, *branch.steps), branch.keys) for branch in narrowed.branches)
                    return Narrowed(branches, exact=False)
        return None

    def _without_me(self, loops: tuple[Loop, ...]) -> tuple[Loop, ...]:
        """The loops with what they ask of other records only; none where that would look at all of some."""
        shorter: list[Loop] = []
        for loop in loops:
            tests = tuple(test for test in loop.tests if self.variable not in names_in(test))
            short = self.shortened(replace(loop, tests=tests))
            if short is None:
                return ()
            shorter.append(short)
        tests = tuple(test for loop in shorter for test in loop.tests)
        dropped = [test for loop in loops for test in loop.tests if not any(test is other for other in tests)]
        sources = [loop.source for loop in shorter if not isinstance(loop.source, Records)]
        return () if any(needs_first(read, dropped) for read in (*tests, *sources)) else tuple(shorter)

    def _gathered(self, narrowed: Narrowed, loops: tuple[Loop, ...]) -> Narrowed:
        """The same with keys that do not speak of the records in between."""
        branches = [
            Branch(branch.steps, tuple(_collected(key, loops) for key in branch.keys)) for branch in narrowed.branches
        ]
        return Narrowed(tuple(branches), exact=False)


def _collected(key: Expr, loops: tuple[Loop, ...]) -> Expr:
    """`[k.person for k in Key if k.door == door]`"""
    if not names_in(key) & {loop.name for loop in loops}:
        return key
    if key.type.kind != "list":
        return Scan(list_of(key.type), "list", key, loops)
    assert key.type.of is not None
    item = Local(key.type.of, "item_0")
    return Scan(key.type, "list", item, (*loops, Loop(item.name, item.type, key, ())))


def named_as_written(expr: Expr, taken: set[str]) -> Expr:
    """The expression with its loop variables called as the author called them, before definitions were written out."""
    for loop in _loops_in(expr):
        name = re.sub(r"_\d+$", "", loop.name)
        if name not in taken | names_in(expr) | {other.name for other in _loops_in(expr)}:
            expr = renamed(expr, loop.name, Local(loop.element, name), loops_too=True)
    return expr


def _loops_in(expr: Expr) -> list[Loop]:
    return [loop for inner in walk(expr) if isinstance(inner, Scan) for loop in inner.loops]


def _together(parts: Iterable[Narrowed | None]) -> Narrowed | None:
    """In any of them, where all of them are known."""
    branches: list[Branch] = []
    exact = True
    for part in parts:
        if part is None:
            return None
        exact = exact and part.exact
        for branch in part.branches:
            same = next((number for number, other in enumerate(branches) if other.steps == branch.steps), None)
            if same is None:
                branches.append(branch)
            else:
                branches[same] = Branch(branch.steps, (*branches[same].keys, *branch.keys))
    return Narrowed(tuple(branches), exact) if branches else None


def _follows(keys: tuple[Expr, ...]) -> bool:
    """Whether working them out takes looking at other records."""
    inside = [inner for key in keys for inner in walk(key)]
    return any(isinstance(inner, Scan) or (isinstance(inner, Function) and inner.attribute) for inner in inside)


def with_question(scan: Scan) -> tuple[Loop, ...]:
    """The loops of `any` or `none`, with what it asks as tests of the last of them."""
    if scan.element.type.kind != "bool" or isinstance(scan.element, Literal):
        return scan.loops
    last = scan.loops[-1]
    return (*scan.loops[:-1], replace(last, tests=(*last.tests, *conjuncts(scan.element))))


def put_together(loops: tuple[Loop, ...]) -> tuple[Loop, ...]:
    """The loops with each test of its own, and a list of what another loop met as that loop."""
    written: list[Loop] = []
    for loop in loops:
        match loop.source:
            case Scan(gather="list", element=Local(name=name), loops=inner) if name == inner[-1].name:
                own = tuple(renamed(test, name, Local(loop.element, loop.name)) for test in inner[-1].tests)
                last = replace(inner[-1], name=loop.name, tests=(*own, *loop.tests))
                written += put_together((*inner[:-1], last))
            case _:
                written.append(replace(loop, tests=tuple(part for test in loop.tests for part in conjuncts(test))))
    return tuple(written)


def conjuncts(expr: Expr) -> list[Expr]:
    """What must be true all together."""
    return [piece for part in expr.parts for piece in conjuncts(part)] if isinstance(expr, And) else [expr]


def steps_from(expr: Expr, variable: str) -> tuple[Step, ...] | None:
    """`v` as no steps, `v.room.ward` as (Bed, room), (Room, ward); a list of references may end them."""
    if isinstance(expr, Local):
        return () if expr.name == variable else None
    if isinstance(expr, Get) and expr.of.type.kind == "ref" and expr.name != "id":
        element = expr.type.of if expr.type.kind == "list" else expr.type
        before = steps_from(expr.of, variable)
        if before is not None and element is not None and element.kind == "ref":
            return (*before, (expr.of.type.entity, expr.name))
    return None


def with_nothing(key: Expr, tests: Iterable[Expr]) -> Expr | None:
    """A key that may be worked out before the tests, by which nothing is found where it is not there; None if it may not."""
    tests = tuple(tests)
    if not needs_first(key, tests):
        return key
    plain = isinstance(key, Local) or (isinstance(key, Get) and not needs_first(key.of, tests))
    return _maybe(key) if plain else None


def _maybe(key: Expr) -> Expr:
    return replace(key, type=key.type.maybe) if isinstance(key, Local) else key


def needs_first(key: Expr, tests: Iterable[Expr]) -> bool:
    """Whether a test must be true before the key can be worked out at all: the index would be asked before the test."""
    tests = tuple(tests)
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
        case Scan() | Choice() | OrElse() | Function():
            return "something worked out"
    return ""
