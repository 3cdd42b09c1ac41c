"""The proof of a task in an environment whose blueprint is known."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

from envscaler_mcp.artifacts import Call, Environment, Scenario
from envscaler_mcp.grading.graders import LocalGrader, WorkerGrader
from envscaler_mcp.language.column_types import Nearby
from envscaler_mcp.language.model import Model
from envscaler_mcp.language.stories import Storybook
from envscaler_mcp.language.types import Type
from envscaler_mcp.sampling.arguments import Arguments, RecordPool
from envscaler_mcp.sandbox.checking import Checker
from envscaler_mcp.scenarios.flow import StoryFlow
from envscaler_mcp.scenarios.heard import PlainFlow
from envscaler_mcp.scenarios.proving import Proving
from envscaler_mcp.scenarios.replay import CallRecording
from envscaler_mcp.serving.local_world import LocalWorld


class Prover(Proving):
    """Proves scenarios of an environment whose blueprint is known."""

    world: LocalWorld

    def __init__(
        self,
        scenario: Scenario,
        model: Model,
        speech: Storybook,
        environment: Environment,
        world: LocalWorld,
        checker: Checker | None = None,
    ) -> None:
        """With a checker, checks that come from a file run in its worker; without one, checks just made run here."""
        self.model, self.speech, self._checker = model, speech, checker
        super().__init__(scenario, environment, world)
        self.arguments = {name: Arguments(operation, model) for name, operation in model.operations.items()}

    def _judge(self) -> LocalGrader:
        if self._checker is not None:
            return WorkerGrader(self.scenario, self.initial, self._checker)
        return LocalGrader.of(self.scenario, self.initial)

    def _look(self) -> dict[str, Any]:
        return self.world.look()

    def _today(self) -> str:
        now: str = self.initial["now"]
        return now

    def _own(self, _container: str) -> str:
        return "id"

    def _containers(self, state: dict[str, Any]) -> list[str]:
        return [entity.container for entity in self.model.entities.values() if state[entity.container]]

    def _references(self, call: Call) -> Iterator[tuple[str, str]]:
        for param in self.model.operations[call.tool].params:
            if param.type.kind == "ref" and isinstance(call.arguments.get(param.argument), str):
                yield param.argument, self.model.entities[param.type.entity].container

    def _plain_arguments(self, call: Call) -> Iterator[tuple[str, Type, Nearby]]:
        references = {name for name, _ in self._references(call)}
        for param in self.model.operations[call.tool].params:
            if param.argument not in references:
                entity, attribute = self.arguments[call.tool].kept_in.get(param.name, ("", ""))
                observed = self._observed(entity, attribute) if entity else ()
                type_ = param.type if param.default is None else param.type.maybe
                yield param.argument, type_, self._nearby.beside(observed)

    def _field(self, container: str, field: str) -> tuple[Type, Nearby]:
        entity = next(entity for entity in self.model.entities.values() if entity.container == container)
        attribute = next(stored for stored in entity.stored if stored.key == field)
        return attribute.type, self._nearby.beside(self._observed(entity.name, attribute.name))

    @property
    def _nearby(self) -> Nearby:
        return Nearby(self._today()[:10], self._ids)

    def _ids(self, entity: str) -> Collection[str]:
        ids: Collection[str] = self.initial[self.model.entities[entity].container]
        return ids

    def _observed(self, entity: str, attribute: str) -> list[Any]:
        """What records hold in an attribute."""
        declared = self.model.entities[entity]
        key = declared.attributes[attribute].key
        return [record[key] for record in self.initial[declared.container].values()]

    def _drawn(self, state: dict[str, Any]) -> Iterator[Call | None]:
        records = RecordPool(state)
        while True:
            name = self.chance.pick(list(self.arguments))
            arguments = self.arguments[name].draw(records, self.chance)
            yield None if arguments is None else Call(tool=name, arguments=arguments)

    def _elsewhere(self) -> LocalWorld:
        twin = self.world.fork()
        shifted = twin.state()
        shifted["counters"] = {noun: number + 17 for noun, number in shifted["counters"].items()}
        twin.close()
        return type(self.world).open(self.world.code, shifted, 0)

    def _flow(self, recording: CallRecording) -> Iterator[str]:
        """Where each argument of a change is known from; where the stories are known, by what they ask for."""
        try:
            if self.scenario.conversation is not None:
                yield from StoryFlow(self.scenario, self.model, self.speech, self.effects, self.world).lines()
            else:
                ids = {key for container in self._containers(self.initial) for key in self.initial[container]}
                yield from PlainFlow(self.scenario, self.effects, ids).lines(recording, self.world)
        finally:
            self._back()
