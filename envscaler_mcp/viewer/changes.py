"""What a call changed, in lines that a person can read."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

from envscaler_mcp.artifacts import StateDiff


def change_lines(diff: StateDiff, longest: int | None = None) -> Iterator[str]:
    """`+` a new record, `-` one that is gone, `~` a value before and after; values may be cut."""
    for container, records in diff.created.items():
        for key, record in records.items():
            yield f"+ {container} {key}: {_facts(record, longest)}"
    for container, records in diff.deleted.items():
        for key in records:
            yield f"- {container} {key}"
    for container, changes in diff.changed.items():
        for key, fields in changes.items():
            for field, (before, after) in fields.items():
                yield f"~ {container} {key}: {field} {_value(before, longest)} → {_value(after, longest)}"
    for path, (before, after) in diff.scalars.items():
        # How many ids were given is bookkeeping of the world.
        if not path.startswith("counters."):
            yield f"~ {path} {_value(before, longest)} → {_value(after, longest)}"


def _facts(record: Mapping[str, object], longest: int | None) -> str:
    return ", ".join(f"{name} {_value(value, longest)}" for name, value in record.items() if value is not None)


def _value(value: object, longest: int | None) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if longest is None or len(text) <= longest else f"{text[: longest - 2]} …"
