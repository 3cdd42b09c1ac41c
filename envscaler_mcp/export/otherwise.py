"""What an imported environment does otherwise than the published runtime, in plain words."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from envscaler_mcp.artifacts import Environment, Scenario
from envscaler_mcp.export.upstream_environment import published_functions
from envscaler_mcp.serving.parsing import parsed_module
from envscaler_mcp.serving.tools import environment_class

ALWAYS = (
    "What a call changed is undone where it is refused, raises, or its result is not of the published shape; there it stays.",
    "A call that raises is an error after which the episode goes on; there it ends the episode with reward 0.",
    "Arguments are checked against the annotations of the class before a call is made; there they are handed on as they are.",
    "Only the tools of the class can be called; there any attribute of the instance can, private methods and __init__ too.",
    "Agents read results as JSON; there they read them as Python prints them.",
    "Private attributes and init_config are no part of the state that checks see; there they are.",
    "Words that are not 'Task Completed' do not end a task; there any words do.",
    "All calls of a turn are made; there only the first.",
)
"""True of every environment that is not imported faithfully."""

FAITHFUL = (
    "Time and chance inside the class are the world's own, from its seed, so that episodes can be repeated.",
    "Code and checks run in a worker with limits of time, memory and output; what goes over them is ended.",
    "Of the traceback after an exception the first and the last line are told; the others name files of a machine.",
)
"""What remains where it is."""


def of_environment(card: Environment, item: Mapping[str, Any]) -> tuple[str, ...]:
    """For one environment: what always is so, and what its own code and metadata make of it."""
    if card.origin == "published":
        return FAITHFUL
    return (*ALWAYS, *FAITHFUL[:2], *_narrower_tools(card, item), *_not_offered(card, item))


def _narrower_tools(card: Environment, item: Mapping[str, Any]) -> Iterator[str]:
    published = {function["name"]: function.get("parameters") for function in published_functions(item)}
    names = [
        tool.name
        for tool in card.tools
        if tool.name in published and _types(tool.input_schema) != _types(published[tool.name])
    ]
    if names:
        yield f"The schema of arguments is another than the published one: {', '.join(names)}."


def _types(schema: object) -> dict[str, Any]:
    """What a schema says of each argument, as far as published ones say it: its type, and whether it is needed."""
    described = schema if isinstance(schema, dict) else {}
    properties = described.get("properties")
    required = described.get("required")
    return {
        name: (
            argument.get("type") if isinstance(argument, dict) else None,
            isinstance(required, list) and name in required,
        )
        for name, argument in (properties.items() if isinstance(properties, dict) else ())
    }


def _not_offered(card: Environment, item: Mapping[str, Any]) -> Iterator[str]:
    names = [function["name"] for function in published_functions(item)]
    if not names:
        return
    more = [tool.name for tool in card.tools if tool.name not in names]
    if more:
        yield f"Tools are offered that the metadata does not offer: {', '.join(more)}."
    less = [name for name in names if card.tool(name) is None]
    if less:
        yield f"Tools that the metadata offers are not in the class, and not offered: {', '.join(less)}."


def of_scenario(scenario: Scenario, source: str, card: Environment, class_name: str) -> tuple[str, ...]:
    """For one scenario: what its checks read and what it begins with, as far as that is otherwise here."""
    differences: list[str] = []
    if class_name and class_name != card.class_name:
        differences.append(f"It names the class {class_name!r}; {card.class_name!r} of its environment is run.")
    if card.origin == "published":
        return tuple(differences)
    private = {name for name in _attributes(source, card.class_name) if name.startswith("_")} | {"init_config"}
    read = sorted(name for name in private if any(_names(check.check_func, name) for check in scenario.checks))
    if read:
        differences.append(f"Its checks read {', '.join(read)}, which is no part of the state here.")
    return tuple(differences)


def _attributes(source: str, class_name: str) -> set[str]:
    node = environment_class(parsed_module(source), class_name)
    return {
        inner.attr
        for inner in ast.walk(node)
        if isinstance(inner, ast.Attribute) and isinstance(inner.value, ast.Name) and inner.value.id == "self"
    }


def _names(source: str, name: str) -> bool:
    return f"'{name}'" in source or f'"{name}"' in source


def listed(lines: Sequence[str]) -> str:
    """The lines as a list."""
    return "\n".join(f"  - {line}" for line in lines)
