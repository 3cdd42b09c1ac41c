"""The value of an expression over records that stay as they are: what was found once is not looked for again."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from typing import Any

from envscaler_mcp.language.expressions import Defined, Derived, Expr, Loop, Records
from envscaler_mcp.language.interpreter.evaluation import WAYS, Evaluator, Names
from envscaler_mcp.language.interpreter.store import Ref, Store, as_value


class SteadyEvaluator(Evaluator):
    """Gives what an `Evaluator` gives, sooner, as long as no record changes; after a change another one is made."""

    def __init__(self, store: Store) -> None:
        super().__init__(store)
        self._all: dict[str, list[Ref]] = {}
        self._by_value: dict[tuple[str, str], dict[Any, list[Ref]]] = {}
        """By entity and attribute: the records that hold each value, oldest first."""
        self._known: dict[Hashable, Any] = {}
        """What derived attributes and the author's own definitions came to."""

    def value(self, expr: Expr, names: Names) -> Any:
        """What the expression comes to where these names are bound."""
        return _WAYS[type(expr)](self, expr, names)

    def attribute(self, of: Any, name: str) -> Any:
        """An attribute of a record, or a field of a structure."""
        if type(of) is not Ref:
            return of[name]
        if name == "id":
            return of.id
        attribute = self.model.entities[of.entity].attributes[name]
        return as_value(self.store.row(of)[attribute.key], attribute.type)

    def records(self, entity: str) -> list[Ref]:
        """Every record, oldest first; not to be changed."""
        records = self._all.get(entity)
        if records is None:
            records = self._all[entity] = self.store.all(entity)
        return records

    def elements(self, source: Records | Expr, names: Names) -> list[Any]:
        return self.records(source.entity) if isinstance(source, Records) else super().elements(source, names)

    def passes(self, loops: tuple[Loop, ...], names: Names) -> Iterator[Names]:
        """The names at each pass; where a loop first asks for a value, only records that hold it are looked at."""
        loop = loops[0] if loops else None
        if loop is None or loop.lookup is None or not self.records(loop.element.entity):
            yield from super().passes(loops, names)
            return
        attribute, wanted_expr = loop.lookup
        wanted = self.value(wanted_expr, names)
        tests, rest = loop.tests[1:], loops[1:]
        for element in self._holding(loop.element.entity, attribute).get(wanted, ()):
            inside = {**names, loop.name: element}
            for test in tests:
                if not self.value(test, inside):
                    break
            else:
                if rest:
                    yield from self.passes(rest, inside)
                else:
                    yield inside

    def _holding(self, entity: str, attribute: str) -> dict[Any, list[Ref]]:
        index = self._by_value.get((entity, attribute))
        if index is None:
            index = self._by_value[entity, attribute] = {}
            for record in self.records(entity):
                index.setdefault(self.attribute(record, attribute), []).append(record)
        return index

    def derived(self, entity: str, name: str, of: Any) -> Any:
        """A derived attribute of a record."""
        key = (entity, name, of)
        if key not in self._known:
            body = self.model.entities[entity].attributes[name].derived
            assert body is not None
            self._known[key] = self.value(body, {"self": of})
        return self._known[key]

    def defined(self, expr: Defined, names: Names) -> Any:
        given = [self.value(argument, names) for argument in expr.arguments]
        define = self.model.defines[expr.name]
        bound = {param.name: value for param, value in zip(define.params, given, strict=True)}
        key = (expr.name, *given)
        try:
            known = key in self._known
        except TypeError:
            # A list among the arguments.
            return self.value(define.body, bound)
        if not known:
            self._known[key] = self.value(define.body, bound)
        return self._known[key]


_WAYS: dict[type, Callable[[SteadyEvaluator, Any, Names], Any]] = {
    **WAYS,
    Derived: lambda ev, expr, names: ev.derived(expr.entity, expr.name, ev.value(expr.of, names)),
    Defined: lambda ev, expr, names: ev.defined(expr, names),
}
"""Those of an `Evaluator`, but for what is remembered."""
