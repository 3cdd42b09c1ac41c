"""How far the goals of a conversation are: told from the checks that each goal's own calls make true."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import anyio.to_thread

from envscaler_mcp.artifacts import Scenario
from envscaler_mcp.sandbox.isolation import open_isolated
from envscaler_mcp.serving import EnvironmentCode, World, open_world

Answers = Callable[[Mapping[str, Any]], Sequence[bool]]
"""What each check of the scenario says of a state."""
ChecksOfGoals = tuple[frozenset[int], ...]


@dataclass(frozen=True, slots=True)
class GoalProgress:
    """The goals of one scenario, in their order."""

    checks_of_goals: ChecksOfGoals
    answers: Answers

    async def now(self, look: Callable[[], Awaitable[Mapping[str, Any]]]) -> list[frozenset[int] | None]:
        """The same of the state as it is now. Checks are waited for in a thread."""
        return await anyio.to_thread.run_sync(self.left, await look())

    def left(self, state: Mapping[str, Any]) -> list[frozenset[int] | None]:
        """For each goal, its checks that do not hold now; nothing where no state tells whether it is done."""
        true = _true(self.answers(state))
        return [checks - true if checks else None for checks in self.checks_of_goals]


def checks_of_goals(
    scenario: Scenario, code: EnvironmentCode, initial: Mapping[str, Any], answers: Answers
) -> ChecksOfGoals:
    """What turns true with each goal, when the solution is played goal by goal in a world of its own."""
    world: World = (open_world if code.trusted else open_isolated)(code, initial, scenario.seed)
    try:
        return goals_played(scenario, world.call, lambda: answers(world.state()))
    finally:
        world.close()


def goals_played(
    scenario: Scenario, call: Callable[[str, dict[str, Any]], object], answers: Callable[[], Sequence[bool]]
) -> ChecksOfGoals:
    """The same in a world that is at the scenario's start, given how it is called and what its checks say."""
    goals = len(scenario.conversation.goals) if scenario.conversation is not None else 0
    threads = scenario.threads or (tuple(range(len(scenario.oracle))),)
    first = answers()
    before = _true(first)
    if not scenario.oracle or len(threads) != max(goals, 1):
        # Which check belongs to which goal is not known: all must hold when the last goal is done.
        return (*[frozenset[int]()] * (goals - 1), frozenset(range(len(first))) - before)
    owned = []
    for thread in threads:
        for place in thread:
            call(scenario.oracle[place].tool, scenario.oracle[place].arguments)
        after = _true(answers())
        owned.append(after - before)
        before = after
    # A check that a later goal makes false again says nothing about the goal that made it true.
    return tuple(checks & before for checks in owned)


def _true(answers: Sequence[bool]) -> frozenset[int]:
    return frozenset(number for number, answer in enumerate(answers) if answer)
