"""What a dialect says of its tools and arguments, in many words or few."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from envscaler_mcp.artifacts import Tool
from envscaler_mcp.dialects.arguments import OFFSET, Speech, ToolArguments
from envscaler_mcp.dialects.spelling import Schema

_SUCH_AS = re.compile(r"(?:[;,] an id|,)? such as [A-Z][A-Z0-9-]{0,39}-[0-9]{5}\b")
_WRITTEN_AS = re.compile(r",? as YYYY-MM-DD(?:THH:MM)?")
_WORD = re.compile(r"\w+(?:[.-]\w+)*")
_PART = re.compile(r"([:;] )(\w{1,60}):")
_FIRST_PART = re.compile(r"[^.;,:(]+")


class Describer:
    """The descriptions of one dialect."""

    def __init__(self, speech: Speech) -> None:
        self._speech = speech
        self._style = speech.axes.descriptions
        self.is_full = self._style in ("full", "examples", "docstring")

    def of_tool(self, tool: Tool, arguments: ToolArguments) -> str:
        """The description of a tool."""
        match self._style:
            case "none":
                return ""
            case "terse":
                return shortened(tool.description)
            case "full":
                return tool.description
            case "docstring":
                return _docstring(tool.description, self.schema(tool, arguments))
            case "examples":
                example = json.dumps(_example(arguments.schema, self._speech), ensure_ascii=False)
                return f"{tool.description} Example: {example}"

    def schema(self, tool: Tool, arguments: ToolArguments) -> Schema:
        """The schema of a tool's arguments with what is said of them."""
        said = dict(arguments.hints)
        if self.is_full or self._style == "terse":
            properties: Mapping[str, Schema] = tool.input_schema.get("properties", {})
            own = {each: arguments.spoken_name(each) for each in properties}
            for name, schema in properties.items():
                if name != OFFSET or not arguments.paged:
                    spoken = own[name]
                    said[spoken] = f"{self._about(schema, own)} {said.get(spoken, '')}".strip()
        if arguments.paged and self._style != "none":
            said |= self._speech.pages.said
        if arguments.columns and self._style != "none":
            known = ", ".join(arguments.columns)
            said[self._speech.pages.columns] = f"What rows hold beside their id: any of {known}. All by default."
        return _with_descriptions(arguments.schema, said)

    def _about(self, schema: Schema, own: Mapping[str, str]) -> str:
        text = self._argument(schema, own)
        return text if self.is_full else shortened(text)

    def _argument(self, schema: Schema, own: Mapping[str, str]) -> str:
        text = _SUCH_AS.sub("", str(schema.get("description", "")))
        if self._speech.axes.dates != "iso":
            text = _WRITTEN_AS.sub("", text)
        if self._speech.axes.money != "cents":
            text = text.replace(" in cents", "")
        options = {value for option in schema.get("anyOf", [schema]) for value in option.get("enum", ())}
        text = self._with_parts(text, schema.get("items", {}).get("properties", {}))
        return self._respelled(self._speech.names.in_sentence(text, own, options), options)

    def _with_parts(self, text: str, parts: Collection[str]) -> str:
        """The text of a list of objects, whose parts it explains one after the other, with their names spelled."""
        spoken = self._speech.names.keys(parts)
        return _PART.sub(lambda part: f"{part[1]}{spoken.get(part[2], part[2])}:", text) if parts else text

    def _respelled(self, text: str, options: Collection[Any]) -> str:
        """The text with the options in it spelled as arguments take them."""
        choices = self._speech.choices
        if not options or choices.numbers:
            return text
        head, mark, rest = text.rpartition(": ") if ": " in text else text.rpartition(" is ")

        def respelled(word: re.Match[str]) -> str:
            return str(choices.spell(word[0])) if word[0] in options else word[0]

        return f"{head}{mark}{_WORD.sub(respelled, rest)}"


def _docstring(description: str, schema: Schema) -> str:
    """A description with a line for each argument, as a library documents a function."""
    lines = [*_explained(schema)]
    return "\n".join([description, "", "Args:", *lines]) if lines else description


def _explained(schema: Schema, depth: int = 1) -> Iterator[str]:
    needed = schema.get("required", ())
    for name, inner in schema.get("properties", {}).items():
        about = inner.get("description", "")
        yield f"{'  ' * depth}{name}{'' if name in needed else ' (optional)'}: {about}".rstrip()
        yield from _explained(inner, depth + 1)


def shortened(description: str) -> str:
    """The first words of a description, up to where it goes into detail."""
    match = _FIRST_PART.match(description)
    return (match[0].strip() if match else description).rstrip(".")


def _with_descriptions(schema: Schema, said: Mapping[str, str]) -> Schema:
    properties = {
        name: ({"description": said[name]} if said.get(name) else {})
        | (_with_descriptions(inner, said) if inner.get("type") == "object" else inner)
        for name, inner in schema.get("properties", {}).items()
    }
    return {**schema, **({"properties": properties} if properties or "properties" in schema else {})}


def signature(schema: Schema) -> str:
    """The arguments of a schema in one line."""
    needed = schema.get("required", ())
    parts = [
        f"{name}{'' if name in needed else '?'}: {_type(inner)}" for name, inner in schema.get("properties", {}).items()
    ]
    return ", ".join(parts)


def _type(schema: Schema) -> str:
    if "anyOf" in schema:
        return _type(next(option for option in schema["anyOf"] if option.get("type") != "null"))
    if "enum" in schema:
        return "|".join(map(str, schema["enum"]))
    if schema.get("type") == "array":
        return f"[{_type(schema.get('items', {}))}]"
    if schema.get("type") == "object" and "properties" in schema:
        return f"{{{signature(schema)}}}"
    said = f" ({schema['description']})" if schema.get("description") else ""
    return f"{schema.get('type', 'any')}{said}"


def _example(schema: Schema, speech: Speech) -> Any:
    """Arguments as they could be; no id in them is one of a record."""
    if "anyOf" in schema:
        return _example(schema["anyOf"][0], speech)
    if "enum" in schema:
        return schema["enum"][0]
    kind = schema.get("type")
    if kind == "object":
        needed = schema.get("required", ())
        return {name: _example(inner, speech) for name, inner in schema.get("properties", {}).items() if name in needed}
    if kind == "array":
        return [_example(schema.get("items", {}), speech)]
    if kind == "integer":
        return max(1, schema.get("minimum", 1))
    return True if kind == "boolean" else "…"
