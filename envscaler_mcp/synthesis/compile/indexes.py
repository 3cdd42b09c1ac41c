"""Which records can be found without looking at all of them.

An index maps the values of some attributes to the records that have them, by id. One is kept for every set of attributes that an
equality in the blueprint asks for, so that a call costs what it touches and not what there is.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from envscaler_mcp.language.model import Entity, Model


@dataclass(frozen=True, slots=True)
class Index:
    """Records of an entity by the values of some stored attributes."""

    entity: Entity
    attributes: tuple[str, ...]
    lowered: bool = False
    """By its one attribute in lower case."""

    @property
    def name(self) -> str:
        return f"_{self.entity.container}_by_{'lower_' if self.lowered else ''}{'_'.join(self.attributes)}"

    @property
    def keys(self) -> tuple[str, ...]:
        return tuple(self.entity.attributes[name].key for name in self.attributes)

    @property
    def of_members(self) -> bool:
        """Whether a record is found under each value of a list."""
        return len(self.attributes) == 1 and self.entity.attributes[self.attributes[0]].type.kind == "list"

    def key_of(self, record: str) -> str:
        """The index key of a record, as code."""
        return ", ".join(f'{record}["{key}"]{".lower()" if self.lowered else ""}' for key in self.keys)


@dataclass(slots=True)
class Indexes:
    """The indexes that the code written so far relies on."""

    model: Model
    used: dict[tuple[str, tuple[str, ...], bool], Index] = field(default_factory=dict)

    def on(self, entity: str, attributes: tuple[str, ...], *, lowered: bool = False) -> Index:
        """The index of these attributes, kept from now on."""
        index = self.candidate(entity, attributes, lowered=lowered)
        return self.used.setdefault((entity, index.attributes, lowered), index)

    def candidate(self, entity: str, attributes: tuple[str, ...], *, lowered: bool = False) -> Index:
        """What the index of these attributes would be, were it kept."""
        declared = self.model.entities[entity]
        return Index(declared, tuple(name for name in declared.attributes if name in attributes), lowered)

    def of(self, entity: str) -> list[Index]:
        own = (index for (name, _, _), index in self.used.items() if name == entity)
        return sorted(own, key=lambda index: index.name)
