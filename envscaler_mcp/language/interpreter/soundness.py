"""What is wrong with a state before any rule is asked: for states that an author wrote by hand."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from envscaler_mcp.language.column_types import column_of
from envscaler_mcp.language.column_types.numbers import is_whole_number
from envscaler_mcp.language.model import Attribute, Entity, Model
from envscaler_mcp.language.text import name_hint, words
from envscaler_mcp.language.types import DATETIME, Type


def unsound(model: Model, state: Mapping[str, Any]) -> list[str]:
    """A sentence for each fault."""
    return list(_Inspection(model, state).faults())


class _Inspection:
    def __init__(self, model: Model, state: Mapping[str, Any]) -> None:
        self.model, self.state = model, state

    def faults(self) -> Iterator[str]:
        containers = {entity.container: entity for entity in self.model.entities.values()}
        for key in self.state:
            if key not in containers and key not in ("now", "counters"):
                yield f"there are no {key!r} in a state{name_hint(key, containers)}"
        if not isinstance(self.state.get("now"), str) or not column_of(DATETIME).reads(self.state["now"]):
            yield f"now is {self.state.get('now')!r}, which is no moment such as 2026-03-02T09:00"
        yield from self.counters()
        for container, entity in containers.items():
            rows = self.state.get(container, {})
            if not isinstance(rows, dict):
                yield f"{container} is no mapping from ids to records"
                continue
            for id_, row in rows.items():
                yield from (f"{words(entity.noun)} {id_!r}: {fault}" for fault in self.record(entity, id_, row))
            for attribute in entity.stored:
                if attribute.unique:
                    yield from self.unique(entity, attribute, rows)

    def counters(self) -> Iterator[str]:
        counters = self.state.get("counters", {})
        nouns = {entity.noun for entity in self.model.entities.values()}
        if not isinstance(counters, dict):
            yield "counters is no mapping"
            return
        for noun, number in counters.items():
            if noun not in nouns:
                yield f"counters count no {noun!r}{name_hint(noun, nouns)}"
            elif not is_whole_number(number) or number < 0:
                yield f"the counter of {noun!r} is {number!r}, which is no number of records"

    def record(self, entity: Entity, id_: str, row: Any) -> Iterator[str]:
        if not isinstance(row, dict):
            yield f"{row!r} is no record"
            return
        if row.get("id") != id_:
            yield f"its id says {row.get('id')!r}"
        keys = {attribute.key: attribute for attribute in entity.stored}
        for key in row:
            if key not in keys and key != "id":
                yield f"it has no attribute {key!r}{name_hint(key, keys)}"
        for key, attribute in keys.items():
            if key not in row:
                yield f"{key} is missing"
            else:
                yield from (f"{key} {fault}" for fault in self.value(row[key], attribute.type))

    def value(self, value: Any, type_: Type) -> Iterator[str]:
        if value is None:
            if not type_.optional:
                yield "is empty"
        elif type_.kind == "list" and type_.of is not None:
            if not isinstance(value, list):
                yield f"is {value!r}, which is no list"
            else:
                for item in value:
                    yield from (f"holds a value that {fault}" for fault in self.value(item, type_.of))
        elif (fault := self.wrong(value, type_)) is not None:
            yield fault

    def wrong(self, value: Any, type_: Type) -> str | None:
        """What is wrong with a single value."""
        fault = column_of(type_).fault(value, type_)
        if fault is None and type_.kind == "ref":
            target = self.model.entities[type_.entity]
            if value not in self.state.get(target.container, {}):
                return f"is {value!r}, and there is no such {words(target.noun)}"
        return fault

    def unique(self, entity: Entity, attribute: Attribute, rows: dict[str, Any]) -> Iterator[str]:
        first: dict[Any, str] = {}
        for id_, row in rows.items():
            value = row.get(attribute.key) if isinstance(row, dict) else None
            if isinstance(value, str | int) and first.setdefault(value, id_) != id_:
                yield f"{words(entity.noun)} {id_!r}: {attribute.key} {value!r} is that of {first[value]!r} too"
