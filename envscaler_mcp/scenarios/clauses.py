"""What each clause of a task decides: the plan made again without it, in the same start state.

A clause is a condition, a tie-break, a superlative, an "all of them" or a branch. It is idle where the
plan without it ends in the same state: who overlooks it does no worse.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from time import process_time
from typing import Any, Literal

from envscaler_mcp.errors import GrowthError
from envscaler_mcp.language.expressions import And, Choice, Expr, Function, Key, Loop, Or, Records, Scan
from envscaler_mcp.language.expressions import Literal as Constant
from envscaler_mcp.language.interpreter.bounded import BoundedEvaluator
from envscaler_mcp.language.interpreter.evaluation import Names
from envscaler_mcp.language.interpreter.store import Store
from envscaler_mcp.language.model import Model
from envscaler_mcp.language.stories import Act, Deed, Each, Fork, Role, Story, Worked
from envscaler_mcp.language.types import INT
from envscaler_mcp.scenarios.replay import content_form
from envscaler_mcp.scenarios.threads import Unfit, arguments_of, as_it_is, made_by
from envscaler_mcp.serving.local_world import LocalWorld

ClauseKind = Literal["condition", "tie-break", "superlative", "all", "branch"]


class Tally(Counter[tuple[ClauseKind, bool]]):
    """How many clauses of each kind decide something, and how many do not."""


_NO_CLAUSE = (KeyError, TypeError, AttributeError, IndexError, ValueError, ArithmeticError)
"""What working out an expression raises without a condition that only keeps it from doing so."""
_ENDLESS = (GrowthError, RecursionError, MemoryError)
"""What a plan raises that takes too long, or too much, without a clause."""
NOT_PLAYED = (*_NO_CLAUSE, *_ENDLESS)
"""What a task raises whose start state or stories may be a stranger's and do not fit each other."""
_SECONDS = 10.0
"""Seconds of work for the clauses of a task; those that are left then are not counted."""
_WHAT = "a task without one of its clauses"


@dataclass(frozen=True, slots=True)
class Clause:
    """A story that lacks one of its clauses."""

    kind: ClauseKind
    story: Story
    deed: Deed | None = None
    """Where it stands, unless in the cast."""


_Deeds = tuple[Deed, ...]


def clauses(story: Story) -> Iterator[Clause]:
    """The story without each of its clauses, one at a time."""
    for place, role in enumerate(story.cast):
        for kind, other in _roles(role):
            yield Clause(kind, replace(story, cast=(*story.cast[:place], other, *story.cast[place + 1 :])))
    for kind, deed, do in _deeds(story.do):
        yield Clause(kind, replace(story, do=do), deed)


def _roles(role: Role) -> Iterator[tuple[ClauseKind, Role]]:
    if isinstance(role, Worked):
        yield from ((kind, replace(role, value=value)) for kind, value in _without(role.value))


def _deeds(deeds: _Deeds) -> Iterator[tuple[ClauseKind, Deed, _Deeds]]:
    for place, deed in enumerate(deeds):
        before, after = deeds[:place], deeds[place + 1 :]
        yield from ((kind, deed, (*before, other, *after)) for kind, other in _deed(deed))
        match deed:
            case Each(do=do):
                for kind, inner, other in _deeds(do):
                    yield kind, inner, (*before, replace(deed, do=other), *after)
            case Fork(then=then, otherwise=otherwise):
                for kind, inner, other in _deeds(then):
                    yield kind, inner, (*before, replace(deed, then=other), *after)
                for kind, inner, other in _deeds(otherwise):
                    yield kind, inner, (*before, replace(deed, otherwise=other), *after)


def _deed(deed: Deed) -> Iterator[tuple[ClauseKind, Deed]]:
    match deed:
        case Act(arguments=arguments):
            for name, expr in arguments.items():
                yield from ((kind, replace(deed, arguments={**arguments, name: e})) for kind, e in _without(expr))
        case Each(loop=loop, by=by, limit=limit):
            yield from ((kind, replace(deed, loop=other)) for kind, other in _loop(loop))
            if limit is None:
                yield "all", replace(deed, limit=Constant(INT, 1))
            else:
                yield from ((kind, replace(deed, by=other)) for kind, other in _orders(by))
        case Fork(test=test, then=then, otherwise=otherwise):
            yield "branch", replace(deed, then=otherwise, otherwise=then)
            yield from ((kind, replace(deed, test=other)) for kind, other in _without(test))


def _without(expr: Expr) -> Iterator[tuple[ClauseKind, Expr]]:
    """The expression without each of the clauses in it."""
    match expr:
        case And(parts=parts) | Or(parts=parts):
            for place in range(len(parts)):
                left = (*parts[:place], *parts[place + 1 :])
                yield "condition", left[0] if len(left) == 1 else replace(expr, parts=left)
        case Choice(then=then, otherwise=otherwise):
            yield "branch", replace(expr, then=otherwise, otherwise=then)
        case Scan(gather="min") | Scan(gather="max"):
            yield "superlative", replace(expr, gather="max" if expr.gather == "min" else "min")
        case Scan(by=by):
            yield from ((kind, replace(expr, by=other)) for kind, other in _orders(by))
    for field in fields(expr):
        if field.init:
            for kind, value in _inside(getattr(expr, field.name)):
                yield kind, replace(expr, **{field.name: value})


def _inside(value: Any) -> Iterator[tuple[ClauseKind, Any]]:
    match value:
        case Loop():
            yield from _loop(value)
        case tuple():
            for place, item in enumerate(value):
                for kind, other in _inside(item):
                    yield kind, (*value[:place], other, *value[place + 1 :])
        case _ if hasattr(type(value), "__dataclass_fields__") and not isinstance(value, Records):
            yield from _without(value)


def _loop(loop: Loop) -> Iterator[tuple[ClauseKind, Loop]]:
    for place, test in enumerate(loop.tests):
        # A conjunct is left out on its own; the test as a whole only where it has none.
        if not isinstance(test, And):
            yield "condition", replace(loop, tests=(*loop.tests[:place], *loop.tests[place + 1 :]))
        for kind, other in _without(test):
            yield kind, replace(loop, tests=(*loop.tests[:place], other, *loop.tests[place + 1 :]))
    if not isinstance(loop.source, Records):
        yield from ((kind, replace(loop, source=other)) for kind, other in _without(loop.source))


def _orders(by: tuple[Expr, ...]) -> Iterator[tuple[ClauseKind, tuple[Expr, ...]]]:
    """The other end of an order, and the order without what breaks its ties."""
    keys = tuple(part for key in by for part in (key.items if isinstance(key, Key) else (key,)))
    if keys:
        yield "superlative", (_turned(keys[0]), *keys[1:])
    for place in range(1, len(keys)):
        yield "tie-break", (*keys[:place], *keys[place + 1 :])


def _turned(key: Expr) -> Expr:
    if isinstance(key, Function) and key.name == "desc":
        return key.arguments[0]
    return Function(key.type, "desc", (key,))


class ClausesOfTask:
    """Plays the stories of a task without their clauses, in a world at its start state, and takes all of it back."""

    def __init__(self, model: Model, world: LocalWorld) -> None:
        self.model, self.world = model, world
        self.mark = world.snapshot()
        self.at_rest = BoundedEvaluator(Store(model, world.state()), _WHAT)
        self.met: set[int] = set()
        """Which calls, loops and branches of a story were come to."""
        self.until = process_time() + _SECONDS

    def tally(self, story: Story, names: Names) -> Tally:
        """Which clauses of a story decide something, told of these records; those of a branch not taken are no part of it."""
        tally = Tally()
        self.met = set()
        try:
            end = self._end(story, names)
        except _ENDLESS:
            return tally
        met = frozenset(self.met)
        for clause in clauses(story):
            if clause.deed is not None and id(clause.deed) not in met:
                continue
            if process_time() > self.until:
                break
            try:
                tally[clause.kind, self._end(clause.story, names) != end] += 1
            except _NO_CLAUSE:
                continue
            except _ENDLESS:
                # It ends otherwise, if at all.
                tally[clause.kind, True] += 1
        return tally

    def _end(self, story: Story, names: Names) -> str | None:
        """What is different after the story; nothing where it cannot be played."""
        cast = self._cast(story, names)
        if cast is None:
            return None
        try:
            self._play(story.do, cast)
            return content_form(self.world.diff_since(self.mark))
        except Unfit:
            return None
        finally:
            self.world.restore(self.mark)

    def _cast(self, story: Story, names: Names) -> Names | None:
        cast: Names = {}
        for role in story.cast:
            value = self.at_rest.value(role.value, cast) if isinstance(role, Worked) else names[role.name]
            if value is None or value == []:
                return None
            cast[role.name] = value
        return cast

    def _play(self, deeds: tuple[Deed, ...], names: Names) -> None:
        for deed in deeds:
            if process_time() > self.until:
                raise GrowthError(f"{_WHAT} took too long")
            self.met.add(id(deed))
            evaluation = BoundedEvaluator(Store(self.model, self.world.look()), _WHAT)
            match deed:
                case Act():
                    self._act(deed, names, evaluation)
                case Fork(test=test, then=then, otherwise=otherwise):
                    self._play(then if as_it_is(evaluation, test, names) else otherwise, names)
                case Each(loop=loop, limit=limit, do=do):
                    elements = evaluation.value(deed.which, names)
                    most = len(elements) if limit is None else max(evaluation.value(limit, names), 0)
                    for element in elements[:most]:
                        self._play(do, {**names, loop.name: element})

    def _act(self, act: Act, names: Names, evaluation: BoundedEvaluator) -> None:
        arguments = arguments_of(act, self.model, lambda expr: as_it_is(evaluation, expr, names))
        outcome = self.world.call(act.operation, arguments)
        if outcome.kind != "done":
            raise Unfit(f"{act.operation} is refused")
        if act.name:
            names[act.name] = made_by(act, self.model, outcome.payload)
