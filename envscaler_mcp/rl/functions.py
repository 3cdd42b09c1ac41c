"""Tools as typed Python functions with docstrings, for programs that read signatures instead of schemas."""

from __future__ import annotations

import keyword
from collections.abc import Awaitable, Callable, Iterable, Mapping
from inspect import Parameter, Signature
from typing import Any, Literal, Optional, Union, cast

from envscaler_mcp.artifacts import Tool
from envscaler_mcp.errors import WorldError

Call = Callable[[str, dict[str, Any]], str]
"""Calls a tool by its name and arguments."""


def functions_of(tools: Iterable[Tool], call: Call) -> list[Callable[..., str]]:
    """A function for each tool, which calls it."""
    return [tool_function(tool, lambda name, arguments: str(call(name, arguments))) for tool in tools]


def async_functions_of(
    tools: Iterable[Tool], call: Callable[[str, dict[str, Any]], Awaitable[str]]
) -> list[Callable[..., Awaitable[str]]]:
    """The same for `async` programs: coroutine functions."""
    return [_async_function(tool, call) for tool in tools]


def _async_function(tool: Tool, call: Callable[[str, dict[str, Any]], Awaitable[str]]) -> Callable[..., Awaitable[str]]:
    parameters, names = _parameters(tool)
    signature = Signature(parameters, return_annotation=str)

    async def function(*positional: Any, **named: Any) -> str:
        return str(await call(tool.name, _arguments(signature, names, positional, named)))

    return cast(Callable[..., Awaitable[str]], _described(cast(Any, function), tool, signature, names))


def tool_function(tool: Tool, call: Call) -> Callable[..., str]:
    """The tool as a function: no code is made of its texts, so that it may come from anywhere."""
    parameters, names = _parameters(tool)
    signature = Signature(parameters, return_annotation=str)

    def function(*positional: Any, **named: Any) -> str:
        return call(tool.name, _arguments(signature, names, positional, named))

    return _described(function, tool, signature, names)


def tool_method(tool: Tool, call: Callable[[Any, str, dict[str, Any]], str]) -> Callable[..., str]:
    """The same as a method of a class; `call` gets the instance first."""
    parameters, names = _parameters(tool)
    bound = Signature(parameters, return_annotation=str)
    own = Signature([Parameter("self", Parameter.POSITIONAL_OR_KEYWORD), *parameters], return_annotation=str)

    def method(self: Any, /, *positional: Any, **named: Any) -> str:
        return call(self, tool.name, _arguments(bound, names, positional, named))

    return _described(method, tool, own, names)


def _arguments(
    signature: Signature, names: Mapping[str, str], positional: tuple[Any, ...], named: Mapping[str, Any]
) -> dict[str, Any]:
    """The arguments of the tool. What is missing or unknown among named ones is for the world to refuse in a sentence."""
    given = {**signature.bind_partial(*positional).arguments, **named} if positional else named
    return {names.get(name, name): value for name, value in given.items()}


def _described(
    function: Callable[..., str], tool: Tool, signature: Signature, names: Mapping[str, str]
) -> Callable[..., str]:
    # What a program reads of a function is its signature, its annotations, its name and its docstring.
    made = cast(Any, function)
    made.__signature__ = signature
    made.__annotations__ = {
        parameter.name: parameter.annotation for parameter in signature.parameters.values() if parameter.name in names
    } | {"return": str}
    made.__name__ = made.__qualname__ = python_name(tool.name)
    made.__doc__ = _docstring(tool, names)
    return function


def python_name(name: str) -> str:
    """A name as Python takes one: an argument may be called `from`, and a tool of another author anything."""
    if not name.isidentifier():
        name = "".join(letter if letter.isalnum() or letter == "_" else "_" for letter in name)
        name = name if name.isidentifier() else f"_{name}"
    return f"{name}_" if keyword.iskeyword(name) else name


def _parameters(tool: Tool) -> tuple[list[Parameter], dict[str, str]]:
    """The parameters, required ones first, and which argument of the tool each is."""
    properties: Mapping[str, Mapping[str, Any]] = tool.input_schema.get("properties", {})
    required = frozenset(tool.input_schema.get("required", ()))
    names: dict[str, str] = {}
    parameters = []
    for name in sorted(properties, key=lambda name: name not in required):
        schema, own = properties[name], python_name(name)
        if own in names:
            raise WorldError(f"Two arguments of the tool {tool.name!r} have one name in Python: {own!r}.")
        names[own] = name
        type_ = type_of(schema)
        default: Any = Parameter.empty
        if name not in required:
            default = schema.get("default")
            if default is None:
                type_ = Optional[type_]  # noqa: UP045 - the type is a value here
        parameters.append(Parameter(own, Parameter.POSITIONAL_OR_KEYWORD, default=default, annotation=type_))
    return parameters, names


def type_of(schema: Mapping[str, Any]) -> Any:
    """The Python type of the values that a schema admits; Any where it says none that Python has."""
    try:
        return _type_of(schema)
    except (TypeError, AttributeError, RecursionError):
        # The schema is another author's: an empty anyOf, several types in a list, items that are true or false.
        return Any


def _type_of(schema: Mapping[str, Any]) -> Any:
    if "anyOf" in schema:
        return Union[tuple(type_of(option) for option in schema["anyOf"])]  # noqa: UP007 - the types are values here
    if schema.get("enum"):
        choices = tuple(schema["enum"])
        return Literal[choices] if all(isinstance(choice, _CHOICES) for choice in choices) else Any
    kind = schema.get("type")
    if kind == "array":
        return list[type_of(schema.get("items", {}))]  # type: ignore[misc]
    if kind == "object":
        return dict[str, Any]
    scalars: dict[Any, Any] = {"string": str, "integer": int, "number": float, "boolean": bool, "null": type(None)}
    return scalars.get(kind, Any)


_CHOICES = (str, int, float, type(None))


def _docstring(tool: Tool, names: Mapping[str, str]) -> str:
    """Google's style, which trainers read schemas from; each argument has one line."""
    properties: Mapping[str, Mapping[str, Any]] = tool.input_schema.get("properties", {})
    lines = [_one_line(tool.description) or python_name(tool.name)]
    if names:
        lines += ["", "Args:", *(f"    {own}: {_about(name, properties[name])}" for own, name in names.items())]
    return "\n".join([*lines, "", "Returns:", "    The answer as JSON; a call that is refused says why.", ""])


def _about(name: str, schema: Mapping[str, Any]) -> str:
    described = schema.get("description")
    return _one_line(described) if isinstance(described, str) and described.strip() else name.replace("_", " ")


def _one_line(text: str) -> str:
    return " ".join(text.split())
