"""Parts of what happened in a world as clients are told of them: what is too long is the beginning of its JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from envscaler_mcp.serving.outcome import encode
from envscaler_mcp.serving.plain_json import MAX_DEPTH, is_deeper

MAX_PART = 4 * 1024
"""Characters of each part of an event, such as the arguments of a call."""
MAX_DIFF = 64 * 1024
"""Characters of what a call changed."""


class JsonText(str):
    """A part of an event as JSON, which is read only where it is short."""

    __slots__ = ()


def bounded(details: Mapping[str, Any], most_part: int = MAX_PART) -> dict[str, Any]:
    """Parts of an event; one that is too long is the beginning of its JSON, and `shortened` tells its length."""
    content: dict[str, Any] = {}
    shortened: dict[str, int] = {}
    for name, value in details.items():
        most = MAX_DIFF if name == "diff" else most_part
        text = str(value) if isinstance(value, JsonText) else _json(value)
        short = text is not None and len(text) <= most
        part = _parsed(value) if short and isinstance(value, JsonText) else value
        if short and not is_deeper(part, MAX_DEPTH):
            content[name] = part
        else:
            text = text or _loose_json(value)
            content[name], shortened[name] = text[:MAX_PART], len(text)
    if shortened:
        content["shortened"] = shortened
    return content


def _parsed(text: str) -> Any:
    # A worker whose code is hostile may say anything.
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def _json(value: Any) -> str | None:
    """The text of a value; None where it has none."""
    try:
        return encode(value)
    except (ValueError, RecursionError):
        return None


def _loose_json(value: Any) -> str:
    """What can be shown of arguments that no JSON holds: numbers that are not finite, lists that are too deep."""
    try:
        return json.dumps(value, default=repr)
    except (ValueError, RecursionError):
        return ""
