"""Proofs for environments without a blueprint; neither their code nor a check runs in this process."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from envscaler_mcp.artifacts import Call, Frame, Scenario, StateDiff
from envscaler_mcp.grading.graders import LocalGrader, WorkerGrader
from envscaler_mcp.language.column_types import Nearby
from envscaler_mcp.language.types import Type
from envscaler_mcp.sampling.offers import Offers, containers, plain, told_options
from envscaler_mcp.sandbox.checking import Checker
from envscaler_mcp.scenarios.heard import PlainFlow
from envscaler_mcp.scenarios.intended_effects import Wishes
from envscaler_mcp.scenarios.observed_types import type_of_schema, type_of_values
from envscaler_mcp.scenarios.proving import Proving
from envscaler_mcp.scenarios.replay import CallRecording, record
from envscaler_mcp.scenarios.shapes import Shapes, leaves
from envscaler_mcp.scenarios.trying import Guesses
from envscaler_mcp.serving.code import EnvironmentCode
from envscaler_mcp.serving.determinism import DEFAULT_NOW
from envscaler_mcp.serving.formats import is_minute
from envscaler_mcp.serving.world import World

Opener = Callable[[EnvironmentCode, Mapping[str, Any], int], World]
"""Opens a world at a state with a seed."""
_LATER = timedelta(minutes=7)
_SHIFT = 17


def wishes_of(
    code: EnvironmentCode, calls: Sequence[Call], world: World, state: Mapping[str, Any], seed: int, opener: Opener
) -> tuple[Wishes, StateDiff]:
    """What a plan can have been made for, and all that it changed; the world is as before."""
    mark = world.snapshot()
    recording = record(world, calls)
    diff = world.diff_since(mark)
    world.restore(mark)
    given = frozenset(
        key
        for call, made in zip(calls, recording.created, strict=True)
        for key in made
        if key in leaves(call.arguments)
    )
    twin = opener(code, state, seed + 1)
    try:
        now = state.get("now")
        start = datetime.fromisoformat(now if isinstance(now, str) and is_minute(now) else DEFAULT_NOW)
        twin.set_clock((start + _LATER).isoformat(timespec="minutes"))
        before = twin.snapshot()
        names: dict[str, str] = {}
        recording.play(twin, range(len(calls)), names)
        other = twin.diff_since(before)
    finally:
        twin.close()
    return Wishes.of(diff, other, {there: here for here, there in names.items()}, given), diff


class WrittenProver(Proving):
    """Proves scenarios of a class that is not compiled."""

    def __init__(
        self,
        scenario: Scenario,
        code: EnvironmentCode,
        world: World,
        opener: Opener,
        checker: Checker,
        wishes: Wishes | None = None,
    ) -> None:
        self._checker, self._code, self._opener = checker, code, opener
        super().__init__(scenario, code.environment, world)
        if wishes is None:
            wishes, _ = wishes_of(code, scenario.oracle, world, self.initial, scenario.seed, opener)
        self.wishes = wishes
        self.shapes = self._shapes = Shapes(self.initial)
        self._offers = Offers(self.initial, {})
        self._guesses = Guesses(code.environment.tools, self.chance)
        self._schemas = {tool.name: tool.input_schema["properties"] for tool in code.environment.tools}

    def _judge(self) -> LocalGrader:
        return WorkerGrader(self.scenario, self.initial, self._checker)

    def _frame(self, diff: StateDiff) -> Frame:
        return self.wishes.frame(diff)

    def _form(self, diff: StateDiff) -> str:
        return self.wishes.form(diff)

    def _look(self) -> dict[str, Any]:
        return self.world.state()

    def _today(self) -> str:
        return self._offers.today

    def _own(self, container: str) -> str:
        return self._shapes.own(container)

    def _containers(self, state: dict[str, Any]) -> list[str]:
        return [
            name
            for name, records in containers(state).items()
            if all(set(record) - {self._own(name)} for record in records.values())
        ]

    def _references(self, call: Call) -> Iterator[tuple[str, str]]:
        for name, value in sorted(call.arguments.items()):
            if isinstance(value, str) and value in self.shapes.home:
                named = self._offers.container(call.tool, name)
                yield name, named if self.shapes.has(named, value) else self.shapes.home[value]

    def _plain_arguments(self, call: Call) -> Iterator[tuple[str, Type, Nearby]]:
        references = {name for name, _ in self._references(call)}
        for name, schema in sorted(self._schemas[call.tool].items()):
            if name not in references and name in call.arguments:
                observed = [
                    value for value in (call.arguments[name], *self._offers.stored_values(name)) if value is not None
                ]
                yield name, type_of_schema(schema, observed, self.shapes), self._nearby.beside(observed)

    def _field(self, container: str, field: str) -> tuple[Type, Nearby]:
        records = {**self.initial.get(container, {}), **self._shapes.containers.get(container, {})}
        observed = [record[field] for record in records.values() if record.get(field) is not None]
        return type_of_values(observed, self._shapes), self._nearby.beside(observed)

    @property
    def _nearby(self) -> Nearby:
        return Nearby(self._today(), lambda container: self._shapes.containers.get(container, {}))

    def _listed(self, tool: str, name: str) -> tuple[Any, ...]:
        schema = self._schemas[tool][name]
        return tuple(plain(schema).get("enum", ())) or told_options(schema)

    def _drawn(self, state: dict[str, Any]) -> Iterator[Call | None]:
        while True:
            yield self._guesses.any(state)

    def _elsewhere(self) -> World:
        shifted = {
            name: value + _SHIFT if name in self.wishes.free and type(value) is int else value
            for name, value in self.initial.items()
        }
        world = self._opener(self._code, shifted, self.scenario.seed + 1)
        mark = world.snapshot()
        if all(world.call(call.tool, call.arguments).kind == "done" for call in self._independent()):
            world.restore(mark)
            return world
        world.close()
        return self._opener(self._code, self.initial, self.scenario.seed + 1)

    def _independent(self) -> list[Call]:
        """Calls that name nothing but what was there."""
        return [call for call in self.scenario.oracle[:1] if self.effects[call.tool] == "writes"]

    def _turned(self, recording: CallRecording) -> list[list[Call]]:
        """Only where the order means nothing to the class."""
        wanted = self._end_of(recording.calls)
        return [calls for calls in super()._turned(recording) if self._end_of(calls) == wanted]

    def _end_of(self, calls: Sequence[Call]) -> str:
        for call in calls:
            self.world.call(call.tool, call.arguments)
        form = self._form(self.world.diff_since(self.mark))
        self._back()
        return form

    def _changed_ends(self, final: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
        self._shapes = Shapes(
            {**self.initial, **{name: {**self.initial[name], **added} for name, added in _new(self.initial, final)}}
        )
        yield from super()._changed_ends(final)
        for container, keys in self.frame.deleted.items():
            for key in keys:
                back = self.initial[container][key]
                yield "removed record back", f"{container}.{key}", {**final, container: {**final[container], key: back}}
        for path in self.frame.scalars:
            name, _, entry = path.partition(".")
            if self.wishes.lets(path) or name not in self.initial:
                continue
            before = self.initial[name]
            if entry:
                before = {**final[name], entry: before.get(entry)} if isinstance(before, dict) else before
            yield "fact undone", path, {**final, name: before}

    def _flow(self, recording: CallRecording) -> Iterator[str]:
        flow = PlainFlow(self.scenario, self.effects, self.shapes.home, self.wishes.given, self._listed)
        yield from flow.lines(recording, self.world)
        self._back()


def _new(initial: dict[str, Any], final: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for name, records in containers(final).items():
        before = initial.get(name)
        if isinstance(before, dict):
            yield name, {key: record for key, record in records.items() if key not in before}
