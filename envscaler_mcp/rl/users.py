"""The users of conversations: scripted ones, and models, which are asked in a thread that has an event loop."""

from __future__ import annotations

import tempfile
import threading
from contextlib import ExitStack
from pathlib import Path

from anyio.from_thread import BlockingPortal, start_blocking_portal
from pydantic import SecretStr

from envscaler_mcp.artifacts import Scenario
from envscaler_mcp.artifacts.run import RunPlan
from envscaler_mcp.config.choices import MAX_SECONDS, MAX_STEPS
from envscaler_mcp.episode.model_player import ModelPlayer
from envscaler_mcp.episode.model_user import ModelUser
from envscaler_mcp.episode.progress import GoalProgress
from envscaler_mcp.episode.scripted_user import scripted_user
from envscaler_mcp.episode.user import Look
from envscaler_mcp.episode.users import model_of_user
from envscaler_mcp.errors import RunError
from envscaler_mcp.llm import Endpoint
from envscaler_mcp.rl.episode import ForkableUser
from envscaler_mcp.runs.models import PricedEndpoint, open_models
from envscaler_mcp.settings import Settings, secret_named

PARALLEL = 64
"""Questions that are put to an endpoint at once."""


class Users:
    """Makes the users of a gym's episodes. A model's endpoint is opened with the first of them that needs it."""

    def __init__(self, endpoint: Endpoint | None = None) -> None:
        self._endpoint = endpoint
        self._stack = ExitStack()
        self._lock = threading.Lock()
        self._portal: BlockingPortal | None = None
        self._players: dict[str, ModelPlayer] = {}

    def user(self, name: str, scenario: Scenario, progress: GoalProgress, seed: int) -> ForkableUser:
        """A user of that name for one episode."""
        if name == "scripted":
            return scripted_user(scenario, progress, seed)
        if not model_of_user(name):
            raise RunError(f"There is no user {name!r} for a program; there are scripted and openai:MODEL.")
        portal, player = self._player(name)
        return PortalUser(portal, ModelUser(scenario, player, seed))

    def _player(self, name: str) -> tuple[BlockingPortal, ModelPlayer]:
        with self._lock:
            if self._portal is None:
                self._portal = self._stack.enter_context(start_blocking_portal())
            player = self._players.get(name)
            if player is None:
                player = self._players[name] = opened_player(self._stack, self._portal, name, self._endpoint)
            return self._portal, player

    def close(self) -> None:
        """End what asks models."""
        with self._lock:
            self._players.clear()
            self._portal = None
            self._stack.close()


def opened_player(stack: ExitStack, portal: BlockingPortal, name: str, endpoint: Endpoint | None = None) -> ModelPlayer:
    """The model that plays users of that name, asked in the thread of the portal until the stack is closed."""
    folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="envscaler-")))
    plan = RunPlan(
        agent="noop",
        via="direct",
        mode="conversation",
        user=name,
        scoring="framed",
        max_steps=MAX_STEPS,
        max_seconds=MAX_SECONDS,
        episodes=(),
    )
    models = open_models(plan, folder, user=PricedEndpoint(endpoint or _own_endpoint()))
    _, player = stack.enter_context(portal.wrap_async_context_manager(models))
    assert player is not None
    return player


class PortalUser:
    """A user that is asked in another thread, and waited for in this one."""

    def __init__(self, portal: BlockingPortal, user: ModelUser) -> None:
        self._portal = portal
        self._user = user

    async def opening(self) -> str:
        """What they say first."""
        return self._portal.call(self._user.opening)

    async def reply(self, said: str, look: Look) -> str:
        """What they say to what the agent said."""
        return self._portal.call(self._user.reply, said, look)

    def fork(self, progress: GoalProgress) -> PortalUser:
        """A copy at the same point of the conversation."""
        return PortalUser(self._portal, self._user.fork(progress))


def _own_endpoint() -> Endpoint:
    """The endpoint of this user's settings, as the command line has it."""
    settings = Settings.read().model
    key = secret_named(settings.key_variable)
    if key is None and settings.base_url is None:
        raise RunError(
            f"There is no key in {settings.key_variable} and no endpoint in OPENAI_BASE_URL; set one of them."
        )
    endpoint = Endpoint(api_key=SecretStr(key or ""), key_variable=settings.key_variable, parallel=PARALLEL)
    return endpoint if settings.base_url is None else endpoint.model_copy(update={"base_url": settings.base_url})
