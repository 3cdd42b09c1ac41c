"""What a client of a control plane sent: bounded in its values before it is read, and one mistake of it named."""

from __future__ import annotations

import json
from typing import Any, TypeVar

from pydantic import BaseModel

from envscaler_mcp.errors import WorldError

MOST_VALUES = 120_000
"""Values of a body, about: those of the largest state, and of a task."""
MOST_OF_ORDER = 10_000
"""Values of a body without the records of a state; those of the library's largest task are some 1,200."""
_SHORT = 16 * 1024
"""Bytes of a body that cannot hold many values."""
_RECORDS = ("task", "state", "content")
"""Where an order for worlds has them, and the data of a message that resets a session."""

Model = TypeVar("Model", bound=BaseModel)


def read_json(body: bytes | str) -> Any:
    """The value of a body; ValueError or RecursionError where it is not JSON, WorldError where it has too many values."""
    count = sum(map(body.count, (b",", b"[", b"{"))) if isinstance(body, bytes) else sum(map(body.count, ",[{"))
    if count > MOST_VALUES:
        raise WorldError(f"This has about {count:,} values; {MOST_VALUES:,} are allowed.")
    value = json.loads(body)
    if len(body) > _SHORT:
        _check_values(value)
    return value


def read_order(model: type[Model], body: bytes) -> Model:
    """What a body orders; ValidationError where it orders nothing, WorldError where it has too many values."""
    if len(body) <= _SHORT:
        return model.model_validate_json(body or b"{}")
    try:
        return model.model_validate(read_json(body))
    except (UnicodeDecodeError, json.JSONDecodeError, RecursionError) as cause:
        raise WorldError("The body is not JSON.") from cause


def _check_values(value: Any) -> None:
    records = _records(value)
    waiting, count = [value], 0
    while waiting:
        part = waiting.pop()
        if isinstance(part, dict):
            held = [inner for inner in part.values() if inner is not records]
        else:
            held = part if isinstance(part, list) else []
        count += len(held)
        if count > MOST_OF_ORDER:
            raise WorldError(f"This has more than {MOST_OF_ORDER:,} values beside the records of a state.")
        waiting.extend(held)


def _records(value: Any) -> dict[str, Any]:
    """Those of the state that a task of an owner's own begins with."""
    part = value.get("data", value) if isinstance(value, dict) else None
    for name in _RECORDS:
        part = part.get(name) if isinstance(part, dict) else None
    return part if isinstance(part, dict) else {}
