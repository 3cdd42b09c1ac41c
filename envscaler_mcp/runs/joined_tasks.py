"""Several tasks as one scenario: the agent is told all of them, and the oracle knows the solutions of all."""

from __future__ import annotations

from collections.abc import Sequence

from envscaler_mcp.artifacts import Call, Conversation, Goal, Scenario, digest_of
from envscaler_mcp.artifacts.run import PlannedEpisode
from envscaler_mcp.launch.combined import CombinedServers
from envscaler_mcp.runs.servers import EpisodeServer


def scenario_of(episode: PlannedEpisode, servers: Sequence[EpisodeServer], combined: CombinedServers) -> Scenario:
    """What is to be done in the episode: the scenario of its one world, or the scenarios of all and its own task."""
    scenarios = [server.scenario for server in servers if server.scenario is not None]
    if not episode.servers:
        return scenarios[0]
    calls: list[Call] = []
    threads: list[tuple[int, ...]] = []
    for server in servers:
        if server.scenario is not None:
            threads += [tuple(len(calls) + number for number in thread) for thread in _threads_of(server.scenario)]
            calls += [
                call.model_copy(update={"tool": combined.name_of(server.name, call.tool)})
                for call in server.scenario.oracle
            ]
    return Scenario(
        id=episode.scenario,
        environment=episode.environment,
        code_digest=episode.code_digest,
        state="+".join(scenario.state for scenario in scenarios) or "none",
        state_digest=digest_of([scenario.state_digest for scenario in scenarios]),
        seed=episode.seed,
        level=episode.level or "easy",
        task="\n\n".join([*([episode.task] if episode.task else []), *(scenario.task for scenario in scenarios)]),
        checks=tuple(check for scenario in scenarios for check in scenario.checks),
        frame=None,
        oracle=tuple(calls),
        threads=tuple(threads),
        conversation=_conversation(episode.task, scenarios),
        split=episode.split or "train",
    )


def _threads_of(scenario: Scenario) -> tuple[tuple[int, ...], ...]:
    """The oracle's calls by goal."""
    return scenario.threads or (tuple(range(len(scenario.oracle))),)


def _conversation(task: str, scenarios: Sequence[Scenario]) -> Conversation | None:
    """What a user knows who wants all of it, one goal after the other; a task without a conversation is one goal."""
    if not any(scenario.conversation for scenario in scenarios):
        return None
    parts = [*([_one_goal(task)] if task else []), *(one.conversation or _one_goal(one.task) for one in scenarios)]
    return Conversation(first=parts[0].first, goals=tuple(goal for part in parts for goal in part.goals))


def _one_goal(task: str) -> Conversation:
    return Conversation(first=task, goals=(Goal(story="", ask=task, request=task),))
