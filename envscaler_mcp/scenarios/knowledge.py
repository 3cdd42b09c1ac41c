"""What an agent knows that has only read answers, and what it must read to know more."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from envscaler_mcp.artifacts import Call
from envscaler_mcp.language.expressions import (
    Compare,
    Derived,
    Expr,
    Get,
    Literal,
    Local,
    Loop,
    Not,
    Now,
    Records,
    Scan,
    walk,
)
from envscaler_mcp.language.interpreter.bounded import WorkBound
from envscaler_mcp.language.interpreter.evaluation import Names
from envscaler_mcp.language.interpreter.steady import SteadyEvaluator
from envscaler_mcp.language.interpreter.store import Ref, Row, Store, as_stored, as_value
from envscaler_mcp.language.model import Entity, Model
from envscaler_mcp.serving.world import World

PAGE = 50
"""How many records one read shows."""


class Unknown(Exception):  # noqa: N818
    """What was read does not tell."""


class Unread(Unknown):
    """A record, or all records of an entity with some values, that must be read first."""

    def __init__(self, entity: str, ref: Ref | None, filters: Mapping[str, Any]) -> None:
        super().__init__(f"{entity} was not read")
        self.entity, self.ref, self.filters = entity, ref, filters


class Knowledge:
    """The records that answers have shown, in the shape of a state."""

    def __init__(self, model: Model, now: str, bound: WorkBound | None = None) -> None:
        """`bound` is how long working out values may take, where the expressions may be a stranger's."""
        self.model, self.now, self.bound = model, now, bound
        self.heard: set[str] = set()
        """Every text that an answer held, ids among them."""
        self.forget()

    def forget(self) -> None:
        """Know nothing: what was read may have changed since."""
        self.state: dict[str, Any] = {entity.container: {} for entity in self.model.entities.values()}
        self.state["now"] = self.now
        self.whole: list[tuple[str, Mapping[str, Any]]] = []
        """Entities of which all records with some values were read."""

    def hear(self, payload: Mapping[str, Any]) -> None:
        """Keep what an answer shows."""
        self.heard.update(_texts(payload))
        data = payload.get("data")
        rows = [data] if isinstance(data, dict) and "id" in data else []
        if isinstance(data, dict):
            rows += [
                row for value in data.values() if isinstance(value, list) for row in value if isinstance(row, dict)
            ]
        for row in rows:
            entity = self._entity_of(row)
            if entity is not None:
                self.state[entity.container][row["id"]] = row

    def _entity_of(self, row: Mapping[str, Any]) -> Entity | None:
        """The entity of a row that shows a whole record."""
        for entity in self.model.entities.values():
            if all(attribute.key in row for attribute in entity.stored) and str(row.get("id", "")).startswith(
                entity.prefix + "-"
            ):
                return entity
        return None

    def hear_whole(self, call: Call) -> None:
        """Every page of a read has been heard."""
        for entity in self.model.entities.values():
            if call.tool in (f"list_{entity.container}", f"find_{entity.container}"):
                self.whole.append((entity.name, call.arguments))

    def knows_whole(self, entity: str, values: Mapping[str, Any]) -> bool:
        """Whether all records of an entity with these values were read."""
        return any(name == entity and read.items() <= values.items() for name, read in self.whole)

    def value(self, expr: Expr, names: Names) -> Any:
        """What an expression comes to on what is known; what decides it and was not read is told."""
        return _Known(self).value(expr, names)


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _texts(inner)


class _Read(Store):
    """Records that were read."""

    def __init__(self, knowledge: Knowledge) -> None:
        super().__init__(knowledge.model, knowledge.state)

    def row(self, ref: Ref) -> Row:
        rows = self.rows(ref.entity)
        if ref.id not in rows:
            raise Unread(ref.entity, ref, {})
        return rows[ref.id]


class _Known(SteadyEvaluator):
    """Derived attributes are taken as answers showed them; a loop wants everything read that it looks at."""

    def __init__(self, knowledge: Knowledge) -> None:
        super().__init__(_Read(knowledge))
        self.knowledge = knowledge
        self.scans: list[Scan] = []

    def value(self, expr: Expr, names: Names) -> Any:
        if isinstance(expr, Derived):
            attribute = self.model.entities[expr.entity].attributes[expr.name]
            key = f"{expr.name}_id" if attribute.type.kind == "ref" else expr.name
            row = self._row(self.value(expr.of, names))
            if key in row:
                return as_value(row[key], attribute.type)
        return super().value(expr, names)

    def attribute(self, of: Any, name: str) -> Any:
        if isinstance(of, Ref) and name != "id":
            self._row(of)
        return super().attribute(of, name)

    def _row(self, ref: Ref) -> Row:
        try:
            return self.store.row(ref)
        except Unread as unread:
            # One of many is read with the others.
            raise Unread(ref.entity, None if self.scans else ref, unread.filters) from None

    def scan(self, expr: Scan, names: Names) -> Any:
        self.scans.append(expr)
        try:
            return super().scan(expr, names)
        finally:
            self.scans.pop()

    def passes(self, loops: tuple[Loop, ...], names: Names) -> Iterator[Names]:
        if self.knowledge.bound is not None:
            self.knowledge.bound.check()
        if loops and isinstance(loops[0].source, Records):
            self._want_whole(loops[0].source.entity, loops[0], names)
        yield from super().passes(loops, names)

    def next(self, name: str, record: Ref, attribute: str) -> list[Ref]:
        if name == "below" and not self.knowledge.knows_whole(record.entity, {}):
            raise Unread(record.entity, None, {})
        return super().next(name, record, attribute)

    def _want_whole(self, entity: str, loop: Loop, names: Names) -> None:
        tests = list(self._equalities(loop, names))
        if not self.knowledge.knows_whole(entity, {key: value for key, value, _ in tests}):
            raise Unread(entity, None, {key: value for key, value, steady in tests if steady})

    def _equalities(self, loop: Loop, names: Names) -> Iterator[tuple[str, Any, bool]]:
        """What a loop wants of each record, and whether it is the same at every pass of the loops around it."""
        entity = self.model.entities[loop.element.entity]
        for test in loop.tests:
            got, wanted = _equality(test, loop.name)
            if got is None or wanted is None:
                continue
            value = self.value(wanted, names)
            plain = isinstance(wanted, Literal | Now)
            around = {other.name for scan in self.scans for other in scan.loops}
            steady = plain or (len(self.scans) == 1 and not _names(wanted) & around)
            heard = not isinstance(value, Ref) or value.id in self.knowledge.heard
            if value is not None:
                yield entity.attributes[got.name].key, as_stored(value), steady and heard


def _equality(test: Expr, name: str) -> tuple[Get | None, Expr | None]:
    """The attribute of the loop's record that a test compares with something else."""
    yes = Literal(test.type, value=True)
    if isinstance(test, Get):
        sides: tuple[Expr, Expr] = (test, yes)
    elif isinstance(test, Not):
        sides = (test.of, Literal(test.type, value=False))
    elif isinstance(test, Compare) and test.op == "==":
        sides = (test.left, test.right)
    else:
        return None, None
    for got, wanted in (sides, sides[::-1]):
        own = isinstance(got, Get) and isinstance(got.of, Local) and got.of.name == name and got.name != "id"
        if own and name not in _names(wanted):
            assert isinstance(got, Get)
            return got, wanted
    return None, None


def _names(expr: Expr) -> set[str]:
    return {inner.name for inner in walk(expr) if isinstance(inner, Local)}


class Library:
    """The reads of records that a model offers."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.tools = {
            f"{read}_{entity.noun if read == 'get' else entity.container}"
            for entity in model.entities.values()
            for read in model.derive[entity.name]
        }

    def reads(self, unread: Unread, heard: set[str]) -> Iterator[Call]:
        """Reads that show what is to be read, the best first; only an id that was heard can be asked for."""
        entity = self.model.entities[unread.entity]
        calls = [self.by_id(unread.ref)] if unread.ref is not None and unread.ref.id in heard else []
        yield from (call for call in (*calls, self.several(entity, unread.filters)) if call is not None)

    def by_id(self, ref: Ref) -> Call | None:
        """The read that shows a record whose id is known."""
        entity = self.model.entities[ref.entity]
        name = f"get_{entity.noun}"
        return Call(tool=name, arguments={f"{entity.noun}_id": ref.id}) if name in self.tools else None

    def several(self, entity: Entity, filters: Mapping[str, Any]) -> Call | None:
        """The read that shows all records with these values, as far as a read can be narrowed by them."""
        if f"list_{entity.container}" in self.tools:
            allowed = {a.key for a in entity.stored if a.type.kind in ("ref", "one_of", "bool")}
            label = entity.attributes[entity.label].key if entity.label != "id" else ""
            narrowed = {key: value for key, value in filters.items() if key in allowed or key == label}
            return Call(tool=f"list_{entity.container}", arguments=narrowed)
        if f"find_{entity.container}" in self.tools and entity.label != "id":
            key = entity.attributes[entity.label].key
            return Call(tool=f"find_{entity.container}", arguments={key: filters[key]}) if key in filters else None
        return None


def read_all(world: World, call: Call, knowledge: Knowledge) -> list[Call]:
    """Make a read, every page of it; the calls that were made."""
    made: list[Call] = []
    offset = 0
    while True:
        arguments = {**call.arguments, "offset": offset} if offset else dict(call.arguments)
        outcome = world.call(call.tool, arguments)
        if outcome.kind != "done":
            raise Unknown(outcome.text)
        made.append(Call(tool=call.tool, arguments=arguments))
        knowledge.hear(outcome.payload)
        data = outcome.payload.get("data")
        # A record may have a total of its own.
        total = data.get("total", 0) if isinstance(data, dict) and "id" not in data else 0
        offset += PAGE
        if offset >= total:
            knowledge.hear_whole(call)
            return made
