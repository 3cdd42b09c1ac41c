"""Tools as forms: what each argument is, and which records it may name."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from envscaler_mcp.artifacts import Environment, Tool
from envscaler_mcp.language.text import singular, words
from envscaler_mcp.sampling.offers import nullable, plain
from envscaler_mcp.studio.schemas import Entry, Form, FormsAnswer, TablesAnswer

_EXAMPLE = re.compile(r"such as ([\w-]+?)-?\d+\b")
_MOST_PARTS = 8
_ID_ENDING = re.compile(r"_ids?$")
_FORMATS = {"date": "date", "date-time": "minute", "time": "time"}


def forms_of(card: Environment, tables: TablesAnswer) -> FormsAnswer:
    """All tools of an environment, in a world with these tables."""
    tables_by_prefix = {_prefix(key): table.name for table in tables.tables for key in list(table.records)[:1]}
    nouns = {singular(table.name): table.name for table in tables.tables}
    named = _Named(tables_by_prefix, nouns)
    return FormsAnswer(
        rules=card.rules,
        introduction=card.introduction,
        forms=tuple(_form(tool, named) for tool in card.tools),
    )


def _prefix(key: str) -> str:
    return key.rstrip("0123456789").rstrip("-")


class _Named:
    """The table whose records an argument names."""

    def __init__(self, by_prefix: Mapping[str, str], nouns: Mapping[str, str]) -> None:
        self._by_prefix, self._nouns = by_prefix, nouns

    def table(self, name: str, about: str) -> str:
        example = _EXAMPLE.search(about)
        if example is not None and example[1] in self._by_prefix:
            return self._by_prefix[example[1]]
        noun = _ID_ENDING.sub("", name)
        if noun == name:
            return ""
        parts = noun.split("_")
        endings = ("_".join(parts[place:]) for place in range(min(len(parts), _MOST_PARTS)))
        return next((self._nouns[ending] for ending in endings if ending in self._nouns), "")


def _form(tool: Tool, named: _Named) -> Form:
    required = set(tool.input_schema.get("required", ()))
    entries = tuple(
        _entry(name, schema, named, required=name in required)
        for name, schema in tool.input_schema.get("properties", {}).items()
        if isinstance(schema, dict)
    )
    title = words(tool.name).capitalize()
    return Form(tool=tool.name, title=title, about=tool.description, effect=tool.effect, fields=entries)


def _entry(name: str, schema: Mapping[str, Any], named: _Named, *, required: bool) -> Entry:
    inner = plain(schema)
    about = str(schema.get("description", ""))
    items = inner.get("items")
    refers = named.table(name, about) if inner.get("type") in ("string", "array") else ""
    options = inner.get("enum") or ()
    kind = _type(inner, items if isinstance(items, dict) else {}, refers)
    return Entry(
        name=name,
        title=words(_ID_ENDING.sub("", name) if refers else name).capitalize(),
        type=kind,
        required=required and not nullable(schema),
        about=about,
        options=tuple(option for option in options if isinstance(option, str)),
        refers=refers if kind in ("record", "records") else "",
        least=_number(inner.get("minimum")),
        most=_number(inner.get("maximum")),
        default=schema.get("default"),
    )


def _type(schema: Mapping[str, Any], items: Mapping[str, Any], refers: str) -> Any:
    if schema.get("enum") and all(isinstance(option, str) for option in schema["enum"]):
        return "choice"
    match schema.get("type"):
        case "boolean":
            return "yes_no"
        case "integer" | "number":
            return "number"
        case "string":
            return "record" if refers else _FORMATS.get(str(schema.get("format")), "text")
        case "array" if refers and items.get("type") == "string":
            return "records"
    return "json"


def _number(value: Any) -> float | None:
    return float(value) if isinstance(value, int | float) else None
