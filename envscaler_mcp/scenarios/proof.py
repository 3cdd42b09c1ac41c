"""The proof of a task in an environment whose blueprint is known."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from envscaler_mcp.artifacts import Call, Environment, Scenario
from envscaler_mcp.drawing.arguments import Arguments, Records
from envscaler_mcp.language.model import Model
from envscaler_mcp.sandbox.checking import Checker
from envscaler_mcp.scenarios.judges import CheckerJudge, Judge, Unproven
from envscaler_mcp.scenarios.proving import Proving
from envscaler_mcp.scenarios.replay import Recording
from envscaler_mcp.scenarios.shapes import leaves
from envscaler_mcp.serving.local_world import LocalWorld


class Prover(Proving):
    """Proves scenarios of an environment whose blueprint is known."""

    world: LocalWorld

    def __init__(
        self,
        scenario: Scenario,
        model: Model,
        environment: Environment,
        world: LocalWorld,
        checker: Checker | None = None,
    ) -> None:
        """With a checker, checks that come from a file run in its worker; without one, checks just made run here."""
        self.model, self._checker = model, checker
        super().__init__(scenario, environment, world)
        self.arguments = {name: Arguments(operation, model) for name, operation in model.operations.items()}

    def _judge(self) -> Judge:
        if self._checker is not None:
            return CheckerJudge(self.scenario, self.initial, self._checker)
        return Judge.of(self.scenario, self.initial)

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

    def _plain_arguments(self, call: Call) -> Iterator[tuple[str, Sequence[str]]]:
        for param in self.model.operations[call.tool].params:
            yield param.argument, param.type.options

    def _drawn(self, state: dict[str, Any]) -> Iterator[Call | None]:
        records = Records(state)
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

    def _flow(self, recording: Recording) -> Iterator[str]:
        """Where each argument of a change is known from: an earlier answer, or the words."""
        heard: set[str] = set()
        for number, call in enumerate(recording.calls):
            for name, value in sorted(call.arguments.items()):
                for leaf in leaves(value):
                    known = "an answer" if str(leaf) in heard else "the words"
                    if known == "the words" and _is_id(leaf, self.model):
                        raise Unproven(f"{call.tool} needs {leaf}, which no answer showed")
                    if self.effects[call.tool] == "writes":
                        yield f"{number + 1}. {call.tool}.{name}: {known}"
            heard |= {str(leaf) for leaf in leaves(self.world.call(call.tool, call.arguments).payload)}
        self._back()


def _is_id(value: Any, model: Model) -> bool:
    return isinstance(value, str) and any(value.startswith(f"{e.prefix}-") for e in model.entities.values())
