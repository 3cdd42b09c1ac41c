"""Scenarios that begin with words: a task, a plan that a solver finds for it, checks, and the proof of all three."""

from __future__ import annotations

from dataclasses import dataclass, field

import anyio.to_thread

from envscaler_mcp.artifacts import LEVELS, Level, Scenario, State
from envscaler_mcp.errors import GrowthError, Unproven
from envscaler_mcp.llm import Author, UnusableError
from envscaler_mcp.scenarios.splits import split_of
from envscaler_mcp.scenarios.task_first.checks import with_checks
from envscaler_mcp.scenarios.task_first.marking import mark
from envscaler_mcp.scenarios.task_first.solving import Solution, solve
from envscaler_mcp.scenarios.task_first.task_backend import Court, PlanEffects
from envscaler_mcp.scenarios.task_first.tasks import write_task
from envscaler_mcp.scenarios.tasks import BANDS
from envscaler_mcp.serving.determinism import DEFAULT_NOW

_TRIES = 3
"""How many tasks are written for one that ships."""


@dataclass(slots=True)
class AskedTaskMaker:
    """Makes proven scenarios of one environment, one after the other, each unlike those before."""

    author: Author
    court: Court
    shipped: list[str] = field(default_factory=list)
    """The tasks that ship."""
    failed: list[tuple[str, str]] = field(default_factory=list)
    """Those that came to nothing, and why."""

    async def scenario(self, state: State, number: int) -> Scenario:
        """One proven scenario; its level is as many calls as it takes."""
        before = len(self.failed)
        while len(self.failed) < before + _TRIES:
            task = await write_task(self.author, self.court.card, state, self.shipped, self.failed)
            try:
                scenario = await self._proven(task, state, number)
            except (Unproven, UnusableError) as reason:
                self.failed.append((task, str(reason)))
            else:
                self.shipped.append(task)
                return scenario
        why = "; ".join(dict.fromkeys(reason for _, reason in self.failed[before:]))
        raise GrowthError(f"no task of {_TRIES} could be proven at {state.name!r}: {why}")

    async def _proven(self, task: str, state: State, number: int) -> Scenario:
        solution = await solve(self.author, self.court, state, task)
        effects = await anyio.to_thread.run_sync(self.court.effects, solution.calls, state)
        if not effects.facts:
            raise Unproven("nothing is different afterwards")
        today = str(state.content.get("now") or DEFAULT_NOW)[:10]
        spans = await mark(self.author, self.court.card, task, solution.calls, solution.heard, today)
        level = _level(len(solution.calls))
        id_ = f"{self.court.card.id}-{level}-{number:02d}"
        scenario = Scenario(
            provenance=self.author.provenance("write_task", {"state": state}),
            id=id_,
            environment=self.court.card.id,
            code_digest=self.court.card.code_digest,
            state=state.name,
            state_digest=state.digest,
            seed=state.seed,
            level=level,
            task=task,
            spans=spans,
            checks=(),
            frame=effects.frame,
            oracle=tuple(solution.calls),
            threads=(tuple(range(len(solution.calls))),),
            features=self._features(solution, effects),
            split=split_of(self.court.card.id, id_),
        )
        return await with_checks(self.author, self.court, scenario, state, effects)

    def _features(self, solution: Solution, effects: PlanEffects) -> dict[str, int]:
        kinds = {tool.name: tool.effect for tool in self.court.card.tools}
        changes = sum(kinds[call.tool] == "writes" for call in solution.calls)
        calls = len(solution.calls)
        return {
            "calls": calls,
            "reads": calls - changes,
            "changes": changes,
            "threads": 1,
            "facts": len(effects.facts),
        }


def _level(calls: int) -> Level:
    """The level at which tasks take so many calls."""
    for level in LEVELS:
        if calls <= BANDS[level][1]:
            return level
    raise Unproven(f"it takes {calls} calls, more than a task may")
