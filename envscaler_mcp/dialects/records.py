"""What answers hold, spelled: the keys of records and their values, by the shapes on the card of an environment."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any

from envscaler_mcp.artifacts import Environment
from envscaler_mcp.dialects.arguments import Speech, is_id_name
from envscaler_mcp.dialects.ids import IdMemory
from envscaler_mcp.dialects.spelling import Schema, is_moment, say_moment
from envscaler_mcp.serving.shapes import AnswerShapes

Show = Callable[[Any, IdMemory], Any]
"""A canonical value as an agent reads it; ids in it are told from then on."""


class ShownRecords:
    """How the data of each tool's answers are shown."""

    def __init__(self, environment: Environment, speech: Speech) -> None:
        self._speech = speech
        answers = environment.answers
        shapes = AnswerShapes({} if answers is None else answers.records)
        data: Mapping[str, str] = {} if answers is None else answers.data
        self.schemas = {tool: shapes.schema(shape) for tool, shape in data.items()}

    def rows(self, tool: str) -> tuple[str, str, Show] | None:
        """The entries of a tool's data that hold its rows, and how one row is shown; nothing where it answers no list."""
        properties = self.schemas.get(tool, {}).get("properties", {})
        lists = [name for name, schema in properties.items() if schema.get("type") == "array"]
        if set(properties) != {"total", *lists} or len(lists) != 1:
            return None
        name = lists[0]
        items = properties[name]["items"]
        return name, self._speech.names.plain_key(name), self.show(name, items)

    def columns(self, tool: str) -> dict[str, str]:
        """What the entries of a tool's rows are called: canonical names by spoken ones."""
        spoken = self._speech.names.keys(self._row(tool))
        return {word: name for name, word in spoken.items()}

    def part(self, tool: str) -> Show:
        """How a row is shown that holds only some of its entries."""
        return self._object(self._row(tool), ())

    def _row(self, tool: str) -> Mapping[str, Schema]:
        for schema in self.schemas.get(tool, {}).get("properties", {}).values():
            if schema.get("type") == "array" and "properties" in schema["items"]:
                properties: Mapping[str, Schema] = schema["items"]["properties"]
                return properties
        return {}

    def data(self, tool: str) -> Show:
        """How the data of a tool are shown as a whole."""
        return self.show("", self.schemas.get(tool, {}))

    def show(self, name: str, schema: Schema) -> Show:
        """How values of this shape are shown."""
        kinds = schema.get("type")
        kind = kinds[0] if isinstance(kinds, list) else kinds
        if kind == "array":
            item = self.show(name, schema.get("items", {}))
            return lambda values, memory: None if values is None else [item(value, memory) for value in values]
        if kind == "object" and "properties" in schema:
            properties: Mapping[str, Schema] = schema["properties"]
            return self._object(properties, schema.get("required", properties))
        if kind == "string":
            return self._text(name, schema)
        return _same if kind in ("integer", "boolean") else self.anything

    def _object(self, properties: Mapping[str, Schema], required: Collection[str]) -> Show:
        spoken = self._speech.names.keys(properties)
        fields = [(name, spoken[name], self.show(name, schema)) for name, schema in properties.items()]
        if len(required) < len(properties):
            return lambda value, memory: {
                word: show(value[name], memory) for name, word, show in fields if name in value
            }
        plain = all(show is _same for _, _, show in fields)
        if plain:
            return lambda value, _memory: None if value is None else {word: value[name] for name, word, _ in fields}

        def show(value: Any, memory: IdMemory) -> Any:
            if value is None:
                return None
            return {word: field(value[name], memory) for name, word, field in fields}

        return show

    def _text(self, name: str, schema: Schema) -> Show:
        if is_id_name(name):
            return self._speech.ids.tell
        if "enum" in schema:
            choices = self._speech.choices
            return lambda value, _memory: choices.show(value)
        return self._words

    @property
    def _words(self) -> Show:
        """Texts that may be a day, or an id whose name does not say so."""
        style, ids = self._speech.axes.dates, self._speech.ids
        native = style == "iso"

        def show(value: Any, memory: IdMemory) -> Any:
            if type(value) is not str or not value[-1:].isdigit():
                return value
            if not native and is_moment(value):
                return say_moment(value, style)
            return ids.tell_if_id(value, memory)

        return show

    def anything(self, value: Any, memory: IdMemory) -> Any:
        """A value of which the card says nothing."""
        names = self._speech.names
        if type(value) is dict:
            return {names.key(name): self.anything(inner, memory) for name, inner in value.items()}
        if type(value) is list:
            return [self.anything(inner, memory) for inner in value]
        return self._words(value, memory)


def _same(value: Any, _memory: IdMemory) -> Any:
    return value
