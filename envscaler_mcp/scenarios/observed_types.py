"""What a value is, where no blueprint says it: from a tool's schema, and from what records hold."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from envscaler_mcp.language.column_types import format_named, format_of_texts
from envscaler_mcp.language.types import BOOL, INT, TEXT, Type, list_of, ref
from envscaler_mcp.sampling.offers import nullable, plain, told_options
from envscaler_mcp.scenarios.shapes import Shapes

_WORD = re.compile(r"[^\W\d][\w-]*")
_MANY = 4
"""Of how many values one must know the words before they are taken for all that there are."""


def type_of_schema(schema: Mapping[str, Any], observed: Sequence[Any], shapes: Shapes) -> Type:
    """The type of an argument; where the schema only says that it is a text, records that keep it tell more."""
    inner, optional = plain(schema), nullable(schema)
    described = _described(inner, observed, shapes)
    return described.maybe if optional else described


def _described(schema: Mapping[str, Any], observed: Sequence[Any], shapes: Shapes) -> Type:
    options = tuple(schema.get("enum", ())) or told_options(schema)
    if options and all(isinstance(option, str) for option in options):
        return Type("one_of", options=options)
    match schema.get("type"):
        case "boolean":
            return BOOL
        case "integer" | "number":
            return Type("int", low=schema.get("minimum"), high=schema.get("maximum"))
        case "array":
            entries = [entry for value in observed if isinstance(value, list) for entry in value]
            return list_of(type_of_schema(schema.get("items", {}), entries, shapes))
        case "object":
            return _structure(schema, observed, shapes)
        case "string":
            form = format_named(schema.get("format"))
            return form.type if form is not None else _of_texts(observed, shapes)
    return type_of_values(observed, shapes)


def _structure(schema: Mapping[str, Any], observed: Sequence[Any], shapes: Shapes) -> Type:
    rows = [value for value in observed if isinstance(value, dict)]
    fields = {
        name: type_of_schema(inner, [row[name] for row in rows if row.get(name) is not None], shapes)
        for name, inner in sorted(schema.get("properties", {}).items())
    }
    return Type("struct", fields=tuple(fields.items()))


def type_of_values(observed: Sequence[Any], shapes: Shapes) -> Type:
    """The type that fits all that was seen."""
    if not observed:
        return Type("none")
    kinds: dict[type, str] = {bool: "bool", int: "int", float: "int", str: "text", list: "list", dict: "struct"}
    seen = {kinds.get(type(value), "none") for value in observed}
    if len(seen) > 1:
        return Type("none")
    match seen.pop():
        case "bool":
            return BOOL
        case "int":
            return INT
        case "text":
            return _of_texts(observed, shapes)
        case "list":
            return list_of(type_of_values([entry for value in observed for entry in value], shapes))
        case "struct":
            names = sorted({name for value in observed for name in value})
            fields = {name: [v[name] for v in observed if v.get(name) is not None] for name in names}
            return Type("struct", fields=tuple((name, type_of_values(v, shapes)) for name, v in fields.items()))
    return Type("none")


def _of_texts(observed: Sequence[Any], shapes: Shapes) -> Type:
    texts = [value for value in observed if isinstance(value, str) and value]
    if not texts:
        return TEXT
    homes = {shapes.home.get(text, "") for text in texts}
    if len(homes) == 1 and "" not in homes:
        return ref(homes.pop())
    form = format_of_texts(texts)
    if form is not None:
        return form.type
    distinct = tuple(sorted(set(texts)))
    if len(texts) >= _MANY and 1 < len(distinct) <= len(texts) // 2 and all(_WORD.fullmatch(word) for word in distinct):
        return Type("one_of", options=distinct)
    return TEXT
