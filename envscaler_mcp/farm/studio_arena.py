"""Agents beside each other: the forks of one world, where they part, and which solved the task with the fewest calls."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

from envscaler_mcp.farm.hosted_world import HostedWorld
from envscaler_mcp.studio.comparing import call_key, parting
from envscaler_mcp.studio.run_schemas import ArenaAnswer, Contender
from envscaler_mcp.studio.schemas import ChecksAnswer, RecordedCall

MOST_CONTENDERS = 4
"""Forks that are shown, the latest."""
MOST_STEPS = 100
"""Calls of each that are shown, the latest."""


async def arena_of(
    forks: Sequence[HostedWorld],
    checks_of: Callable[[HostedWorld], Awaitable[ChecksAnswer]],
    name_of: Callable[[str], str],
) -> ArenaAnswer:
    """How far each of these forks has come since it was made."""
    entered = [(fork, _steps(fork), await checks_of(fork)) for fork in forks[-MOST_CONTENDERS:]]
    contenders = tuple(_contender(name_of(fork.name), fork, steps, checks) for fork, steps, checks in entered)
    solved = [contender for contender in contenders if contender.solved]
    return ArenaAnswer(
        task=entered[0][2].task if entered else None,
        contenders=contenders,
        parts_at=parting([[call_key(step.tool, step.arguments) for step in steps] for _, steps, _ in entered]),
        first=min(solved, key=lambda contender: contender.calls).world if solved else "",
    )


def _steps(fork: HostedWorld) -> tuple[RecordedCall, ...]:
    """The calls since the fork."""
    steps = () if fork.timeline is None else fork.timeline.steps()
    return tuple(step for step in steps if step.number > fork.forked_after)


def _contender(name: str, fork: HostedWorld, steps: Sequence[RecordedCall], checks: ChecksAnswer) -> Contender:
    last = fork.forked_after if fork.timeline is None else max(fork.timeline.last, fork.forked_after)
    calls = last - fork.forked_after
    shown = tuple(steps[-MOST_STEPS:])
    return Contender(
        world=name,
        by=steps[0].by if steps else None,
        calls=calls,
        refused=sum(step.kind != "done" for step in steps),
        reward=checks.reward,
        solved=checks.solved,
        checks=checks.checks,
        steps=shown,
        more_steps=calls - len(shown),
        ended=fork.ended is not None,
    )
