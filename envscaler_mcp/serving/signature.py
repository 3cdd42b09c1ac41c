"""JSON Schemas from type annotations, read from source and never executed."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Any

from envscaler_mcp.errors import WorldError
from envscaler_mcp.serving.parsing import parsed_expression

Schema = dict[str, Any]

_SCALARS = {"str": "string", "int": "integer", "float": "number", "bool": "boolean", "None": "null"}
_LISTS = frozenset(
    {"list", "List", "Sequence", "MutableSequence", "Iterable", "Collection", "tuple", "Tuple", "set", "Set"}
)
_MAPPINGS = frozenset({"dict", "Dict", "Mapping", "MutableMapping"})
_WRAPPERS = frozenset({"Required", "NotRequired", "ReadOnly", "Final", "ClassVar"})


class Annotations:
    """The types a module knows: its aliases and typed dictionaries."""

    def __init__(self, module: ast.Module) -> None:
        self._aliases = dict(_aliases(module))
        self._classes = {node.name: node for node in module.body if isinstance(node, ast.ClassDef)}
        self._open: list[str] = []

    def schema(self, annotation: ast.expr | None) -> Schema:
        """The schema of an annotation; what cannot be understood is any JSON value."""
        if annotation is None:
            return {}
        if isinstance(annotation, ast.Constant):
            return self._constant(annotation)
        if isinstance(annotation, ast.BinOp) and isinstance(annotation.op, ast.BitOr):
            return _union([self.schema(annotation.left), self.schema(annotation.right)])
        if isinstance(annotation, ast.Subscript):
            return self._subscript(annotation)
        return self._named(_name(annotation))

    def is_typed_dict(self, node: ast.ClassDef) -> bool:
        """Whether a class only describes the shape of a dictionary."""
        bases = [_name(base) for base in node.bases]
        return "TypedDict" in bases or any(
            base in self._classes and self.is_typed_dict(self._classes[base]) for base in bases if base != node.name
        )

    def _constant(self, annotation: ast.Constant) -> Schema:
        if annotation.value is None:
            return {"type": "null"}
        if isinstance(annotation.value, str):
            try:
                return self.schema(parsed_expression(annotation.value))
            except SyntaxError:
                return {}
        return {}

    def _named(self, name: str) -> Schema:
        if name in self._open:
            return {}
        if name in self._aliases:
            return self._guarded(name, lambda: self.schema(self._aliases[name]))
        if name in self._classes and self.is_typed_dict(self._classes[name]):
            return self._guarded(name, lambda: self._typed_dict(self._classes[name]))
        if name in _SCALARS:
            return {"type": _SCALARS[name]}
        if name in _LISTS:
            return {"type": "array", "items": {}}
        return {"type": "object"} if name in _MAPPINGS else {}

    def _guarded(self, name: str, make: Any) -> Schema:
        self._open.append(name)
        try:
            schema: Schema = make()
            return schema
        finally:
            self._open.pop()

    def _subscript(self, annotation: ast.Subscript) -> Schema:
        name = _name(annotation.value)
        inner = annotation.slice
        parts = list(inner.elts) if isinstance(inner, ast.Tuple) else [inner]
        if name == "Literal":
            return _literal(parts)
        if name == "Annotated":
            schema = self.schema(parts[0])
            for part in parts[1:]:
                keywords = _value(part)
                if isinstance(keywords, dict):
                    schema = _with_keywords(schema, keywords)
            return schema
        if name == "Optional":
            return _union([self.schema(parts[0]), {"type": "null"}])
        if name == "Union":
            return _union([self.schema(part) for part in parts])
        if name in _LISTS:
            return {"type": "array", "items": self.schema(parts[0])}
        if name in _MAPPINGS:
            values = self.schema(parts[1]) if len(parts) == 2 else {}
            return {"type": "object", "additionalProperties": values} if values else {"type": "object"}
        return self.schema(parts[0]) if name in _WRAPPERS else {}

    def _typed_dict(self, node: ast.ClassDef) -> Schema:
        properties: dict[str, Schema] = {}
        required: list[str] = []
        for base in node.bases:
            if _name(base) in self._classes:
                inherited = self._named(_name(base))
                properties |= inherited.get("properties", {})
                required += inherited.get("required", [])
        total = not any(word.arg == "total" and _value(word.value) is False for word in node.keywords)
        for line in node.body:
            if isinstance(line, ast.AnnAssign) and isinstance(line.target, ast.Name):
                properties[line.target.id] = self.schema(line.annotation)
                marker = _name(line.annotation.value) if isinstance(line.annotation, ast.Subscript) else ""
                if marker == "Required" or (total and marker != "NotRequired"):
                    required.append(line.target.id)
        return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


def _aliases(module: ast.Module) -> list[tuple[str, ast.expr]]:
    aliases: list[tuple[str, ast.expr]] = []
    for line in module.body:
        if isinstance(line, ast.Assign) and len(line.targets) == 1 and isinstance(line.targets[0], ast.Name):
            if isinstance(line.value, (ast.Subscript, ast.Name, ast.BinOp, ast.Attribute)):
                aliases.append((line.targets[0].id, line.value))
        elif isinstance(line, ast.AnnAssign) and isinstance(line.target, ast.Name) and line.value is not None:
            aliases += [(line.target.id, line.value)] if _name(line.annotation) == "TypeAlias" else []
    return aliases


def _name(node: ast.expr) -> str:
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    return node.attr if isinstance(node, ast.Attribute) else ""


def _value(node: ast.expr) -> Any:
    try:
        return ast.literal_eval(node)
    except ValueError:
        return None


def _literal(parts: list[ast.expr]) -> Schema:
    values = [_value(part) for part in parts]
    kinds = {type(value) for value in values if value is not None}
    given = [value for value in values if value is not None]
    schema: Schema = {"enum": given}
    if len(kinds) == 1:
        schema = {"type": {str: "string", int: "integer", bool: "boolean"}.get(kinds.pop(), "string"), "enum": given}
    return _union([schema, {"type": "null"}]) if len(given) < len(values) else schema


def _union(schemas: list[Schema]) -> Schema:
    flat: list[Schema] = []
    for schema in schemas:
        flat += [option for option in schema.get("anyOf", [schema]) if option not in flat]
    if {} in flat:
        return {}
    flat.sort(key=lambda option: option.get("type") == "null")
    return flat[0] if len(flat) == 1 else {"anyOf": flat}


def _with_keywords(schema: Schema, keywords: Mapping[str, Any]) -> Schema:
    notes = {name: value for name, value in keywords.items() if name in ("description", "examples", "title")}
    rules = {name: value for name, value in keywords.items() if name not in notes}
    if "anyOf" not in schema:
        return {**schema, **rules, **notes}
    inner = [option if option.get("type") == "null" or not rules else {**option, **rules} for option in schema["anyOf"]]
    return {**schema, "anyOf": inner, **notes}


def input_schema(function: ast.FunctionDef, types: Annotations, notes: Mapping[str, str]) -> Schema:
    """The schema of a method's arguments: unknown ones are refused, those with a default may be left out."""
    arguments = function.args
    if arguments.vararg or arguments.kwarg:
        raise WorldError(f"The tool {function.name!r} takes arguments without names; give each a name and a type.")
    positional = [*arguments.posonlyargs, *arguments.args][1:]
    without = [None] * (len(positional) - len(arguments.defaults))
    parameters: list[tuple[ast.arg, ast.expr | None]] = [
        *zip(positional, [*without, *arguments.defaults], strict=True),
        *zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True),
    ]
    properties: dict[str, Schema] = {}
    required: list[str] = []
    for parameter, default in parameters:
        schema = types.schema(parameter.annotation)
        if default is None:
            required.append(parameter.arg)
        else:
            schema = _with_default(schema, default)
        if parameter.arg in notes:
            schema = {"description": notes[parameter.arg], **schema}
        properties[parameter.arg] = schema
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


def _with_default(schema: Schema, default: ast.expr) -> Schema:
    try:
        value = ast.literal_eval(default)
    except ValueError:
        return schema
    if isinstance(value, (str, int, float, bool, type(None))):
        if value is None and schema.get("type", "null") != "null":
            schema = _union([schema, {"type": "null"}])
        return {**schema, "default": value}
    return schema
