"""Arguments that a tool's schema does not allow."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from envscaler_mcp.artifacts import Tool
from envscaler_mcp.language.column_types import format_named
from envscaler_mcp.sampling.offers import nullable, plain


@dataclass(frozen=True, slots=True)
class Wrong:
    """Arguments, what is wrong with them in words, and the argument a refusal must name."""

    arguments: dict[str, Any]
    tries: str
    names: str


_OTHER = {"string": 17, "integer": "3", "number": "1.5", "boolean": "yes", "array": "one", "object": "one"}


def wrong_arguments(tool: Tool, good: Mapping[str, Any]) -> Iterator[Wrong]:
    """What a strict check must refuse, each otherwise as in the good arguments."""
    schema = tool.input_schema
    yield Wrong({**good, "unheard_of": 1}, "an argument that the tool does not know", "unheard_of")
    for name in schema.get("required", ())[:2]:
        yield Wrong({key: value for key, value in good.items() if key != name}, f"without {name}", name)
    for name, declared in schema.get("properties", {}).items():
        for value, said in _wrong_values(declared):
            yield Wrong({**good, name: value}, f"{name} {said}", name)


def _wrong_values(declared: Mapping[str, Any]) -> Iterator[tuple[Any, str]]:
    schema = plain(declared)
    kind = schema.get("type")
    if kind in _OTHER:
        yield _OTHER[kind], "of another type"
    if "enum" in schema:
        yield "none_of_these", "outside its list"
    elif not nullable(declared) and kind is not None:
        yield None, "null"
    if "minimum" in schema:
        yield schema["minimum"] - 1, "just below its range"
    if "maximum" in schema:
        yield schema["maximum"] + 1, "just above its range"
    if schema.get("minLength", 0) > 0:
        yield "", "empty"
    form = format_named(schema.get("format"))
    if form is not None:
        yield form.unreal, "that is not real"
    if schema.get("minItems", 0) > 0:
        yield [], "empty"
