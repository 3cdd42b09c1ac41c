"""One call of every tool that really works in a state: for documentation, demonstrations and smoke tests."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from envscaler_mcp.artifacts import Environment
from envscaler_mcp.errors import GrowthError
from envscaler_mcp.language.model import Model
from envscaler_mcp.scenarios.arguments import Arguments
from envscaler_mcp.scenarios.chance import Chance
from envscaler_mcp.serving.world import World

_DRAWS = 600


@dataclass(frozen=True, slots=True)
class Example:
    """A call and what it answered."""

    tool: str
    arguments: dict[str, Any]
    result: dict[str, Any]


def examples(model: Model, environment: Environment, world: World) -> dict[str, Example]:
    """For each tool a call that is done in this world; the world is as before afterwards.

    A change that nothing in the state permits has no example.
    """
    chance = Chance(0, f"examples of {model.blueprint.id}")
    records = _Records(world.state())
    found: dict[str, Example] = {}
    mark = world.snapshot()
    for tool in environment.tools:
        asked = model.operations.get(tool.name) or model.queries.get(tool.name)
        arguments = Arguments(asked, model) if asked is not None else None
        for _ in range(_DRAWS if arguments is not None else 1):
            given = _plain(model, tool.name, records) if arguments is None else _drawn(arguments, records, chance)
            if given is None:
                break
            outcome = world.call(tool.name, given)
            if outcome.kind == "done" and (_tells(outcome.payload) or arguments is None or tool.name in model.operations):
                found[tool.name] = Example(tool.name, given, outcome.payload)
                break
            if outcome.kind == "done":
                found.setdefault(tool.name, Example(tool.name, given, outcome.payload))
        world.restore(mark)
    return found


class _Records:
    """A state with its containers as attributes, as the drawing of arguments reads it."""

    def __init__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)


def _drawn(arguments: Arguments, records: Any, chance: Chance) -> dict[str, Any] | None:
    try:
        return arguments.draw(records, chance)
    except GrowthError:
        # A text that only the author could choose, and nothing was said.
        return None


def _plain(model: Model, tool: str, records: Any) -> dict[str, Any] | None:
    """Arguments for a read that follows from an entity."""
    for entity in model.entities.values():
        ids = list(getattr(records, entity.container))
        if tool == f"get_{entity.noun}":
            return {f"{entity.noun}_id": ids[0]} if ids else None
        if tool == f"find_{entity.container}":
            key = entity.attributes[entity.label].key if entity.label != "id" else "id"
            argument = key if key != "id" else f"{entity.noun}_id"
            return {argument: str(getattr(records, entity.container)[ids[-1]][key]).split()[0]} if ids else None
    return {}


def _tells(payload: dict[str, Any]) -> bool:
    """Whether an answer shows something."""
    data = payload.get("data")
    return not (isinstance(data, dict) and data.get("total") == 0)
