"""One text for one value, so that equal values have equal digests on every machine."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from envscaler_mcp.errors import ArtifactError

_encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False, sort_keys=True, separators=(",", ":")).encode


def canonical_json(value: object) -> str:
    """The value as JSON with sorted keys and no spaces; what is not plain JSON is refused."""
    try:
        text = _encode(value)
        text.encode("utf-8")
    except (TypeError, ValueError, RecursionError) as cause:
        raise ArtifactError(f"A value is not plain JSON: {cause}") from cause
    return text


def digest_of(value: object) -> str:
    """`sha256:` and the hash of a text as it is, or of any other value's canonical JSON."""
    text = value if isinstance(value, str) else canonical_json(value)
    return "sha256:" + hashlib.sha256(text.encode("utf-8")).hexdigest()


def pieces_of(state: Mapping[str, Any], encode: Callable[[Any], str]) -> Iterator[str]:
    """The text that `encode` makes of a state, record by record: other threads go on in between."""
    opening = "{"
    for name, value in state.items():
        yield f"{opening}{encode(name)}:"
        opening = ","
        if type(value) is dict and value:
            inner = "{"
            for key, record in value.items():
                yield f"{inner}{encode(key)}:{encode(record)}"
                inner = ","
            yield "}"
        else:
            yield encode(value)
    yield "{}" if opening == "{" else "}"


def digest_of_state(state: Mapping[str, Any]) -> str:
    """`digest_of` of a state, made record by record."""
    hashed = hashlib.sha256()
    for piece in pieces_of(_sorted(state), canonical_json):
        hashed.update(piece.encode())
    return "sha256:" + hashed.hexdigest()


def _sorted(state: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: dict(sorted(value.items())) if type(value) is dict else value for name, value in sorted(state.items())
    }
