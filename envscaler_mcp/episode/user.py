"""What a user is: they want things done, tell of them bit by bit, and say when it is enough."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Protocol, Self

from envscaler_mcp.artifacts import Scenario
from envscaler_mcp.artifacts.episode import ModelCost
from envscaler_mcp.episode.agent import UnavailableError
from envscaler_mcp.episode.progress import GoalProgress

STOP = "###STOP###"
"""What a user says when they want no more; the words of the paper."""

Look = Callable[[], Awaitable[Mapping[str, Any]]]
"""The state as it is now. No agent sees it, and a person in the room would."""


class UserUnavailableError(UnavailableError):
    """A user cannot be asked, through no fault of the agent's: the model that plays it is down."""


class BrokenUserError(Exception):
    """A user that says nothing whatever it hears, so that no word of the agent's can be the cause."""


class Reply(str):
    """What a user says, and what it took where a model played them."""

    __slots__ = ("use",)
    use: ModelCost

    def __new__(cls, text: str, use: ModelCost) -> Self:
        reply = super().__new__(cls, text)
        reply.use = use
        return reply


class User(Protocol):
    """Made anew for each episode."""

    def opening(self) -> Awaitable[str]:
        """What they say first."""

    def reply(self, said: str, look: Look) -> Awaitable[str]:
        """What they say to what the agent said; `STOP` in it ends the episode."""


class UserWorld(Protocol):
    """The world of a benchmark's task, as far as the user of that task reaches."""

    async def user(self, *given: Any) -> Any:
        """What the authors' code of the user answers; no agent can ask it."""

    async def release(self, turn: int) -> None:
        """Let the tools of the turn of this number be listed."""


MakeUser = Callable[[Scenario, GoalProgress, int], User]
"""The number is for the user's own chance."""


def stops_by_rule(user: User) -> bool:
    """Whether it stops only after it has told all of a goal, or where the goal is done; then what an agent was not told is
    no excuse for it.
    """
    return getattr(user, "stops_by_rule", False) is True
