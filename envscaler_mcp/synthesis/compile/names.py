"""Names in compiled code that can never meet the author's, Python's or each other."""

from __future__ import annotations

import keyword
from collections.abc import Collection

from envscaler_mcp.language.model import Entity, Model

_PYTHON = {
    *keyword.kwlist,
    *("self", "all", "any", "sum", "min", "max", "len", "sorted", "next", "str", "int", "bool", "list", "dict", "set"),
    *("tuple", "abs", "getattr", "setattr", "floor", "ceil", "config", "super"),
}
_TYPES = {
    *("Annotated", "Any", "Iterable", "Literal", "NotRequired", "TypedDict", "Fraction", "Result"),
    *("Date", "Time", "DateTime", "Email", "Text"),
}
_PLUMBING = {"journal", "new_id", "add", "put", "remove", "take_back", "undo", "link", "unlink"}


def record_name(entity: Entity, taken: Collection[str] = ()) -> str:
    """What one record of the entity is called in a method that the author did not write."""
    return entity.noun if entity.noun not in _PYTHON and entity.noun not in taken else f"one_{entity.noun}"


def type_name(entity: Entity) -> str:
    """The class that declares what a record stores."""
    return f"{entity.name}Record" if entity.name in _TYPES else entity.name


def derived_method(model: Model, entity: str, name: str) -> str:
    """The private method that works a derived attribute out."""
    return f"_{model.entities[entity].noun}_{name}"


def define_method(model: Model, name: str) -> str:
    """The private method of a definition."""
    derived = {derived_method(model, e.name, a.name) for e in model.entities.values() for a in e.derived}
    crowded = (
        name in _PLUMBING
        or name.startswith(("show_", "names_of_", "breaks_rule_"))
        or "_by_" in name
        or f"_{name}" in derived
    )
    return f"_{name}_defined" if crowded else f"_{name}"


def fresh(wishes: Collection[str], taken: set[str]) -> str:
    """The first wish that is free, else the last with a number; taken from now on."""
    for wish in wishes:
        if wish not in taken and wish not in _PYTHON:
            taken.add(wish)
            return wish
    last = list(wishes)[-1]
    number = 2
    while f"{last}_{number}" in taken:
        number += 1
    taken.add(f"{last}_{number}")
    return f"{last}_{number}"
