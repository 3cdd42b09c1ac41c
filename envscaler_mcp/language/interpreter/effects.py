"""The effects of an operation, and everything that must hold afterwards."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from envscaler_mcp.language.analysis import statements
from envscaler_mcp.language.column_types import column_of
from envscaler_mcp.language.interpreter.evaluation import Evaluator, Names
from envscaler_mcp.language.interpreter.store import Ref, Row, Store, as_stored
from envscaler_mcp.language.model import (
    Attribute,
    Delete,
    Entity,
    For,
    If,
    Let,
    New,
    Operation,
    Put,
    SetLocal,
    Statement,
)
from envscaler_mcp.language.text import a, words

MOST_TOLD = 20
"""Records that the answer to a change shows."""


class CallRefused(Exception):  # noqa: N818
    """A call that may not be made, and the sentence that says why."""


@dataclass(frozen=True, slots=True)
class Write:
    """One change that a call has made."""

    place: int
    """Which statement of the operation, counted through its text."""
    what: Literal["new", "put", "delete"]
    record: Ref
    attribute: str = ""
    before: Any = None
    """What the attribute was, as stored."""


class Effects:
    """Runs the statements of one operation once."""

    def __init__(self, evaluation: Evaluator, operation: Operation) -> None:
        self.evaluation, self.store, self.model = evaluation, evaluation.store, evaluation.model
        self.effect = operation.effect
        self.places = {id(statement): place for place, statement in enumerate(statements(operation.effect))}
        self.writes: list[Write] = []
        self.created: list[Ref] = []
        """What the outermost statements made; a loop may make any number, which are not listed."""

    def run(self, names: Names) -> Names:
        """The names after the last statement; a change that breaks anything refuses the call."""
        self.block(self.effect, names, outermost=True)
        self.unique_attributes()
        self.dangling_references()
        broken = broken_rules(self.evaluation)
        if broken:
            raise CallRefused(self.model.rules[broken[0] - 1].text)
        return names

    def block(self, effect: tuple[Statement, ...], names: Names, outermost: bool = False) -> None:
        """Run statements in order; a `let` is known to those after it, a `set` also outside."""
        for statement in effect:
            match statement:
                case Let(name=name, value=value) | SetLocal(name=name, value=value):
                    names[name] = self.evaluation.value(value, names)
                case Put():
                    self.put(statement, names)
                case New():
                    record = self.new(statement, names)
                    if outermost:
                        self.created.append(record)
                case Delete():
                    self.delete(statement, names)
                case For():
                    self.repeat(statement, names)
                case If(test=test, then=then, otherwise=otherwise):
                    self.block(then if self.evaluation.value(test, names) else otherwise, names)

    def repeat(self, statement: For, names: Names) -> None:
        elements = [inside[statement.loop.name] for inside in self.evaluation.passes((statement.loop,), names)]
        elements = self.evaluation.ordered(elements, statement.loop.name, statement.by, names)
        if statement.limit is not None:
            elements = elements[: max(self.evaluation.value(statement.limit, names), 0)]
        for element in elements:
            names[statement.loop.name] = element
            self.block(statement.body, names)

    # Writes

    def put(self, put: Put, names: Names) -> None:
        record: Ref = self.evaluation.value(put.record, names)
        attribute = self.model.entities[put.entity].attributes[put.attribute]
        value = as_stored(self.evaluation.value(put.value, names))
        self.in_range(attribute, value, record.entity, record)
        row = self.store.row(record)
        before = row[attribute.key]
        if attribute.moves is not None and value != before and (before, value) not in attribute.moves:
            noun = words(self.store.entity(record).noun).capitalize()
            raise CallRefused(f"{noun} {self.store.label(record)} cannot go from {before} to {value}.")
        if self.store.exists(record.entity, record.id):
            row[attribute.key] = value
            self.writes.append(Write(self.places[id(put)], "put", record, attribute.name, before))

    def new(self, new: New, names: Names) -> Ref:
        entity = self.model.entities[new.entity]
        row: Row = {"id": ""}
        for name, expr in new.values.items():
            value = as_stored(self.evaluation.value(expr, names))
            self.in_range(entity.attributes[name], value, new.entity, None)
            row[entity.attributes[name].key] = value
        row["id"] = self.next_id(entity)
        self.store.rows(new.entity)[row["id"]] = row
        record = Ref(new.entity, row["id"])
        if new.name is not None:
            names[new.name] = record
        self.writes.append(Write(self.places[id(new)], "new", record))
        return record

    def next_id(self, entity: Entity) -> str:
        counters = self.store.state["counters"]
        counters[entity.noun] = counters.get(entity.noun, 0) + 1
        while self.store.exists(entity.name, id_ := f"{entity.prefix}-{counters[entity.noun]:05d}"):
            counters[entity.noun] += 1
        return id_

    def delete(self, delete: Delete, names: Names) -> None:
        record: Ref = self.evaluation.value(delete.record, names)
        if self.store.exists(record.entity, record.id):
            self.store.gone[record] = self.store.rows(record.entity).pop(record.id)
        self.writes.append(Write(self.places[id(delete)], "delete", record))

    def in_range(self, attribute: Attribute, value: Any, entity: str, record: Ref | None) -> None:
        """A number must lie in the range of its attribute from the moment it is written."""
        low, high = attribute.type.low, attribute.type.high
        if low is None or high is None or value is None or low <= value <= high:
            return
        column = column_of(attribute.type)
        span = f"between {column.answer_text(low)} and {column.answer_text(high)}"
        owner = a(words(self.model.entities[entity].noun)) if record is None else self.store.label(record)
        raise CallRefused(f"The {words(attribute.name)} of {owner} must be {span}.")

    # Afterwards

    def changes(self) -> dict[str, Any]:
        """What the call has done, for its answer: at most so many records."""
        before: dict[Ref, dict[str, Any] | None] = {}
        for write in self.writes:
            if write.what == "new":
                before[write.record] = None
                continue
            known = before.setdefault(write.record, {})
            if write.what == "put" and known is not None:
                known.setdefault(self.store.entity(write.record).attributes[write.attribute].key, write.before)
        answer: dict[str, dict[str, list[Any]]] = {"changed": {}, "deleted": {}}
        number = 0
        for record, fields in before.items():
            shown = self._shown(record, fields)
            if shown is None:
                continue
            number += 1
            if number <= MOST_TOLD:
                what = "changed" if isinstance(shown, dict) else "deleted"
                answer[what].setdefault(self.store.entity(record).container, []).append(shown)
        more = {"more": number - MOST_TOLD} if number > MOST_TOLD else {}
        return {what: records for what, records in answer.items() if records} | more

    def _shown(self, record: Ref, fields: Mapping[str, Any] | None) -> dict[str, Any] | str | None:
        """What is new of a record, or its id where it is gone; nothing where nothing is."""
        entity = self.store.entity(record)
        if not self.store.exists(record.entity, record.id):
            return None if fields is None else record.id
        row = self.store.row(record)
        if fields is None:
            return {name: value for name, value in row.items() if value is not None}
        new = {name: row[name] for name, value in fields.items() if row[name] != value}
        label = {} if entity.label == "id" else {entity.label: row[entity.label]}
        return {"id": record.id, **label, **new} if new else None

    def unique_attributes(self) -> None:
        for write in sorted(self.writes, key=lambda write: write.place):
            if write.what == "delete":
                continue
            entity = self.store.entity(write.record)
            for attribute in entity.stored:
                if attribute.unique and write.attribute in ("", attribute.name):
                    value = self.store.row(write.record)[attribute.key]
                    if value is not None and same(self.store, entity, attribute, value) > 1:
                        noun = a(words(entity.noun))
                        raise CallRefused(f"There is already {noun} with the {words(attribute.name)} {value!r}.")

    def dangling_references(self) -> None:
        for write in sorted(self.writes, key=lambda write: write.place):
            if write.what != "delete":
                continue
            for entity in self.model.entities.values():
                for attribute in entity.stored:
                    users = [user for user in self.store.all(entity.name) if self.refers(user, attribute, write.record)]
                    if users:
                        noun = words(self.store.entity(write.record).noun).capitalize()
                        many = words(entity.noun if len(users) == 1 else entity.container)
                        label = self.store.label(write.record)
                        raise CallRefused(f"{noun} {label} is still used by {len(users)} {many}.")

    def refers(self, user: Ref, attribute: Attribute, goal: Ref) -> bool:
        value = self.store.read(user, attribute)
        return bool(value == goal or (isinstance(value, list) and goal in value))


def same(store: Store, entity: Entity, attribute: Attribute, value: Any) -> int:
    """How many records have the value."""
    return sum(row[attribute.key] == value for row in store.rows(entity.name).values())


def broken_rules(evaluation: Evaluator) -> list[int]:
    """The numbers of the rules that do not hold, by looking at everything."""
    return [rule.number for rule in evaluation.model.rules if not evaluation.value(rule.holds, {})]
