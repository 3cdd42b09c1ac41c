"""What a client of a control plane sent: bounded in its values before it is read, and one mistake of it named."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from envscaler_mcp.errors import WorldError

MOST_VALUES = 120_000
"""Values of a body, about: those of the largest state, and of a task."""
MOST_OF_TASK = 10_000
"""Values of a task without its state; the largest of the library has some 1,200."""
_MOST_LISTED = 100
"""Mistakes of which the first is looked for; the validator lists all of them before one can be seen."""


def check_size(body: bytes | str) -> None:
    """WorldError for JSON that would take long to read, however short it is."""
    count = sum(map(body.count, (b",", b"[", b"{"))) if isinstance(body, bytes) else sum(map(body.count, ",[{"))
    if count > MOST_VALUES:
        raise WorldError(f"The body has about {count:,} values; {MOST_VALUES:,} are allowed.")


def read_json(body: bytes | str) -> Any:
    """The value of a body; ValueError or RecursionError where it is not JSON, WorldError where it has too many values."""
    check_size(body)
    return json.loads(body)


def check_values(value: Any, most: int, name: str) -> None:
    """ValueError for lists and objects that hold more values together, at whatever depth."""
    waiting, count = [value], 0
    while waiting:
        part = waiting.pop()
        held = part.values() if isinstance(part, Mapping) else part if isinstance(part, list | tuple) else ()
        count += len(held)
        if count > most:
            raise ValueError(f"{name} may have {most:,} values")
        waiting.extend(held)


def first_mistake(cause: ValidationError, what: str = "") -> str:
    """The first mistake in a sentence, after where it is or, at the top, what it is in."""
    if cause.error_count() > _MOST_LISTED:
        return f"{what}{cause.error_count():,} of its values are wrong or have no place here."
    first = cause.errors(include_url=False, include_input=False, include_context=False)[0]
    where = ".".join(str(part) for part in first["loc"])
    return f"{where + ': ' if where else what}{first['msg']}"
