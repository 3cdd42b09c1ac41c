"""What somebody knows who has only read answers, and what must be read to know it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from envscaler_mcp.artifacts import Call, Environment
from envscaler_mcp.language.expressions import Derived, Expr
from envscaler_mcp.language.interpreter.evaluation import Evaluation, Names
from envscaler_mcp.language.interpreter.store import Ref, Store, as_value
from envscaler_mcp.language.model import Entity, Model
from envscaler_mcp.serving.world import World

_PAGE = 50


class Unknown(Exception):  # noqa: N818
    """What was read does not tell."""


class Knowledge:
    """The records that answers have shown, in the shape of a state."""

    def __init__(self, model: Model, now: str) -> None:
        self.model = model
        self.state: dict[str, Any] = {entity.container: {} for entity in model.entities.values()} | {"now": now}
        self.seen: set[str] = set()
        """Every word and number that an answer held."""

    def hear(self, payload: Mapping[str, Any]) -> None:
        """Keep what an answer shows."""
        for value in _leaves(payload):
            self.seen.add(value)
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

    def knows(self, ref: Ref) -> bool:
        return ref.id in self.state[self.model.entities[ref.entity].container]

    def value(self, expr: Expr, names: Names) -> Any:
        """What an expression comes to on what is known."""
        try:
            return _Known(Store(self.model, self.state)).value(expr, names)
        except (KeyError, TypeError) as cause:
            raise Unknown(str(cause)) from None


class _Known(Evaluation):
    """Derived attributes are taken as answers showed them."""

    def value(self, expr: Expr, names: Names) -> Any:
        if isinstance(expr, Derived):
            attribute = self.model.entities[expr.entity].attributes[expr.name]
            key = f"{expr.name}_id" if attribute.type.kind == "ref" else expr.name
            row = self.store.row(self.value(expr.of, names))
            if key not in row:
                raise KeyError(key)
            return as_value(row[key], attribute.type)
        return super().value(expr, names)


def _leaves(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        for inner in value.values():
            yield from _leaves(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _leaves(inner)
    elif value is not None:
        yield value if isinstance(value, str) else json.dumps(value)


class Library:
    """The reads that an environment offers of its records."""

    def __init__(self, model: Model, environment: Environment) -> None:
        self.model = model
        self.tools = {tool.name for tool in environment.tools}

    def one(self, ref: Ref) -> Call | None:
        """The read that shows a record whose id is known."""
        entity = self.model.entities[ref.entity]
        name = f"get_{entity.noun}"
        return Call(tool=name, arguments={f"{entity.noun}_id": ref.id}) if name in self.tools else None

    def several(self, entity: Entity, filters: Mapping[str, Any]) -> Call | None:
        """The read that shows all records with these values, as far as a read can be narrowed by them."""
        if f"list_{entity.container}" in self.tools:
            allowed = {a.key for a in entity.stored if a.type.kind in ("ref", "one_of", "bool")}
            label = entity.attributes[entity.label].key if entity.label != "id" else ""
            kept = {key: value for key, value in filters.items() if key in allowed or key == label}
            return Call(tool=f"list_{entity.container}", arguments=kept)
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
        total = data.get("total", 0) if isinstance(data, dict) else 0
        offset += _PAGE
        if not isinstance(total, int) or offset >= total:
            return made
