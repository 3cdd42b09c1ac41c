"""The arguments of one tool: what a dialect asks for, and the canonical call that is meant."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from envscaler_mcp.artifacts import Tool
from envscaler_mcp.dialects.axes import Axes
from envscaler_mcp.dialects.ids import IdMemory, IdSpelling
from envscaler_mcp.dialects.paging import Page, Pages
from envscaler_mcp.dialects.spelling import (
    ChoiceSpelling,
    Schema,
    Spelling,
    UnreadableError,
    as_it_is,
    cents,
    moments,
)
from envscaler_mcp.dialects.wording import Names
from envscaler_mcp.serving.suggestion import quote_value
from envscaler_mcp.serving.validation import compile_arguments, without_patterns

OFFSET = "offset"


@dataclass(frozen=True, slots=True)
class Speech:
    """What the arguments of all tools of a dialect share."""

    axes: Axes
    names: Names
    ids: IdSpelling
    choices: ChoiceSpelling
    pages: Pages


@dataclass(frozen=True, slots=True)
class _Argument:
    name: str
    spoken: str
    spelling: Spelling
    required: bool
    grouped: bool


class UnusableError(Exception):
    """The arguments are no call of this tool; a sentence in the words of the dialect."""

    def __init__(self, sentence: str, *, missing: bool = False) -> None:
        super().__init__(sentence)
        self.missing = missing
        """Whether all is well but for a record that is not known."""


class ToolArguments:
    """Both directions for one tool."""

    def __init__(self, tool: Tool, speech: Speech, columns: Mapping[str, str]) -> None:
        """`columns` are what the rows of its answers hold: canonical names by spoken ones."""
        self._speech = speech
        schemas: dict[str, Schema] = dict(tool.input_schema.get("properties", {}))
        self.paged = OFFSET in schemas and tool.effect == "reads"
        if self.paged:
            del schemas[OFFSET]
        self.columns = columns if self.paged and speech.pages.columns else {}
        required = frozenset(tool.input_schema.get("required", ()))
        self._group = _group_of(tool, speech.axes)
        spoken = speech.names.keys(schemas)
        self._arguments = [
            _Argument(
                name,
                spoken[name],
                self._spelling(name, schema),
                name in required,
                _is_grouped(name, name in required, speech.axes),
            )
            for name, schema in schemas.items()
        ]
        self._spoken = {argument.name: argument.spoken for argument in self._arguments}
        self._by_spoken = {argument.spoken: argument for argument in self._arguments}
        if not any(argument.grouped for argument in self._arguments) or self._group in self._by_spoken:
            self._group = ""
        self.schema = self._schema(schemas)
        # A pattern of unread code may take for ever; the world behind matches it where its code runs.
        self._check = compile_arguments(without_patterns(self.schema))
        self._page_names = frozenset(speech.pages.properties)

    @property
    def hints(self) -> dict[str, str]:
        """What must be said of an argument, by its spoken name."""
        return {argument.spoken: argument.spelling.hint for argument in self._arguments if argument.spelling.hint}

    def spoken_name(self, name: str) -> str:
        """What a canonical argument is called."""
        return self._spoken.get(name, name)

    def encode(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Canonical arguments in this dialect; an offset must be a multiple of fifty."""
        spoken: dict[str, Any] = {}
        group: dict[str, Any] = {}
        for argument in self._arguments:
            if argument.name in arguments:
                value = arguments[argument.name]
                into = group if self._group and argument.grouped else spoken
                into[argument.spoken] = None if value is None else argument.spelling.encode(value)
        if group:
            spoken[self._group] = group
        if self.paged:
            pages = self._speech.pages
            spoken |= pages.encode(arguments[OFFSET]) if OFFSET in arguments else pages.whole_page
        return spoken

    def decode(self, spoken: Any, memory: IdMemory) -> tuple[dict[str, Any], Page | None]:
        """The canonical arguments, and the page that is asked for; UnusableError where they are no call."""
        wrong = self._check(spoken)
        if wrong is not None:
            raise UnusableError(wrong)
        flat = spoken
        if self._group and self._group in spoken:
            flat = {**spoken, **(spoken[self._group] or {})}
        arguments: dict[str, Any] = {}
        by_spoken = self._by_spoken
        for name, value in flat.items():
            argument = by_spoken.get(name)
            if argument is not None:
                try:
                    arguments[argument.name] = None if value is None else argument.spelling.decode(value, memory)
                except UnreadableError as cause:
                    raise UnusableError(f"{name}{cause}", missing=cause.missing) from None
        if not self.paged:
            return arguments, None
        return self._with_page(arguments, spoken)

    def _with_page(self, arguments: dict[str, Any], spoken: Mapping[str, Any]) -> tuple[dict[str, Any], Page]:
        try:
            page = self._speech.pages.decode(spoken)
        except UnreadableError as cause:
            raise UnusableError(str(cause)) from None
        if page.given:
            arguments[OFFSET] = page.offset
        chosen = spoken.get(self._speech.pages.columns) if self.columns else None
        return arguments, replace(page, columns=self._chosen(chosen)) if chosen else page

    def _chosen(self, names: list[str]) -> frozenset[str]:
        unknown = [name for name in names if name not in self.columns]
        if unknown:
            known = ", ".join(self.columns)
            raise UnusableError(f"There is no {quote_value(unknown[0])} in a row; there are {known}.")
        return frozenset(self.columns[name] for name in names)

    def _spelling(self, name: str, schema: Schema) -> Spelling:
        options = [option for option in schema.get("anyOf", [schema]) if option.get("type") != "null"]
        return self._spelling_of(name, options[0], schema) if len(options) == 1 else as_it_is(schema)

    def _spelling_of(self, name: str, schema: Schema, whole: Schema) -> Spelling:
        kind = schema.get("type")
        bare = {key: value for key, value in schema.items() if key not in _NOTES}
        if kind == "array":
            return self._of_items(name, bare)
        if kind == "object":
            return self._of_object(bare)
        if kind == "string" and is_id_name(name):
            return self._of_id(name)
        if kind == "string" and "enum" in schema:
            return self._speech.choices.spelling(schema["enum"])
        if kind == "string" and schema.get("format") in ("date", "date-time"):
            return moments(self._speech.axes.dates, minute=schema["format"] == "date-time")
        if kind == "integer" and "in cents" in whole.get("description", ""):
            return cents(bare, self._speech.axes.money)
        return as_it_is(bare)

    def _of_id(self, name: str) -> Spelling:
        ids = self._speech.ids
        noun = re.sub(r"_ids?$", "", name).replace("_", " ")

        def decode(value: Any, memory: IdMemory) -> str:
            canonical = memory.canonical(value)
            if canonical is None:
                raise UnreadableError(f": there is no {noun} {value!r}.", missing=True)
            return canonical

        schema = {"type": "integer"} if ids.schema_type == "integer" else {"type": "string", "maxLength": 200}
        return Spelling(schema, ids.spell, decode)

    def _of_items(self, name: str, schema: Schema) -> Spelling:
        items = self._spelling_of(name, schema.get("items", {}), {})
        return Spelling(
            {**schema, "items": items.schema},
            lambda values: [items.encode(value) for value in values],
            lambda values, memory: [items.decode(value, memory) for value in values],
            items.hint,
        )

    def _of_object(self, schema: Schema) -> Spelling:
        properties: Mapping[str, Schema] = schema.get("properties", {})
        if not properties:
            return as_it_is(schema)
        spoken = self._speech.names.keys(properties)
        fields = {name: self._spelling(name, inner) for name, inner in properties.items()}
        back = {word: name for name, word in spoken.items()}

        def encode(value: Mapping[str, Any]) -> dict[str, Any]:
            return {spoken[n]: None if v is None else fields[n].encode(v) for n, v in value.items()}

        def decode(value: Mapping[str, Any], memory: IdMemory) -> dict[str, Any]:
            names = {back[word]: v for word, v in value.items()}
            return {n: None if v is None else fields[n].decode(v, memory) for n, v in names.items()}

        hints = " ".join(f"{spoken[name]}: {field.hint}" for name, field in fields.items() if field.hint)
        made = {
            **schema,
            "properties": {spoken[n]: _nullable(fields[n].schema, inner) for n, inner in properties.items()},
            "required": [spoken[name] for name in schema.get("required", ())],
        }
        return Spelling(made, encode, decode, hints)

    def _schema(self, canonical: Mapping[str, Schema]) -> Schema:
        outer: dict[str, Schema] = {}
        inner: dict[str, Schema] = {}
        needed: list[str] = []
        needed_inside: list[str] = []
        for argument in self._arguments:
            inside = bool(self._group) and argument.grouped
            made = _nullable(argument.spelling.schema, canonical[argument.name])
            (inner if inside else outer)[argument.spoken] = made
            if argument.required:
                (needed_inside if inside else needed).append(argument.spoken)
        if inner:
            outer[self._group] = _object(inner, needed_inside)
            needed += [self._group] if needed_inside else []
        if self.paged:
            outer |= self._speech.pages.properties
        if self.columns:
            outer[self._speech.pages.columns] = dict(_CHOSEN)
        return _object(outer, needed)


_CHOSEN: Schema = {"type": "array", "items": {"type": "string", "maxLength": 200}, "maxItems": 100}
_NOTES = frozenset({"description", "default", "examples", "title"})
_ID_NAME = re.compile(r"(?:.*_)?ids?")


def is_id_name(name: str) -> bool:
    """Whether a value of this name is an id, or a list of them."""
    return _ID_NAME.fullmatch(name) is not None


def _object(properties: dict[str, Schema], required: list[str]) -> Schema:
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


def _nullable(schema: Schema, canonical: Schema) -> Schema:
    """The schema, with null where the canonical one has it."""
    if not any(option.get("type") == "null" for option in canonical.get("anyOf", ())) or "anyOf" in schema:
        return schema
    return {"anyOf": [schema, {"type": "null"}]}


def _group_of(tool: Tool, axes: Axes) -> str:
    match axes.arguments:
        case "filters":
            return "filters" if tool.effect == "reads" else ""
        case "fields":
            return "Fields" if axes.keys == "pascal" else "fields"
        case "input":
            return "Input" if axes.keys == "pascal" else "input"
        case "flat":
            return ""


def _is_grouped(name: str, required: bool, axes: Axes) -> bool:
    match axes.arguments:
        case "filters":
            return not required
        case "fields":
            return not is_id_name(name)
        case "input":
            return True
        case "flat":
            return False
