"""What an agent is: something that is told a task, and says or calls one thing at a time."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from envscaler_mcp.artifacts import Call, Scenario, Tool
from envscaler_mcp.artifacts.episode import COMPLETED
from envscaler_mcp.errors import EnvScalerError

__all__ = ["COMPLETED", "Agent", "AgentUnavailableError", "Briefing", "MakeAgent", "Move"]


class AgentUnavailableError(EnvScalerError):
    """An agent cannot be asked, through no fault of its own: its model's endpoint is down. The episode is tried again."""


@dataclass(frozen=True, slots=True)
class Briefing:
    """Everything an agent is told before its first move."""

    environment: str
    introduction: str
    """What the system is, and its rules."""
    tools: tuple[Tool, ...]
    task: str
    """The task, or what the user of a conversation says first."""
    seed: int
    """For the agent's own chance, so that an episode can be repeated."""
    mode: Literal["task", "conversation"] = "task"
    """Whether somebody reads what the agent says."""


@dataclass(frozen=True, slots=True)
class Move:
    """A call of a tool, or else something said. Whether it makes sense is for the episode to say."""

    text: str = ""
    tool: str | None = None
    arguments: dict[str, Any] = field(default_factory=dict)
    more: tuple[Call, ...] = ()
    """Further calls of the same turn; each is made, and answered, after the one before it."""
    reasoning: str = ""
    """What was thought before; it is kept, and nobody in the episode hears it."""


class Agent(Protocol):
    """Made anew for each episode, from its `Briefing`."""

    def act(self, observation: str) -> Move | Awaitable[Move]:
        """The next move after the task, or after what the last move led to."""


MakeAgent = Callable[[Briefing, Scenario], Agent]
"""The scenario is for those who may know the solution; an agent of somebody's own gets the briefing alone."""
