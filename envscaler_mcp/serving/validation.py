"""Strict checks of a tool's arguments, made once from its schema and then called many times.

A schema keyword that would be published and not enforced is refused here, so that what a client is told is what holds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from envscaler_mcp.errors import WorldError
from envscaler_mcp.serving.formats import check_number, check_text, other_kind
from envscaler_mcp.serving.suggestion import did_you_mean, quote_value

Check = Callable[[Any], str | None]
"""None for a value that fits, else the rest of a sentence that begins with the value's name."""

MAX_DEPTH = 16
MAX_ITEMS = 1_000
MAX_SCHEMAS = 500
"""Schemas within the arguments of one tool; each may be tried on each value of a call."""
MAX_NESTED = 32
MAX_CHOICES = 1_000
MAX_NAME = 200
MAX_NAMED = 20
"""Arguments that a refusal names."""
MAX_PATTERN = 1_000

_NOTES = frozenset({"description", "default", "examples", "title"})
_KEYWORDS = {
    "string": frozenset({"enum", "minLength", "maxLength", "pattern", "format"}),
    "integer": frozenset({"enum", "minimum", "maximum"}),
    "number": frozenset({"enum", "minimum", "maximum"}),
    "boolean": frozenset({"enum"}),
    "null": frozenset[str](),
    "array": frozenset({"items", "minItems", "maxItems"}),
    "object": frozenset({"properties", "required", "additionalProperties"}),
}
_MISSING = object()


def compile_arguments(schema: Mapping[str, Any], max_items: int = MAX_ITEMS) -> Check:
    """The check of all arguments of a call; what it returns is a whole sentence."""
    check_bounds(schema)
    properties: Mapping[str, Mapping[str, Any]] = schema.get("properties", {})
    try:
        required = frozenset(schema.get("required", ()))
        parameters = [
            (name, name in required, compile_value(value, max_items, MAX_DEPTH - 1))
            for name, value in properties.items()
        ]
    except (TypeError, KeyError, AttributeError, ValueError) as cause:
        raise WorldError(f"The schema of a tool's arguments is none that is enforced here: {cause}") from cause
    known = frozenset(properties)

    def check(arguments: Any) -> str | None:
        if type(arguments) is not dict:
            return f"The arguments must be an object, not {quote_value(arguments)}."
        if not known.issuperset(arguments):
            unknown = next(name for name in arguments if name not in known)
            near = did_you_mean(unknown, known)
            return f"There is no argument {quote_value(unknown)}{_instead(list(properties)) if near == '.' else near}"
        for name, needed, check_value in parameters:
            value = arguments.get(name, _MISSING)
            if value is _MISSING:
                if needed:
                    return f"{name} is missing."
            else:
                wrong = check_value(value)
                if wrong is not None:
                    return name + wrong
        return None

    return check


def _instead(names: list[str]) -> str:
    if not names:
        return "; this tool has none."
    more = f" and {len(names) - MAX_NAMED} more" if len(names) > MAX_NAMED else ""
    return f"; there {'is' if len(names) == 1 else 'are'} {', '.join(names[:MAX_NAMED])}{more}."


def check_bounds(schema: Mapping[str, Any]) -> None:
    """WorldError for a schema whose check would take long: a card may have been written to that end."""
    level: list[Any] = [schema]
    seen = 0
    for _ in range(MAX_NESTED):
        seen += len(level)
        if seen > MAX_SCHEMAS:
            raise WorldError(f"The arguments of a tool have at most {MAX_SCHEMAS} schemas.")
        for inner in level:
            _check_own_bounds(inner)
        level = [inner for outer in level for inner in _inner_schemas(outer)]
        if not level:
            return
    raise WorldError(f"The schemas of a tool's arguments lie at most {MAX_NESTED} deep in one another.")


def _check_own_bounds(schema: Any) -> None:
    if not isinstance(schema, dict):
        raise WorldError(f"A schema is an object, not {quote_value(schema)}.")
    if type(schema.get("anyOf", [])) is not list:
        raise WorldError("An anyOf is a list of schemas.")
    choices = schema.get("enum", [])
    if type(choices) is not list or len(choices) > MAX_CHOICES or not all(map(_is_choice, choices)):
        raise WorldError(f"The values of an enum are at most {MAX_CHOICES} texts, numbers, true, false or null.")
    names = schema.get("properties", {})
    if type(names) is not dict or any(len(name) > MAX_NAME for name in names):
        raise WorldError(f"The names of arguments and fields have at most {MAX_NAME} letters.")
    pattern = schema.get("pattern", "")
    if type(pattern) is not str or len(pattern) > MAX_PATTERN:
        raise WorldError(f"A pattern has at most {MAX_PATTERN} letters.")


def _is_choice(value: Any) -> bool:
    return value is None or type(value) in (int, float, bool) or (type(value) is str and len(value) <= MAX_PATTERN)


def _inner_schemas(schema: Mapping[str, Any]) -> Iterator[Any]:
    yield from schema.get("properties", {}).values()
    yield from schema.get("anyOf", ())
    for name in ("items", "additionalProperties"):
        if name in schema and type(schema[name]) is not bool:
            yield schema[name]


def without_patterns(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The same schema but for its patterns: one of unread code is matched only where that code runs.

    A regular expression of a few letters can take years to match, and no bound on its length helps.
    """
    bare = {name: value for name, value in schema.items() if name != "pattern"}
    for name in ("items", "additionalProperties"):
        if isinstance(bare.get(name), dict):
            bare[name] = without_patterns(bare[name])
    if "properties" in bare:
        bare["properties"] = {name: without_patterns(value) for name, value in bare["properties"].items()}
    if "anyOf" in bare:
        bare["anyOf"] = [without_patterns(value) for value in bare["anyOf"]]
    return bare


def compile_value(schema: Mapping[str, Any], max_items: int, depth: int, *, suggests: bool = True) -> Check:
    """The check of one value; `depth` is how many levels may still lie below it.

    What may have been meant is not looked for in each of several schemas that a value may fit.
    """
    if "anyOf" in schema:
        _refuse_unknown(schema, {"anyOf"})
        return _any_of(schema["anyOf"], max_items, depth, suggests)
    if "type" not in schema:
        _refuse_unknown(schema, {"enum"})
        if "enum" in schema:
            return _one_of(schema["enum"], suggests)
        return lambda value: check_json(value, max_items, depth)
    kind = schema["type"]
    if kind not in _KEYWORDS:
        raise WorldError(f"The argument type {kind!r} is not known; use one of {', '.join(_KEYWORDS)}.")
    _refuse_unknown(schema, {"type", *_KEYWORDS[kind]})
    if "enum" in schema:
        return _one_of(schema["enum"], suggests)
    if kind == "array":
        return _array(schema, max_items, depth, suggests)
    if kind == "object":
        return _object(schema, max_items, depth, suggests)
    if kind in ("integer", "number"):
        return check_number(schema)
    return check_text(schema) if kind == "string" else _constant(kind)


def _refuse_unknown(schema: Mapping[str, Any], keywords: set[str]) -> None:
    unenforced = sorted(set(schema) - keywords - _NOTES)
    if unenforced:
        raise WorldError(f"The schema keyword {unenforced[0]!r} is not enforced, so it cannot be published.")


def _constant(kind: str) -> Check:
    allowed, noun = ((True, False), "true or false") if kind == "boolean" else ((None,), "null")

    def check(value: Any) -> str | None:
        return None if any(value is choice for choice in allowed) else f" must be {noun}, not {other_kind(value)}."

    return check


def _one_of(allowed: list[Any], suggests: bool) -> Check:
    words = ", ".join(quote_value(value) for value in allowed)
    choices = frozenset((type(value), value) for value in allowed)
    names = [value for value in allowed if isinstance(value, str)]

    def check(value: Any) -> str | None:
        if type(value) in (str, int, float, bool, type(None)) and (type(value), value) in choices:
            return None
        near = did_you_mean(value, names) if suggests else "."
        said = f" must be {words}" if len(allowed) == 1 else f" must be one of {words}"
        return f"{said}, not {quote_value(value)}{near}"

    return check


def _any_of(schemas: list[Mapping[str, Any]], max_items: int, depth: int, suggests: bool) -> Check:
    optional = any(schema.get("type") == "null" for schema in schemas)
    certain = [schema for schema in schemas if schema.get("type") != "null"]
    alone = suggests and len(certain) == 1
    rest = [compile_value(schema, max_items, depth, suggests=alone) for schema in certain]
    if len(rest) == 1:
        only = rest[0]
        return (lambda value: None if value is None else only(value)) if optional else only

    def check(value: Any) -> str | None:
        if value is None and optional:
            return None
        wrongs = []
        for validate in rest:
            wrong = validate(value)
            if wrong is None:
                return None
            wrongs.append(wrong)
        parts = [wrong.split(", not ")[0].removesuffix(".").removeprefix(" must be ") for wrong in wrongs if wrong]
        return f" must be {' or '.join(parts)}, not {quote_value(value)}."

    return check


def _array(schema: Mapping[str, Any], max_items: int, depth: int, suggests: bool) -> Check:
    if depth <= 0:
        return lambda _value: " is nested too deeply."
    check_item = compile_value(schema.get("items", {}), max_items, depth - 1, suggests=suggests)
    least, most = schema.get("minItems", 0), schema.get("maxItems", max_items)

    def check(value: Any) -> str | None:
        if type(value) is not list:
            return f" must be a list, not {quote_value(value)}."
        if len(value) < least:
            return " must not be empty." if least == 1 else f" must have at least {least} items."
        if len(value) > most:
            return f" must have at most {most} items."
        for position, item in enumerate(value):
            wrong = check_item(item)
            if wrong is not None:
                return f"[{position}]{wrong}"
        return None

    return check


def _object(schema: Mapping[str, Any], max_items: int, depth: int, suggests: bool) -> Check:
    if depth <= 0:
        return lambda _value: " is nested too deeply."
    properties: Mapping[str, Mapping[str, Any]] = schema.get("properties", {})
    fields = {n: compile_value(inner, max_items, depth - 1, suggests=suggests) for n, inner in properties.items()}
    required = tuple(schema.get("required", ()))
    other = schema.get("additionalProperties", True)
    rest = {} if other is True else other
    check_other = None if other is False else compile_value(rest, max_items, depth - 1, suggests=suggests)
    suggested = fields if suggests else {}
    most = max(max_items, len(fields))

    def check(value: Any) -> str | None:
        if type(value) is not dict:
            return f" must be an object, not {quote_value(value)}."
        if len(value) > most:
            return f" must have at most {most} entries."
        unknown = [name for name in value if name not in fields]
        wrong = _check_unknown(value, unknown, check_other, suggested) if unknown else None
        if wrong is not None:
            return wrong
        missing = next((name for name in required if name not in value), None)
        if missing is not None:
            return f".{missing} is missing."
        for name, check_field in fields.items():
            wrong = check_field(value[name]) if name in value else None
            if wrong is not None:
                return f".{name}{wrong}"
        return None

    return check


def _check_unknown(
    value: dict[Any, Any], unknown: list[Any], check_other: Check | None, fields: Mapping[str, Check]
) -> str | None:
    if check_other is None:
        return f" has no field {quote_value(unknown[0])}{did_you_mean(unknown[0], fields)}"
    for name in unknown:
        wrong = check_key(name) or check_other(value[name])
        if wrong is not None:
            return f"[{quote_value(name)}]{wrong}"
    return None


check_key = check_text({"type": "string"})
_check_any_number = check_number({"type": "number"})


def check_json(value: Any, max_items: int, depth: int) -> str | None:
    """The check of a value of no declared type: plain JSON of bounded size."""
    if value is None or value is True or value is False:
        return None
    if type(value) is str:
        return check_key(value)
    if type(value) in (int, float):
        return _check_any_number(value)
    if type(value) not in (list, dict):
        return f" must be plain JSON, not {quote_value(value)}."
    if depth <= 0:
        return " is nested too deeply."
    if len(value) > max_items:
        return f" must have at most {max_items} {'items' if type(value) is list else 'entries'}."
    for name, item in enumerate(value) if type(value) is list else value.items():
        wrong = (type(value) is dict and check_key(name)) or check_json(item, max_items, depth - 1)
        if wrong:
            return f"[{quote_value(name)}]{wrong}"
    return None
