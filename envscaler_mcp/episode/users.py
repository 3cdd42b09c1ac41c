"""The users that come along, by name."""

from __future__ import annotations

from envscaler_mcp.artifacts import Scenario
from envscaler_mcp.config.choices import PERSON, USERS
from envscaler_mcp.episode.agent import RunAbortedError
from envscaler_mcp.episode.human import PersonUser
from envscaler_mcp.episode.model_player import ModelPlayer
from envscaler_mcp.episode.model_user import ModelUser
from envscaler_mcp.episode.progress import GoalProgress
from envscaler_mcp.episode.providers import provider_of
from envscaler_mcp.episode.scripted_user import scripted_user
from envscaler_mcp.episode.user import MakeUser, User
from envscaler_mcp.errors import EnvScalerError


class UnknownUserError(EnvScalerError):
    """No user can be made of what was named."""


def model_of_user(name: str) -> str:
    """The model that plays users of that name, if one does."""
    provider, model = provider_of(name)
    return model if provider is not None and provider.plays_users else ""


def user_named(name: str, player: ModelPlayer | None = None) -> tuple[str, MakeUser]:
    """How users of that name are made, and the name under which their episodes are kept; models need a player."""
    if name == "scripted":
        return name, scripted_user
    if name == PERSON:
        return name, lambda scenario, _progress, _seed: PersonUser(scenario)
    if model_of_user(name):
        return name, _of_model(name, player)
    raise UnknownUserError(f"There is no user {name!r}; there are {', '.join(USERS)}.")


def _of_model(name: str, player: ModelPlayer | None) -> MakeUser:
    def make(scenario: Scenario, _progress: GoalProgress, seed: int) -> User:
        if player is None:
            raise RunAbortedError(f"The user {name!r} needs an endpoint; `envscaler_mcp.runs.open_models` opens one.")
        return ModelUser(scenario, player, seed)

    return make
