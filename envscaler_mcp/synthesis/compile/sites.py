"""Places of a method that write, and the names under which the checks after the effects find what was written."""

from __future__ import annotations

from dataclasses import dataclass, field

from envscaler_mcp.language.model import Attribute


@dataclass(slots=True)
class Site:
    """A place of the method that writes, and how its record is called after the effects."""

    entity: str
    attributes: frozenset[str]
    """What is written; `*` for a record that comes or goes."""
    record: str
    many: bool
    """`record` names a list that the method collects."""
    deletes: bool = False
    before: dict[str, str] = field(default_factory=dict)
    """Attribute of a changed reference to the name that holds its former id or ids."""


def refers(attribute: Attribute, target: str) -> bool:
    type_ = attribute.type
    return (
        type_.entity == target
        if type_.kind == "ref"
        else type_.kind == "list" and type_.of is not None and type_.of.entity == target
    )
