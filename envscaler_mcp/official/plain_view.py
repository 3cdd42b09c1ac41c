"""The objects of official code as JSON that people can look at: not all that they are, so nothing is compared by it.

It runs beside the official code, and needs nothing but Python.
"""

from __future__ import annotations

import math
from typing import Any

_DEPTH = 12
_AGAIN = "(see above)"


def plain_view(value: Any, above: tuple[int, ...] = ()) -> Any:
    """A value without what is private, and without what holds itself."""
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if id(value) in above or len(above) >= _DEPTH:
        return _AGAIN
    inner = (*above, id(value))
    if isinstance(value, dict):
        return {str(key): plain_view(item, inner) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain_view(item, inner) for item in value]
    if isinstance(value, set | frozenset):
        return [plain_view(item, inner) for item in sorted(value, key=repr)]
    if hasattr(value, "__dict__"):
        return plain_view(public(value), inner)
    return str(value)


def public(instance: Any) -> dict[str, Any]:
    """The attributes that are not private."""
    return {name: value for name, value in vars(instance).items() if not name.startswith("_")}


def view_of_instances(instances: dict[str, Any]) -> dict[str, Any]:
    """All attributes of some objects; where two have one of a name, the name of the class stands before it."""
    shown = {name: plain_view(public(instance)) for name, instance in instances.items()}
    names = [attribute for attributes in shown.values() for attribute in attributes]
    return {
        attribute if names.count(attribute) == 1 else f"{name}: {attribute}": value
        for name, attributes in shown.items()
        for attribute, value in attributes.items()
    }
