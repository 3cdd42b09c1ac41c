"""Calls that official code has read in what a model wrote, as they can be made through the protocol.

It runs beside the official code, and needs nothing but Python.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

NOTHING = "[]"
"""What is answered where words are executed that have no call in them."""


def plain_calls(decoded: Sequence[dict[str, Any]], expressions: Sequence[str]) -> list[list[Any]]:
    """The name and the arguments of each call, for what was decoded and for what the official code would evaluate.

    Where the arguments are no JSON, such as a call inside a call, the expression stands in their place.
    """
    return [_plain(call, expression) for call, expression in zip(decoded, expressions, strict=True)]


def sendable(name: str, arguments: dict[str, Any]) -> list[Any]:
    """A call as it can be sent: where JSON has no such arguments, or the name is none, a text stands in their place."""
    try:
        json.dumps(arguments, allow_nan=False, ensure_ascii=False).encode()
    except (ValueError, RecursionError):
        return [_text(name), _text(arguments)]
    return [_text(name), arguments if name else _text(arguments)]


def _text(value: object) -> str:
    return str(value).encode(errors="replace").decode()


def _plain(call: dict[str, Any], expression: str) -> list[Any]:
    ((name, given),) = call.items()
    if expression != f"{name}({', '.join(f'{key}={value!r}' for key, value in given.items())})":
        return [name, expression]
    try:
        arguments = json.loads(json.dumps(given, allow_nan=False))
    except (TypeError, ValueError, RecursionError):
        return [name, expression]
    return [name, arguments if arguments == _listed(given) else expression]


def _listed(value: Any) -> Any:
    """A value with lists for tuples, which JSON does not tell apart."""
    if isinstance(value, dict):
        return {key: _listed(item) for key, item in value.items()}
    return [_listed(item) for item in value] if isinstance(value, list | tuple) else value
