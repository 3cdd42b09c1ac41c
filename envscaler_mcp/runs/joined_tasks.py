"""Several tasks as one scenario: whoever plays is told all of them, and whoever knows the solutions knows them all."""

from __future__ import annotations

from collections.abc import Sequence

from envscaler_mcp.artifacts import Call, Conversation, Goal, Scenario, digest_of
from envscaler_mcp.launch.combined import Several


def joined(task: str, asked: Sequence[tuple[str, Scenario]], several: Several, seed: int) -> Scenario:
    """What is told besides, and the scenario of each server by its name. One alone stays as it is."""
    scenarios = [one for _, one in asked]
    if len(several.members) == 1 and scenarios and not task:
        return scenarios[0]
    calls: list[Call] = []
    threads: list[tuple[int, ...]] = []
    for name, one in asked:
        threads += [tuple(len(calls) + place for place in thread) for thread in _threads_of(one)]
        calls += [call.model_copy(update={"tool": several.name_of(name, call.tool)}) for call in one.oracle]
    return Scenario(
        id="+".join(one.id for one in scenarios) or "play",
        environment="+".join(one.name for one in several.members),
        code_digest=digest_of([one.code_digest for one in scenarios]),
        state="+".join(one.state for one in scenarios) or "none",
        state_digest=digest_of([one.state_digest for one in scenarios]),
        seed=seed,
        level=scenarios[0].level if scenarios else "easy",
        task="\n\n".join([*([task] if task else []), *(one.task for one in scenarios)]),
        checks=tuple(check for one in scenarios for check in one.checks),
        frame=None,
        oracle=tuple(calls),
        threads=tuple(threads),
        conversation=_conversation(task, scenarios),
        split=scenarios[0].split if scenarios else "train",
    )


def _threads_of(scenario: Scenario) -> tuple[tuple[int, ...], ...]:
    """The oracle's calls by goal."""
    return scenario.threads or (tuple(range(len(scenario.oracle))),)


def _conversation(task: str, scenarios: Sequence[Scenario]) -> Conversation | None:
    """What a person knows who wants all of it, one thing after the other; a task that is only told is one thing."""
    if not any(one.conversation for one in scenarios):
        return None
    known = [*([_told(task)] if task else []), *(one.conversation or _told(one.task) for one in scenarios)]
    return Conversation(first=known[0].first, goals=tuple(goal for one in known for goal in one.goals))


def _told(task: str) -> Conversation:
    return Conversation(first=task, goals=(Goal(story="", ask=task, request=task),))
