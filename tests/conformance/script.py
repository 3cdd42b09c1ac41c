"""Four calls that every client makes, and what they answer when nothing lies between caller and world."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from envscaler_mcp.artifacts import Environment
from envscaler_mcp.language import check_blueprint, read_blueprint
from envscaler_mcp.launch.opening import open_folder
from envscaler_mcp.scenarios import examples
from envscaler_mcp.trust import load_code


@dataclass(frozen=True, slots=True)
class Call:
    """One call and the text of its answer."""

    tool: str
    arguments: dict[str, Any]
    text: str
    is_error: bool


@dataclass(frozen=True, slots=True)
class Script:
    """A query, a change, a call that the world refuses and one that no world sees."""

    environment: Environment
    calls: tuple[Call, ...]


def script_for(folder: Path) -> Script:
    """Calls that fit the start state of the environment in this folder."""
    model = check_blueprint(read_blueprint(folder / "blueprint.yaml")).model
    assert model is not None
    world = open_folder(folder, load_code(folder))
    found = examples(model, world.environment, world)
    effects = {tool.name: tool.effect for tool in world.environment.tools}
    now = {name: example for name, example in found.items() if not example.first}
    query = next(one for name, one in now.items() if effects[name] == "reads" and one.arguments)
    change = next(one for name, one in now.items() if effects[name] == "writes")
    words = [name for name, value in change.arguments.items() if isinstance(value, str) and name.endswith("_id")]
    asked: list[tuple[str, dict[str, Any]]] = [
        (query.tool, query.arguments),
        (change.tool, change.arguments),
        (change.tool, {**change.arguments, words[0]: "NOBODY-00000"}),
        (query.tool, {**query.arguments, "colour": "red"}),
    ]
    world = open_folder(folder, load_code(folder))
    calls: list[Call] = []
    for tool, arguments in asked:
        outcome = world.call(tool, arguments)
        calls.append(Call(tool, arguments, outcome.text, outcome.is_error))
    assert [call.is_error for call in calls] == [False, False, True, True]
    return Script(world.environment, tuple(calls))
