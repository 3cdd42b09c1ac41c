"""What answers of a dialect are, as schemas: the shape of the card in the names, values and envelope that are spoken."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from envscaler_mcp.artifacts import Tool
from envscaler_mcp.dialects.arguments import Speech, is_id_name
from envscaler_mcp.dialects.layouts import Layout
from envscaler_mcp.dialects.records import ShownRecords
from envscaler_mcp.dialects.spelling import Schema

_PAGE: Mapping[str, Schema] = {
    "total": {"type": "integer"},
    "offset": {"type": "integer"},
    "has_more": {"type": "boolean"},
    "page": {"type": "integer"},
    "page_count": {"type": "integer"},
    "next": {"type": ["string", "null"]},
}
_PAGED = {
    "offset": ("total", "offset", "has_more"),
    "page": ("total", "page", "page_count"),
    "cursor": ("total", "next"),
}


class AnswerSchemas:
    """The schemas of one dialect's answers. No entry is required: callers may choose columns, and a refusal has none."""

    def __init__(self, records: ShownRecords, speech: Speech, layout: Layout) -> None:
        self._records = records
        self._speech = speech
        self._layout = layout

    def of_tool(self, tool: Tool, *, paged: bool) -> Schema:
        """What a call of the tool answers."""
        data = self._records.schemas.get(tool.name, {})
        if tool.effect == "writes":
            return self._enveloped(self._change(data))
        rows = self._records.rows(tool.name)
        if rows is None:
            return self._enveloped(self._spoken("", data))
        entry, kind, _ = rows
        row = self._spoken(entry, data["properties"][entry]["items"])
        return self._listed(kind, row, _PAGED[self._speech.axes.paging] if paged else ("total",))

    def _change(self, data: Schema) -> Schema:
        words = {self._layout.word("message"): {"type": "string"}, self._layout.word("status"): {}}
        return _object({**self._spoken("", {"type": "object", "properties": {}, **data})["properties"], **words})

    def _listed(self, kind: str, row: Schema, page: tuple[str, ...]) -> Schema:
        word = self._layout.word
        rows: Schema = {"type": "array", "items": row}
        about = {word(*name.split("_")): _PAGE[name] for name in page}
        match self._layout.style:
            case "envelope":
                return _object({word("data"): rows, word("meta"): _object(about)})
            case "ok":
                return _object(
                    {word("ok"): {"type": "boolean"}, word("result"): _object({word("items"): rows, **about})}
                )
            case "jsonapi":
                resource = {"type": {"type": "string"}, "id": {}, "attributes": row}
                return _object({"data": {"type": "array", "items": _object(resource)}, "meta": _object(about)})
            case _:
                return _object({kind: rows, **about})

    def _enveloped(self, value: Schema) -> Schema:
        word = self._layout.word
        match self._layout.style:
            case "envelope" | "jsonapi":
                return _object({word("data"): value})
            case "ok":
                return _object({word("ok"): {"type": "boolean"}, word("result"): value})
            case _:
                return value if value.get("type") == "object" else _object({word("value"): value})

    def _spoken(self, name: str, schema: Schema) -> Schema:
        kinds = schema.get("type")
        null = isinstance(kinds, list)
        made = self._certain(name, schema, kinds[0] if isinstance(kinds, list) else kinds)
        return _or_null(made) if null else made

    def _certain(self, name: str, schema: Schema, kind: Any) -> Schema:
        match kind:
            case "array":
                return {"type": "array", "items": self._spoken(name, schema.get("items", {}))}
            case "object" if "properties" in schema:
                spoken = self._speech.names.keys(schema["properties"])
                return _object({spoken[key]: self._spoken(key, inner) for key, inner in schema["properties"].items()})
            case "string":
                return self._text(name, schema)
            case "integer" | "boolean":
                return {"type": kind}
            case _:
                return {}

    def _text(self, name: str, schema: Schema) -> Schema:
        speech = self._speech
        if is_id_name(name):
            return {"type": speech.ids.schema_type}
        if "enum" in schema and speech.choices.numbers:
            return _object({"code": {"type": "integer"}, "name": {"type": "string"}})
        if "enum" in schema:
            return {
                "type": "string",
                "enum": [speech.choices.spell(each) for each in schema["enum"] if each is not None],
            }
        numbers = speech.axes.dates == "epoch" or speech.ids.schema_type == "integer"
        return {"type": ["string", "integer"] if numbers else "string"}


def _object(properties: Mapping[str, Schema]) -> Schema:
    return {"type": "object", "properties": dict(properties)}


def _or_null(schema: Schema) -> Schema:
    if "type" not in schema:
        return schema
    kinds = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    return {**schema, "type": [*kinds, "null"], **({"enum": [*schema["enum"], None]} if "enum" in schema else {})}
