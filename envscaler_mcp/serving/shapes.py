"""The shape of an answer, written in one line, as a JSON schema.

`str`, `int`, `bool` and `any` are values; `=clean|dirty` is one of these texts; `[shape]` is a list; `{key: shape, …}` is an
object, whose `key?` may be absent; a name with a capital letter is a record of the card; `?` after a shape allows null.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from envscaler_mcp.errors import WorldError

Schema = dict[str, Any]

MOST_PIECES = 40_000
"""Values, lists and objects in all schemas of an environment; five times what any has that ships."""
_DEPTH = 12
_VALUES: Mapping[str, Schema] = {
    "str": {"type": "string"},
    "int": {"type": "integer"},
    "bool": {"type": "boolean"},
    "any": {},
}
_TOKEN = re.compile(r"\s*(?:(?P<name>\w+)|=(?P<options>[\w|.-]+)|(?P<sign>[\[\]{}:,?]))\s*")


class AnswerShapes:
    """The schemas of the shapes of one card; a card may come from anywhere, so they are bounded together."""

    def __init__(self, records: Mapping[str, str]) -> None:
        self.records = records
        self._left = MOST_PIECES

    def schema(self, text: str) -> Schema:
        """The schema of a shape; WorldError where the text is none."""
        return _Reader(text, self).whole()

    def count(self, many: int = 1) -> None:
        """Note so many more pieces."""
        self._left -= many
        if self._left < 0:
            raise WorldError(f"The answers of an environment have at most {MOST_PIECES:,} pieces.")


class _Reader:
    def __init__(self, text: str, shapes: AnswerShapes, depth: int = 0, *, in_record: bool = False) -> None:
        self._text = text
        self._shapes = shapes
        self._depth = depth
        self._in_record = in_record
        self._at = 0

    def whole(self) -> Schema:
        schema = self._shape()
        if self._at < len(self._text):
            raise self._wrong()
        return schema

    def _shape(self) -> Schema:
        self._shapes.count()
        self._depth += 1
        if self._depth > _DEPTH:
            raise WorldError(f"A shape may be {_DEPTH} deep.")
        schema = self._certain()
        self._depth -= 1
        return _or_null(schema) if self._takes("?") else schema

    def _certain(self) -> Schema:
        token = _TOKEN.match(self._text, self._at)
        if token is None:
            raise self._wrong()
        self._at = token.end()
        if token["options"] is not None:
            options = token["options"].split("|")
            self._shapes.count(len(options))
            return {"type": "string", "enum": options}
        if token["name"] is not None:
            return self._named(token["name"])
        if token["sign"] == "[":
            items = self._shape()
            self._expect("]")
            return {"type": "array", "items": items}
        if token["sign"] == "{":
            return self._object()
        raise self._wrong()

    def _named(self, name: str) -> Schema:
        if name in _VALUES:
            return dict(_VALUES[name])
        if self._in_record or name not in self._shapes.records:
            raise self._wrong()
        return _Reader(self._shapes.records[name], self._shapes, self._depth, in_record=True).whole()

    def _object(self) -> Schema:
        properties: dict[str, Schema] = {}
        required: list[str] = []
        while not self._takes("}"):
            if properties:
                self._expect(",")
            key = _TOKEN.match(self._text, self._at)
            if key is None or key["name"] is None:
                raise self._wrong()
            self._at = key.end()
            if not self._takes("?"):
                required.append(key["name"])
            self._expect(":")
            properties[key["name"]] = self._shape()
        return {"type": "object", "properties": properties, "required": required}

    def _takes(self, sign: str) -> bool:
        token = _TOKEN.match(self._text, self._at)
        if token is None or token["sign"] != sign:
            return False
        self._at = token.end()
        return True

    def _expect(self, sign: str) -> None:
        if not self._takes(sign):
            raise self._wrong()

    def _wrong(self) -> WorldError:
        return WorldError(f"{self._text[:80]!r} is no shape: something else is expected at letter {self._at + 1}.")


def _or_null(schema: Schema) -> Schema:
    if not schema:
        return schema
    if "enum" in schema:
        return {"type": ["string", "null"], "enum": [*schema["enum"], None]}
    return {**schema, "type": [schema["type"], "null"]}
