"""An episode: a task or a user's words, calls, answers, until it is said that all is done or a limit is reached."""

from __future__ import annotations

import asyncio
import inspect
import math
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import anyio

from envscaler_mcp.artifacts import Scenario
from envscaler_mcp.episode.agent import (
    Agent,
    AgentUnavailableError,
    Briefing,
    MakeAgent,
    RunAbortedError,
)
from envscaler_mcp.episode.live import (
    AgentError,
    EpisodeLimits,
    EpisodeRecord,
    LiveEpisode,
    Watch,
    WorldChannel,
    exception_sentence,
)
from envscaler_mcp.episode.record_bounds import MAX_WORDS, encoded_size
from envscaler_mcp.episode.rules import EpisodeRules
from envscaler_mcp.episode.transcript import storable
from envscaler_mcp.episode.user import User
from envscaler_mcp.llm.retrying import CLOCK


async def play(
    make_agent: MakeAgent,
    scenario: Scenario,
    channel: WorldChannel,
    briefing: Briefing,
    limits: EpisodeLimits,
    user: User | None = None,
    watch: Watch = lambda _: None,
    *,
    published: bool = False,
    rules: EpisodeRules | None = None,
) -> EpisodeRecord:
    """Play one episode. Nothing that agent, user, world or machine do is raised: it is told in what is returned."""
    episode = LiveEpisode(channel, scenario, briefing, limits, user, watch, published=published, rules=rules)
    with anyio.move_on_after(limits.seconds) as scope:
        CLOCK.set(_Clock(scope))
        await _play(make_agent, episode)
    if scope.cancelled_caught:
        episode.end("time", "timeout", f"the episode took longer than {limits.seconds:g} seconds")
    return episode.settled()


async def _play(make_agent: MakeAgent, episode: LiveEpisode) -> None:
    with episode.failures_recorded():
        await episode.begin()
        if episode.over:
            return
        agent, system = _made(make_agent, episode.briefing, episode.scenario)
        observation = episode.tell(system)
        while not episode.over:
            observation = await episode.act(await _moved(agent, observation))


class _Clock:
    """The time of an episode. It stands still while an endpoint cannot be reached."""

    def __init__(self, scope: anyio.CancelScope) -> None:
        self._scope = scope
        self._deadline = scope.deadline
        self._out = 0
        self._lost = 0.0
        """With the question that was kept waiting for longest; several may be out."""

    def stop(self) -> None:
        self._out += 1
        self._scope.deadline = math.inf

    def go_on(self, lost: float) -> None:
        self._out -= 1
        self._lost = max(self._lost, lost)
        if not self._out:
            self._deadline += self._lost
            self._lost = 0.0
            self._scope.deadline = self._deadline


def _made(make_agent: MakeAgent, briefing: Briefing, scenario: Scenario) -> tuple[Agent, str | None]:
    """An agent, and what its model was told first, where it says so."""
    with _agent_code("the agent could not be made:"):
        agent = make_agent(briefing, scenario)
        system = getattr(agent, "system", None)
    if not isinstance(system, str):
        return agent, None
    system = storable(system)
    if encoded_size(system) > MAX_WORDS:
        raise AgentError(f"what the agent's model was told first has more than {MAX_WORDS:,} bytes")
    return agent, system


async def _moved(agent: Agent, observation: str) -> Any:
    with _agent_code("the agent raised"):
        acted: Any = agent.act(observation)
        return await acted if inspect.isawaitable(acted) else acted


@contextmanager
def _agent_code(doing: str) -> Iterator[None]:
    """Whatever the agent's own code raises is its failure, also what Python means for ending a task or a process."""
    try:
        yield
    except (AgentUnavailableError, RunAbortedError, KeyboardInterrupt):
        raise
    except BaseException as cause:
        if _ends_this_task(cause):
            raise
        raise AgentError(f"{doing} {exception_sentence(cause)}") from cause


def _ends_this_task(cause: BaseException) -> bool:
    """Whether a task is really being ended, by its scope, by its loop or by the interpreter, and no agent says so."""
    if not isinstance(cause, asyncio.CancelledError | GeneratorExit):
        return False
    try:
        task = asyncio.current_task()
    except RuntimeError:
        return True
    if isinstance(cause, GeneratorExit):
        return task is None
    return task is None or task.cancelling() > 0 or anyio.get_current_task().has_pending_cancellation()
