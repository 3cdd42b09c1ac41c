"""What a person types, made into the arguments of a tool; whether they are right is for the world to say."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator, Sequence
from typing import Any

from envscaler_mcp.artifacts import Tool
from envscaler_mcp.errors import EnvScalerError


class TypedError(EnvScalerError):
    """What was typed cannot be meant."""


def arguments_typed(tool: Tool, text: str) -> dict[str, Any]:
    """The arguments in a line: a JSON object, or `key=value` words, quoted where they hold spaces."""
    text = text.strip()
    if not text.startswith("{"):
        try:
            words = shlex.split(text)
        except ValueError as cause:
            raise TypedError(f'{cause}; a value with spaces or quotation marks is typed as key="…"') from cause
        return arguments_of(tool, words)
    try:
        arguments = json.loads(text)
    except (ValueError, RecursionError) as cause:
        raise TypedError(f"That is no JSON: {cause}") from cause
    assert isinstance(arguments, dict)
    return arguments


def arguments_of(tool: Tool, words: Sequence[str]) -> dict[str, Any]:
    """`key=value` words by the tool's schema: `nights=3` is a number where the tool wants one."""
    arguments: dict[str, Any] = {}
    properties = tool.input_schema.get("properties", {})
    for word in words:
        name, equals, text = word.partition("=")
        if not equals:
            raise TypedError(f"{word!r} is not key=value; {usage_of(tool)}")
        if name in arguments:
            raise TypedError(f"{name!r} is given twice")
        arguments[name] = value_of(text, properties.get(name, {}))
    return arguments


def value_of(text: str, schema: dict[str, Any]) -> object:
    """A text as the first of the schema's types that it can be; as it is where it can be none of them."""
    kinds = list(_kinds_of(schema))
    if "string" in kinds and not (text == "null" and "null" in kinds):
        return text
    if "array" in kinds and not text.startswith("["):
        return [value_of(part.strip(), schema.get("items", {})) for part in text.split(",")] if text else []
    if text in _PYTHON:
        return _PYTHON[text]
    try:
        return json.loads(text)
    except ValueError:
        return text


_PYTHON = {"True": True, "False": False, "None": None}
"""As people write them who write Python."""


def usage_of(tool: Tool) -> str:
    """How the tool is called, in one line."""
    required = tool.input_schema.get("required", [])
    words = [f"{name}=…" if name in required else f"[{name}=…]" for name in tool.input_schema.get("properties", {})]
    return " ".join(["usage:", tool.name, *words])


def _kinds_of(schema: dict[str, Any]) -> Iterator[str]:
    for choice in (schema, *schema.get("anyOf", [])):
        kind = choice.get("type", "string" if "enum" in choice else [])
        yield from [kind] if isinstance(kind, str) else kind
