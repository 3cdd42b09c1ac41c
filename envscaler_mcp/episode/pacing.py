"""An agent that waits before each move, so that a person can follow what it does."""

from __future__ import annotations

import inspect
import time
from collections.abc import Awaitable, Callable
from typing import Any

from envscaler_mcp.artifacts import Scenario
from envscaler_mcp.episode.agent import Agent, Briefing, MakeAgent
from envscaler_mcp.llm.retrying import CLOCK

Wait = Callable[[], Awaitable[None]]


def paced(make_agent: MakeAgent, wait: Wait) -> MakeAgent:
    """The same agents, each of which waits before every move; the time of the episode stands still meanwhile."""

    def make(briefing: Briefing, scenario: Scenario) -> Agent:
        agent = make_agent(briefing, scenario)
        made = _Paced(agent, wait)
        system = getattr(agent, "system", None)
        if system is not None:
            vars(made)["system"] = system
        return made

    return make


class _Paced:
    def __init__(self, agent: Agent, wait: Wait) -> None:
        self._agent = agent
        self._wait = wait

    async def act(self, observation: str) -> Any:
        clock, began = CLOCK.get(), time.monotonic()
        if clock is not None:
            clock.stop()
        try:
            await self._wait()
        finally:
            if clock is not None:
                clock.go_on(time.monotonic() - began)
        acted: Any = self._agent.act(observation)
        return await acted if inspect.isawaitable(acted) else acted
