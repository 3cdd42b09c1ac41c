"""Which goals of a conversation are done: told from the checks that each goal's own calls make true."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from envscaler_mcp.artifacts import Scenario
from envscaler_mcp.sandbox.isolation import open_isolated
from envscaler_mcp.serving import EnvironmentCode, World, open_world

Answers = Callable[[Mapping[str, Any]], Sequence[bool]]
"""What each check of the scenario says of a state."""


class Progress:
    """The goals of one scenario, in their order."""

    def __init__(self, checks_of_goals: Sequence[frozenset[int]], answers: Answers) -> None:
        self._checks_of_goals = checks_of_goals
        self._answers = answers

    @classmethod
    def of(cls, scenario: Scenario, code: EnvironmentCode, initial: Mapping[str, Any], answers: Answers) -> Progress:
        """Play the solution goal by goal, in a world that nobody else sees, and note what turns true with each."""
        world: World = (open_world if code.trusted else open_isolated)(code, initial, scenario.seed)
        try:
            owned: list[frozenset[int]] = []
            before = frozenset(_true(answers(initial)))
            for thread in scenario.threads or (tuple(range(len(scenario.oracle))),):
                for place in thread:
                    call = scenario.oracle[place]
                    world.call(call.tool, call.arguments)
                after = frozenset(_true(answers(world.state())))
                owned.append(after - before)
                before = after
        finally:
            world.close()
        # A check that a later goal makes false again says nothing about the goal that made it true.
        return cls([checks & before for checks in owned], answers)

    def done(self, state: Mapping[str, Any]) -> list[bool]:
        """For each goal, whether everything that it changes is so now."""
        true = frozenset(_true(self._answers(state)))
        return [checks <= true for checks in self._checks_of_goals]


def _true(answers: Sequence[bool]) -> list[int]:
    return [number for number, answer in enumerate(answers) if answer]
