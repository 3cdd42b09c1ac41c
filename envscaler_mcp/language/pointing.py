"""Which entries of an answer hold ids of records that people call by a name, so that the answer can say it too."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from envscaler_mcp.language.expressions import Expr, Get, walk
from envscaler_mcp.language.model import Entity, Model, Query
from envscaler_mcp.language.types import Type


@dataclass(frozen=True, slots=True)
class Pointer:
    """An entry that holds the id of a record, ids of several, or nothing."""

    key: str
    entity: Entity
    many: bool
    optional: bool


def pointers_of_record(entity: Entity, model: Model) -> tuple[Pointer, ...]:
    """Those of a whole record, stored and derived."""
    stored = [(attribute.key, attribute.type) for attribute in entity.stored]
    return _pointers([*stored, *((shown_key(a.name, a.type), a.type) for a in entity.derived)], model)


def pointers_of_query(query: Query, model: Model) -> tuple[Pointer, ...]:
    """Those of a row of what the author asks, or of its one answer."""
    if query.answer or query.show:
        return _pointers_of_values(query.answer or query.show, model)
    assert query.element is not None
    return pointers_of_record(model.entities[query.element.entity], model) if query.element.kind == "ref" else ()


def shown_key(name: str, type_: Type) -> str:
    """The key of a derived attribute in an answer."""
    return f"{name}_id" if type_.kind == "ref" else name


def _pointers_of_values(values: Mapping[str, Expr], model: Model) -> tuple[Pointer, ...]:
    """A record whose name stands beside its id is left out."""
    named = {
        _certain(inner.of)
        for value in values.values()
        for inner in walk(value)
        if isinstance(inner, Get) and inner.of.type.kind == "ref" and inner.name == _entity(inner.of.type, model).label
    }
    records = {key: _record(value) for key, value in values.items()}
    return _pointers(((key, of.type) for key, of in records.items() if _certain(of) not in named), model)


def _record(value: Expr) -> Expr:
    """The record of which an entry shows the id, if it shows one."""
    return value.of if isinstance(value, Get) and value.name == "id" else value


def _certain(value: Expr) -> Expr:
    """The same where it was tested before that there is one."""
    return replace(value, type=value.type.certain)


def _pointers(entries: Iterable[tuple[str, Type]], model: Model) -> tuple[Pointer, ...]:
    pointers = []
    for key, type_ in entries:
        many = type_.kind == "list" and type_.of is not None
        of = type_.of if many else type_
        if of is not None and of.kind == "ref" and (entity := _entity(of, model)).label != "id":
            pointers.append(Pointer(key, entity, many, type_.optional))
    return tuple(pointers)


def _entity(type_: Type, model: Model) -> Entity:
    return model.entities[type_.entity]
