"""Records as plain JSON, and references to them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from envscaler_mcp.language.model import Attribute, Entity, Model
from envscaler_mcp.language.types import Type

State = dict[str, Any]
Row = dict[str, Any]


@dataclass(slots=True, unsafe_hash=True)
class Ref:
    """A record, compared by what it is and never by what it holds. It is never changed; a frozen dataclass would be slow to make."""

    entity: str
    id: str


class Store:
    """The state of one environment; a record that was deleted can still be read until the call ends."""

    def __init__(self, model: Model, state: State) -> None:
        self.model, self.state = model, state
        self.gone: dict[Ref, Row] = {}

    def entity(self, ref: Ref) -> Entity:
        return self.model.entities[ref.entity]

    def rows(self, entity: str) -> dict[str, Row]:
        rows: dict[str, Row] = self.state[self.model.entities[entity].container]
        return rows

    def exists(self, entity: str, id_: object) -> bool:
        return id_ in self.rows(entity)

    def all(self, entity: str) -> list[Ref]:
        """Every record, oldest first: ids are counted up."""
        return [Ref(entity, id_) for id_ in sorted(self.rows(entity), key=lambda id_: (len(id_), id_))]

    def row(self, ref: Ref) -> Row:
        rows = self.rows(ref.entity)
        return rows[ref.id] if ref.id in rows else self.gone[ref]

    def read(self, ref: Ref, attribute: Attribute) -> Any:
        """The value of a stored attribute."""
        return as_value(self.row(ref)[attribute.key], attribute.type)

    def label(self, ref: Ref) -> str:
        """What people call a record."""
        entity = self.entity(ref)
        if entity.label == "id":
            return ref.id
        return str(self.row(ref)[entity.attributes[entity.label].key])

    def clock(self) -> str:
        return str(self.state["now"])


def as_value(stored: Any, type_: Type) -> Any:
    """What a stored value stands for."""
    if stored is None or type_.kind not in ("ref", "list"):
        return stored
    if type_.kind == "ref":
        return Ref(type_.entity, stored)
    return [as_value(item, type_.of) for item in stored] if type_.of is not None else stored


def as_stored(value: Any) -> Any:
    """A value as a record or an answer holds it."""
    if isinstance(value, Ref):
        return value.id
    if isinstance(value, list):
        return [as_stored(item) for item in value]
    return value
