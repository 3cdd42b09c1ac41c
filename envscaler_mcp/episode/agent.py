"""What an agent is: something that is told a task, and says or calls one thing at a time."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, Protocol, Self

from envscaler_mcp.artifacts import Call, Scenario, Tool
from envscaler_mcp.artifacts.episode import COMPLETED, ModelCost
from envscaler_mcp.artifacts.run import Mode
from envscaler_mcp.errors import EnvScalerError

__all__ = [
    "COMPLETED",
    "Action",
    "Agent",
    "AgentUnavailableError",
    "Briefing",
    "MakeAgent",
    "Observation",
    "RunAbortedError",
    "UnavailableError",
]


class UnavailableError(EnvScalerError):
    """A player cannot be asked: the endpoint of its model is down. The episode is tried again."""

    def __init__(self, message: str, *, again: bool = True) -> None:
        super().__init__(message)
        self.again = again
        """Whether it may be otherwise in a moment."""


class AgentUnavailableError(UnavailableError):
    """An agent cannot be asked, through no fault of its own."""


class RunAbortedError(EnvScalerError):
    """No further episode of the run can be played: a key is refused, or the money is spent."""


class Observation(str):
    """What an agent hears, as one text."""

    __slots__ = ("answers", "disturbed", "refused", "tools")
    answers: tuple[str, ...]
    """What each call of its turn led to, in their order; or the one thing that it was told."""
    refused: bool
    """Whether a call did not do what was asked, or could not be read. One that was disturbed is not counted."""
    disturbed: bool
    """Whether a call failed on its way to the world, through no fault of the agent: it may be sent again."""
    tools: tuple[Tool, ...] | None
    """What can be called from here on, where that has changed."""

    def __new__(
        cls, *answers: str, refused: bool = False, disturbed: bool = False, tools: tuple[Tool, ...] | None = None
    ) -> Self:
        heard = super().__new__(cls, "\n".join(answers))
        heard.answers = answers
        heard.refused = refused
        heard.disturbed = disturbed
        heard.tools = tools
        return heard


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
    mode: Mode = "task"
    """Whether a user reads what the agent says."""
    verbatim: str | None = None
    """What a model is told first, word for word, where the authors of the task say so; empty means nothing."""


@dataclass(frozen=True, slots=True)
class Action:
    """A call of a tool, or else something said. Whether it makes sense is for the episode to say."""

    text: str = ""
    tool: str | None = None
    arguments: dict[str, Any] = field(default_factory=dict)
    more: tuple[Call, ...] = ()
    """Further calls of the same turn; each is made, and answered, after the one before it."""
    reasoning: str = ""
    """What the model thought before; it is recorded, and no user hears it."""
    use: ModelCost | None = None
    """What the move took, where a model made it."""


class Agent(Protocol):
    """Made anew for each episode, from its `Briefing`."""

    def act(self, observation: str) -> Action | Awaitable[Action]:
        """The next move after the task, or after what the last move led to: it is an `Observation`.

        An agent may have a text `system`: what its model was told first, which is then kept with the conversation.
        """


MakeAgent = Callable[[Briefing, Scenario], Agent]
"""The scenario is for agents that may know the solution; an agent of the user's own gets the briefing alone."""
