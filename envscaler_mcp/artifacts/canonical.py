"""One text for one value, so that equal values have equal digests on every machine."""

from __future__ import annotations

import hashlib
import json

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
