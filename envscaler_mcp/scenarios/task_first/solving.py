"""A plan for a task, found by a model that plays it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import anyio.to_thread

from envscaler_mcp.artifacts import Call, State
from envscaler_mcp.artifacts.episode import COMPLETED
from envscaler_mcp.errors import Unproven
from envscaler_mcp.llm import Author, bullets
from envscaler_mcp.scenarios.shapes import shown_in
from envscaler_mcp.scenarios.task_first.task_backend import Court

_TURNS = 40


@dataclass(slots=True)
class Solution:
    """What a solver did that was done, and what it was shown."""

    calls: list[Call] = field(default_factory=list)
    heard: set[str] = field(default_factory=set)


async def solve(author: Author, court: Court, state: State, task: str) -> Solution:
    """The calls that a solver made until it said that everything is done."""
    solution = Solution()
    world = await anyio.to_thread.run_sync(court.opened, state)

    async def perform(tool: str, arguments: dict[str, Any]) -> str:
        outcome = await anyio.to_thread.run_sync(world.call, tool, arguments)
        if outcome.kind == "done":
            # Many models spell out that they leave an argument out.
            given = {name: value for name, value in arguments.items() if value is not None}
            solution.calls.append(Call(tool=tool, arguments=given))
            solution.heard |= shown_in(outcome.payload)
        return json.dumps(outcome.payload, ensure_ascii=False)

    try:
        ended = await author.act(
            "solve_task",
            court.card.tools,
            perform,
            _TURNS,
            introduction=court.card.introduction,
            rules=bullets(court.card.rules),
            task=task,
        )
    finally:
        await anyio.to_thread.run_sync(world.close)
    if ended.how != "said" or COMPLETED not in ended.text:
        ending = f"says {ended.text[:200]!r}" if ended.text else f"is not done after {ended.turns} turns"
        raise Unproven(f"the solver {ending}")
    solution.calls = await anyio.to_thread.run_sync(_needed, court, state, solution.calls)
    return solution


def _needed(court: Court, state: State, calls: Sequence[Call]) -> list[Call]:
    """The plan without what makes no difference: reads made again, and changes without which it ends the same."""
    effects = {tool.name: tool.effect for tool in court.card.tools}
    needed: list[Call] = []
    since: list[Call] = []
    for call in calls:
        if effects[call.tool] == "writes":
            since = []
        elif call in since:
            continue
        else:
            since.append(call)
        needed.append(call)
    form = court.effects(needed, state).form
    for call in [call for call in reversed(needed) if effects[call.tool] == "writes"]:
        place = len(needed) - 1 - needed[::-1].index(call)
        without = needed[:place] + needed[place + 1 :]
        if court.effects(without, state).form == form:
            needed = without
    return needed
