"""Tasks for Inspect AI: scenarios as samples, the tools of a farm's worlds over MCP, and the verdict as the score.

    inspect eval envscaler_mcp/rl/inspect_ai.py -T environments=hospital_stays,library_loans --model openai/MODEL

or, in a program, `eval(envscaler(["hospital_stays"]), model=…)`. A sample that fails through no fault of the policy is an
error of that sample, and no 0: give `--fail-on-error` a share, or use `--no-fail-on-error`.
"""

from __future__ import annotations

from collections.abc import Sequence

import anyio.to_thread
from inspect_ai import Task, task
from inspect_ai.agent import AgentState, react
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ChatMessageSystem, ChatMessageUser
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer, stderr
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.tool import mcp_server_http, mcp_tools

from envscaler_mcp.config.choices import Level, Split
from envscaler_mcp.rl.episode import Episode
from envscaler_mcp.rl.errors import MaskedError
from envscaler_mcp.rl.gym import connect

_CONTINUE = "Go on with the task, or call submit() when it is done."
_episodes: dict[str, Episode] = {}
"""By the sample's own id in its run, from its solver to its cleanup."""


@task  # type: ignore[untyped-decorator] # Inspect is not installed where types are checked
def envscaler(
    environments: str | Sequence[str] = (),
    level: Level | None = None,
    split: Split | None = "train",
    limit: int | None = None,
    url: str | None = None,
    token: str | None = None,
    tasks: str | None = None,
) -> Task:
    """Tasks of the farm whose control plane is at `url`; by default that of this user on this machine.

    `tasks` is a file of fresh tasks, which take the place of the stored ones.
    """
    names = environments.split(",") if isinstance(environments, str) else list(environments)
    samples: list[Sample] = []
    with connect(url, token, tasks=tasks) as gym:
        for scenario in gym.tasks([name for name in names if name] or None, level=level, split=split):
            if limit is not None and len(samples) >= limit:
                break
            kind = {"environment": scenario.environment, "level": scenario.level, "split": scenario.split}
            samples.append(Sample(input=scenario.task, id=scenario.id, metadata=kind))
    return Task(
        dataset=MemoryDataset(samples), solver=in_world(url, token, tasks), scorer=verdict(), cleanup=close_world
    )


@solver  # type: ignore[untyped-decorator]
def in_world(url: str | None = None, token: str | None = None, tasks: str | None = None) -> Solver:
    """Inspect's own agent `react`, with the tools of a world that is opened for the sample."""
    gym = connect(url, token, tasks=tasks)

    async def solve(state: TaskState, generate: Generate) -> TaskState:  # noqa: ARG001 - the agent asks its model itself
        episode = await anyio.to_thread.run_sync(
            lambda: gym.open(str(state.sample_id), environment=state.metadata["environment"])
        )
        _episodes[state.uuid] = episode
        system, asked = (message["content"] for message in episode.messages[:2])
        server = mcp_server_http(name=episode.environment, url=episode.url, headers=gym.agent_headers, timeout=60)
        agent = react(prompt=None, tools=[mcp_tools(server)], on_continue=_CONTINUE)
        played = await agent(AgentState(messages=[ChatMessageSystem(content=system), ChatMessageUser(content=asked)]))
        state.messages, state.output = played.messages, played.output
        return state

    return solve


@scorer(metrics=[mean(), stderr()])  # type: ignore[untyped-decorator]
def verdict() -> Scorer:
    """The share of checks that hold, and 0 where something changed that the task does not allow."""

    async def score(state: TaskState, target: Target) -> Score:  # noqa: ARG001 - the world is judged, and no text
        judged = await anyio.to_thread.run_sync(_episodes[state.uuid].verify)
        if judged.masked:
            raise MaskedError(f"The episode has no reward, because of the {judged.owner}: {judged.reason}")
        return Score(value=judged.reward, explanation=judged.reason or None, metadata={"solved": judged.solved})

    return score


async def close_world(state: TaskState) -> None:
    """End the world of a sample."""
    episode = _episodes.pop(state.uuid, None)
    if episode is not None:
        await anyio.to_thread.run_sync(episode.close)
