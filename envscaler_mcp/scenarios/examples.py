"""One call of every tool that really works in a state: for documentation, demonstrations and smoke tests."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from envscaler_mcp.artifacts import Environment
from envscaler_mcp.errors import GrowthError
from envscaler_mcp.language.model import Model, Operation, Query
from envscaler_mcp.sampling.arguments import Arguments, RecordPool
from envscaler_mcp.sampling.chance import Chance
from envscaler_mcp.serving.world import World

_DRAWS = 300
_STEPS = 60
"""How far ahead is played to reach a state that permits a change."""


@dataclass(frozen=True, slots=True)
class Example:
    """A call and what it answered."""

    tool: str
    arguments: dict[str, Any]
    result: dict[str, Any]
    first: tuple[tuple[str, dict[str, Any]], ...] = ()
    """Calls that must come before it in the start state."""


def examples(model: Model, environment: Environment, world: World) -> dict[str, Example]:
    """For each tool a call that is done in this world, after others where it must be; the world is as before afterwards."""
    return _Search(model, environment, world).run()


class _Search:
    def __init__(self, model: Model, environment: Environment, world: World) -> None:
        self.model, self.environment, self.world = model, environment, world
        self.chance = Chance(0, f"examples of {model.blueprint.id}")
        asked: dict[str, Operation | Query] = {**model.operations, **model.queries}
        self.arguments = {name: Arguments(operation, model) for name, operation in asked.items()}

    def run(self) -> dict[str, Example]:
        mark = self.world.snapshot()
        examples: dict[str, Example] = {}
        for tool in self.environment.tools:
            example = self._now(tool.name)
            if example is not None:
                examples[tool.name] = example
            self.world.restore(mark)
        for _ in range(3):
            missing = [tool.name for tool in self.environment.tools if tool.name not in examples]
            if missing:
                self._later(missing, examples, mark)
        return {tool.name: examples[tool.name] for tool in self.environment.tools if tool.name in examples}

    def _now(self, tool: str) -> Example | None:
        """A call that is done as things are; one that shows something is better."""
        records = RecordPool(self.world.state())
        if tool not in self.arguments:
            given = _plain(self.model, tool, records)
            outcome = self.world.call(tool, given) if given is not None else None
            return (
                Example(tool, given or {}, outcome.payload) if outcome is not None and outcome.kind == "done" else None
            )
        second: Example | None = None
        for _ in range(_DRAWS):
            given = _drawn(self.arguments[tool], records, self.chance)
            if given is None:
                break
            outcome = self.world.call(tool, given)
            if outcome.kind != "done":
                continue
            second = second or Example(tool, given, outcome.payload)
            if tool in self.model.operations or _tells(outcome.payload):
                return Example(tool, given, outcome.payload)
        return second

    def _later(self, missing: list[str], examples: dict[str, Example], mark: int) -> None:
        """Play on, and look again whether what is missing has become possible."""
        played: list[tuple[str, dict[str, Any]]] = []
        for _ in range(_STEPS):
            step = self._now(self.chance.pick(list(self.model.operations)))
            if step is None:
                continue
            played.append((step.tool, step.arguments))
            if step.tool in missing and step.tool not in examples:
                examples[step.tool] = self._shortest(played[:-1], step, mark)
                self._replay(played, mark)
            if all(name in examples for name in missing):
                break
        self.world.restore(mark)

    def _shortest(self, before: list[tuple[str, dict[str, Any]]], example: Example, mark: int) -> Example:
        """The example with every earlier call left out that it does not need."""
        last = (example.tool, example.arguments)
        needed = list(before)
        for call in list(before):
            fewer = [other for other in needed if other is not call]
            if self._replay([*fewer, last], mark) is not None:
                needed = fewer
        result = self._replay([*needed, last], mark)
        return Example(example.tool, example.arguments, result or example.result, tuple(needed))

    def _replay(self, calls: list[tuple[str, dict[str, Any]]], mark: int) -> dict[str, Any] | None:
        """The last answer, if every call is done again from the start."""
        self.world.restore(mark)
        payload: dict[str, Any] | None = None
        for tool, given in calls:
            outcome = self.world.call(tool, given)
            if outcome.kind != "done":
                return None
            payload = outcome.payload
        return payload


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
