"""Which records must be looked at again after a write, so that a rule is checked where it could have been broken.

A rule `all(test for v in E if ..)` is turned into a question about one record: does v break it? For every attribute that the
question reads, a *route* leads from the record that has the attribute back to v: forward along a reference, or back to the
records that refer to it. A rule without such a route is checked whole, whenever something that it reads was written.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Literal as Choices

from envscaler_mcp.language.analysis import read_by
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
    Key,
    ListOf,
    Literal,
    Local,
    Loop,
    Not,
    Or,
    OrElse,
    Records,
    Scan,
    children,
    names_in,
)
from envscaler_mcp.language.model import Model, Rule
from envscaler_mcp.language.types import BOOL
from envscaler_mcp.synthesis.compile.inline import Inliner, renamed


@dataclass(frozen=True, slots=True)
class Hop:
    """One step of a route."""

    way: Choices["forward", "back", "each", "above", "below"]
    """Along a reference; to the records that refer here; to every record of a list attribute; again and again along a reference;
    to all from which one comes here so."""
    entity: str
    """The entity that has the attribute."""
    attribute: str

    @property
    def leaves_trace(self) -> bool:
        """Whether what the attribute led to before it was written is on the way too."""
        return self.way in ("forward", "each", "above")


Route = tuple[Hop, ...]
Routes = dict[tuple[str, str], list[Route] | None]
"""(entity, attribute or `*` for coming and going) to the routes back to the record in question; None where there is none."""


@dataclass(frozen=True, slots=True)
class Question:
    """Does this record break the rule?"""

    rule: Rule
    variable: str
    entity: str
    broken: Expr
    routes: Routes

    @property
    def only(self) -> dict[str, str]:
        """Attributes that must have a certain value for the record to be able to break the rule."""
        fixed: dict[str, str] = {}
        for part in _flat(self.broken):
            match part:
                case Compare(op="==", left=Get(of=Local(name=name), name=attribute), right=Literal(value=str(value))):
                    if name == self.variable and part.left.type.kind == "one_of":
                        fixed[attribute] = value
        return fixed


@dataclass(frozen=True, slots=True)
class Whole:
    """A rule that can only be looked at as a whole."""

    rule: Rule
    broken: Expr
    reads: frozenset[tuple[str, str]]


def questions(rule: Rule, model: Model) -> list[Question | Whole]:
    """A rule as questions about single records where its shape allows it."""
    asked: list[Question | Whole] = []
    for part in _conjuncts(rule.holds):
        split = _by_record(rule, part, model)
        asked.extend(split if split is not None else [Whole(rule, Not(BOOL, part), frozenset(read_by(part, model)))])
    return asked


def _conjuncts(expr: Expr) -> list[Expr]:
    if isinstance(expr, And):
        return [piece for part in expr.parts for piece in _conjuncts(part)]
    if isinstance(expr, Not) and isinstance(expr.of, Scan) and expr.of.gather in ("any", "none"):
        return [replace(expr.of, gather="none" if expr.of.gather == "any" else "any")]
    return [expr]


def _by_record(rule: Rule, expr: Expr, model: Model) -> list[Question | Whole] | None:
    if not isinstance(expr, Scan) or expr.gather not in ("all", "none", "unique"):
        return None
    roots = [loop for loop in expr.loops if isinstance(loop.source, Records)]
    if not roots or not isinstance(expr.loops[0].source, Records):
        return None
    if expr.gather == "unique":
        if len(expr.loops) != 1:
            return None
        expr = _as_pairs(expr)
        roots = roots[:1]
    result: list[Question | Whole] = []
    asked: list[Question] = []
    for root in roots:
        assert isinstance(root.source, Records)
        broken = _broken(expr, root)
        if any(_mirror(question, root, broken) for question in asked):
            continue
        others = {loop.name for loop in expr.loops if isinstance(loop.source, Records)} - {root.name}
        routes = _Analysis(model, root.name, root.source.entity, others).routes_of(broken)
        asked.append(Question(rule, root.name, root.source.entity, broken, routes))
    result.extend(asked)
    return result


def _mirror(question: Question, root: Loop, broken: Expr) -> bool:
    """Whether the question is the same with the two records in each other's place."""
    swapped = renamed(broken, root.name, Local(root.element, "?"))
    swapped = renamed(swapped, question.variable, Local(root.element, root.name), loops_too=True)
    swapped = renamed(swapped, "?", Local(root.element, question.variable))
    return _shape(swapped) == _shape(question.broken)


def _shape(expr: Expr) -> object:
    """The expression up to the order in which nothing depends on order."""
    if isinstance(expr, Local):
        return ("local", expr.name)
    inner = [_shape(child) for child in children(expr)]
    if isinstance(expr, Compare) and expr.op in ("==", "!="):
        inner = sorted(inner, key=repr)
    elif isinstance(expr, Function) and expr.name == "overlap":
        inner = sorted([inner[:2], inner[2:]], key=repr)
    elif isinstance(expr, And | Or):
        parts = _flat(expr) if isinstance(expr, And) else list(expr.parts)
        inner = sorted((_shape(piece) for piece in parts), key=repr)
    elif isinstance(expr, Scan):
        loops = []
        for loop in expr.loops:
            source = loop.source.entity if isinstance(loop.source, Records) else _shape(loop.source)
            loops.append((loop.name, source, sorted((_shape(t) for test in loop.tests for t in _flat(test)), key=repr)))
        return (expr.gather, loops, _shape(expr.element))
    named = [
        getattr(expr, slot) for slot in ("name", "op", "value", "negated", "entity", "attribute") if hasattr(expr, slot)
    ]
    return (type(expr).__name__, named, inner)


def _flat(expr: Expr) -> list[Expr]:
    if isinstance(expr, And):
        return [piece for part in expr.parts for piece in _flat(part)]
    return [expr]


def _as_pairs(expr: Scan) -> Scan:
    """`unique(key for p in E if f)` as: no other q of E with f(q) has the same key."""
    loop = expr.loops[0]
    other = Local(loop.element, f"other_{loop.name}" if not loop.name.startswith("other_") else f"another_{loop.name}")
    first = Local(loop.element, loop.name)
    keys = expr.element.items if isinstance(expr.element, Key) else (expr.element,)
    same: list[Expr] = [Compare(BOOL, "==", renamed(key, loop.name, other), key) for key in keys]
    tests = tuple(renamed(test, loop.name, other) for test in loop.tests)
    apart = Compare(BOOL, "!=", other, first)
    return Scan(BOOL, "none", other, (loop, Loop(other.name, loop.element, loop.source, (*same, *tests, apart))))


def _broken(expr: Scan, root: Loop) -> Expr:
    """The rule's opposite, asked of one record: its own tests first, the other loops after them."""
    others = [loop for loop in expr.loops if loop is not root]
    tests = [test for loop in expr.loops for test in loop.tests]
    bound = {root.name}
    all_names = {loop.name for loop in expr.loops}
    own = [test for test in tests if names_in(test) & all_names <= bound]
    tests = [test for test in tests if not any(test is other for other in own)]
    loops: list[Loop] = []
    for loop in others:
        bound = bound | {loop.name}
        here = [test for test in tests if names_in(test) & all_names <= bound]
        tests = [test for test in tests if not any(test is other for other in here)]
        loops.append(replace(loop, tests=tuple(here)))
    wrong: Expr = expr.element if expr.gather == "none" else Not(BOOL, expr.element)
    exists = wrong.type.kind != "bool"
    if not loops:
        parts = own if exists else [*own, wrong]
        return parts[0] if len(parts) == 1 else And(BOOL, tuple(parts))
    if not exists:
        # As a last test, it can be seen as one equality among the others.
        loops[-1] = replace(
            loops[-1], tests=(*loops[-1].tests, *(_conjuncts(wrong) if isinstance(wrong, And) else [wrong]))
        )
    asked = Scan(BOOL, "any", Local(loops[-1].element, loops[-1].name), tuple(loops))
    return And(BOOL, (*own, asked)) if own else asked


@dataclass(slots=True)
class _Analysis:
    """Follows every read of a question back to its record."""

    model: Model
    root: str
    entity: str
    others: set[str]
    """The other records of the same rule: what is read of them is asked of them."""
    routes: Routes = field(default_factory=dict)
    everywhere: list[Expr] = field(default_factory=list)
    """What is asked of every record of the entity, whatever else is true of it."""

    def routes_of(self, broken: Expr) -> Routes:
        self._add((self.entity, "*"), [()])
        written = Inliner(self.model, keep=self.others)(broken)
        self.everywhere = _flat(written.of) if isinstance(written, Not) else [written]
        self._read(written, {self.root: [()]})
        return {key: routes for key, routes in self.routes.items() if routes is None or routes}

    def _add(self, key: tuple[str, str], routes: list[Route] | None) -> None:
        known = self.routes.get(key, [])
        if routes is None or known is None:
            self.routes[key] = None
            return
        self.routes[key] = [*known, *(route for route in routes if route not in known)]

    def _read(self, expr: Expr, names: dict[str, list[Route] | None]) -> None:
        if self._acyclic(expr, names):
            return
        if isinstance(expr, Defined | Derived):
            # Too deep to be written out: whatever it reads, all records are asked.
            for pair in read_by(expr, self.model):
                self._add(pair, None)
        if isinstance(expr, Get) and expr.of.type.kind == "ref" and expr.name != "id":
            self._add((expr.of.type.entity, expr.name), self._ways(expr.of, names))
        if isinstance(expr, Function) and expr.attribute:
            self._follow(expr, names)
        if isinstance(expr, Scan):
            inside = self._bind(_asked_of_last(expr), names)
            self._read(expr.element, inside)
            for part in expr.by:
                self._read(part, inside)
            return
        for child in children(expr):
            self._read(child, names)

    def _follow(self, expr: Function, names: dict[str, list[Route] | None]) -> None:
        """Every record on the way is read: who is at its end or its beginning is asked."""
        routes = self._elements(expr, names)
        start = self._ways(expr.arguments[0], names)
        if expr.name == "below":
            self._add((expr.entity, "*"), routes)
            self._add((expr.entity, expr.attribute), routes)
        else:
            self._add((expr.entity, expr.attribute), None if routes is None or start is None else [*start, *routes])

    def _acyclic(self, expr: Expr, names: dict[str, list[Route] | None]) -> bool:
        """`v in above(v, parent)`: a new circle passes through the record that was changed."""
        match expr:
            case Compare(left=Local(name=name), right=Function(name="above", arguments=(Local(name=start),))):
                if name == start and names.get(name) == [()] and any(expr is part for part in self.everywhere):
                    assert isinstance(expr.right, Function)
                    self._add((expr.right.entity, expr.right.attribute), [()])
                    return True
        return False

    def _bind(self, loops: tuple[Loop, ...], names: dict[str, list[Route] | None]) -> dict[str, list[Route] | None]:
        inside = dict(names)
        for loop in loops:
            if isinstance(loop.source, Records):
                # What another record of the rule brings along is asked with that record in the middle.
                inside[loop.name] = [] if loop.name in self.others else self._link(loop, inside)
                self._add((loop.source.entity, "*"), inside[loop.name])
            else:
                self._read(loop.source, inside)
                inside[loop.name] = self._elements(loop.source, inside) if loop.element.kind == "ref" else []
            for test in loop.tests:
                self._read(test, inside)
        return inside

    def _link(self, loop: Loop, names: dict[str, list[Route] | None]) -> list[Route] | None:
        """How a record that a nested loop meets leads back: through an equality that its tests ask for."""
        links = [ways for test in loop.tests if (ways := self._linked(test, loop, names)) is not None]
        return next((ways for ways in links if ways), links[0] if links else None)

    def _linked(self, test: Expr, loop: Loop, names: dict[str, list[Route] | None]) -> list[Route] | None:
        if isinstance(test, Or):
            all_ways: list[Route] = []
            for part in test.parts:
                ways = self._linked(part, loop, names)
                if ways is None:
                    return None
                all_ways.extend(ways)
            return all_ways
        if isinstance(test, And):
            return next((w for part in test.parts if (w := self._linked(part, loop, names)) is not None), None)
        if not isinstance(test, Compare) or test.op not in ("==", "in"):
            return None
        if test.op == "in":
            return self._linked_in(test.left, test.right, loop, names)
        for mine, other in ((test.left, test.right), (test.right, test.left)):
            if loop.name in names_in(other) or other.type.kind != "ref":
                continue
            path = _path(mine, loop.name)
            beyond = self._ways(other, names)
            if path is not None and beyond is not None:
                return [(*path, *way) for way in beyond]
        return None

    def _linked_in(
        self, left: Expr, right: Expr, loop: Loop, names: dict[str, list[Route] | None]
    ) -> list[Route] | None:
        if left.type.kind != "ref":
            return None
        if loop.name not in names_in(right):
            path, beyond = _path(left, loop.name), self._elements(right, names)
        elif isinstance(right, ListOf):
            return self._linked(Or(BOOL, tuple(Compare(BOOL, "==", left, item) for item in right.items)), loop, names)
        elif isinstance(right, Arithmetic):
            both = (right.left, right.right)
            return self._linked(Or(BOOL, tuple(Compare(BOOL, "in", left, part) for part in both)), loop, names)
        elif loop.name in names_in(left):
            return None
        elif isinstance(right, Function) and right.attribute:
            path, beyond = _path(right.arguments[0], loop.name), self._ways(left, names)
            path = None if path is None else (*path, _closure(right))
        else:
            path, beyond = _path(right, loop.name), self._ways(left, names)
        return None if path is None or beyond is None else [(*path, *way) for way in beyond]

    def _ways(self, expr: Expr, names: dict[str, list[Route] | None]) -> list[Route] | None:
        """The routes from the record that an expression gives back to the record in question."""
        match expr:
            case Local(name=name):
                return names.get(name)
            case Get(of=of, name=name) if of.type.kind == "ref":
                before = self._ways(of, names)
                return None if before is None else [_backwards(of.type.entity, name, way) for way in before]
            case OrElse(first=a, second=b) | Choice(then=a, otherwise=b):
                ways = [self._ways(side, names) for side in (a, b) if side.type.kind != "none"]
                return None if any(way is None for way in ways) else [route for way in ways for route in way or []]
            case Scan(gather="first" | "list", element=element, loops=loops):
                return self._ways(element, self._quietly(loops, names))
        return None

    def _elements(self, expr: Expr, names: dict[str, list[Route] | None]) -> list[Route] | None:
        match expr:
            case Scan(gather="list", element=element, loops=loops):
                return self._ways(element, self._quietly(loops, names))
            case ListOf(items=items):
                ways = [self._ways(item, names) for item in items]
                return None if any(way is None for way in ways) else [route for way in ways for route in way or []]
            case Get(of=of, name=name) if of.type.kind == "ref":
                before = self._ways(of, names)
                return None if before is None else [(Hop("back", of.type.entity, name), *way) for way in before]
            case Function(arguments=(start, *_)) if expr.attribute:
                before = self._ways(start, names)
                return None if before is None else [(_closure(expr, backwards=True), *way) for way in before]
            case Arithmetic(left=left, right=right):
                ways = [self._elements(side, names) for side in (left, right)]
                return None if any(way is None for way in ways) else [route for way in ways for route in way or []]
        return None

    def _quietly(self, loops: tuple[Loop, ...], names: dict[str, list[Route] | None]) -> dict[str, list[Route] | None]:
        return _Analysis(self.model, self.root, self.entity, self.others)._bind(loops, names)


def _closure(expr: Function, *, backwards: bool = False) -> Hop:
    """From where `above` or `below` begins to what it gives, or from there to where it begins."""
    return Hop("below" if (expr.name == "above") == backwards else "above", expr.entity, expr.attribute)


def _asked_of_last(scan: Scan) -> tuple[Loop, ...]:
    """The loops; where `any` or `none` ask a question of the last record, it is one of its tests."""
    if scan.gather not in ("any", "none") or scan.element.type.kind != "bool":
        return scan.loops
    last = scan.loops[-1]
    return (*scan.loops[:-1], replace(last, tests=(*last.tests, scan.element)))


def _backwards(entity: str, attribute: str, way: Route) -> Route:
    """The way from what a reference leads to; to go back and along it again would miss a record that was just let go."""
    if way and way[0] == Hop("forward", entity, attribute):
        return way[1:]
    return (Hop("back", entity, attribute), *way)


def _path(expr: Expr, variable: str) -> Route | None:
    """`w.a.b` as the hops from w; `w.list` as a hop to each of its records."""
    match expr:
        case Local(name=name) if name == variable:
            return ()
        case Get(of=of, name=name) if of.type.kind == "ref" and name != "id":
            before = _path(of, variable)
            if before is None:
                return None
            many = expr.type.kind == "list"
            return (*before, Hop("each" if many else "forward", of.type.entity, name))
    return None
