"""Which clauses of the tasks of a home decide something."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import closing
from typing import get_args

from envscaler_mcp.artifacts import LEVELS, Scenario
from envscaler_mcp.errors import Unproven
from envscaler_mcp.launch.opening import state_of
from envscaler_mcp.scenarios.clauses import NOT_PLAYED, ClauseKind, ClausesOfTask, Tally
from envscaler_mcp.scenarios.flow import StoryFlow
from envscaler_mcp.serving.code import EnvironmentCode
from envscaler_mcp.serving.world import open_world
from envscaler_mcp.stats.reading import Holding
from envscaler_mcp.stats.statistic import MeasuredTable


def clauses_in(holding: Holding, code: EnvironmentCode, scenario: Scenario) -> Tally:
    """The clauses of one task; none where its stories are not known, or its code may not run inside this process."""
    tally: Tally = Tally()
    if not code.trusted or holding.model is None or scenario.conversation is None:
        return tally
    start = state_of(holding.folder, code, scenario)
    effects = {tool.name: tool.effect for tool in holding.environment.tools}
    with closing(open_world(code, start.content, start.seed)) as world:
        try:
            stories = StoryFlow(scenario, holding.model, holding.speech, effects, world).stories
            of_task = ClausesOfTask(holding.model, world)
            for story, names in stories:
                tally += of_task.tally(story, names)
        except (Unproven, *NOT_PLAYED):
            # Start state and task may be a stranger's, and fit no story at all.
            return tally
    return tally


def idle_share(tally: Tally) -> float:
    """The share of the clauses that decide nothing, from 0 to 1."""
    return sum(many for (_, decides), many in tally.items() if not decides) / (tally.total() or 1)


def by_kind(scenarios: Iterable[tuple[str, Tally]]) -> MeasuredTable:
    """Clauses that decide nothing, of how many, by kind and level."""
    levels: dict[str, Tally] = {level: Tally() for level in LEVELS}
    for level, tally in scenarios:
        levels[level] += tally
    rows = tuple(
        (kind, *(f"{tally[kind, False]} of {tally[kind, False] + tally[kind, True]}" for tally in levels.values()))
        for kind in get_args(ClauseKind)
    )
    return MeasuredTable(("idle clauses", *levels), rows)
