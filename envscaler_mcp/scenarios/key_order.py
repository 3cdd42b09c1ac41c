"""One order for the keys of any JSON, so that nothing depends on how a file or an answer was written."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from envscaler_mcp.artifacts import canonical_json

_COUNTED = re.compile(r"(.*?)(\d+)")


def in_key_order(value: Any) -> Any:
    """The same value with the keys of every object in order; ids that are counted up come in that order."""
    if isinstance(value, dict):
        return {key: in_key_order(value[key]) for key in sorted(value, key=_natural)}
    if isinstance(value, list):
        return [in_key_order(entry) for entry in value]
    return value


def in_order_of_making(records: Mapping[str, Any]) -> list[str]:
    """Ids of new records, in the order in which they were made, or, where ids do not tell it, by what they hold."""
    counted = [_COUNTED.fullmatch(key) for key in records]
    if all(counted) and len({match[1] for match in counted if match}) == 1:
        return sorted(records, key=_natural)
    return sorted(records, key=lambda key: (_without(records[key], records), key))


def _without(record: Any, ids: Iterable[str]) -> str:
    """What a record holds, with the new ids in it left blank."""
    text = canonical_json(record)
    for id_ in ids:
        text = text.replace(canonical_json(id_), '""')
    return text


def _natural(key: str) -> tuple[str, int, str]:
    match = _COUNTED.fullmatch(key)
    return (match[1], int(match[2]), key) if match and len(match[2]) < 40 else (key, 0, key)
