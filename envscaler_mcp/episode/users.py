"""The users that come along, by name."""

from __future__ import annotations

from envscaler_mcp.episode.scripted_user import scripted_user
from envscaler_mcp.episode.user import MakeUser
from envscaler_mcp.errors import EnvScalerError

USERS = ("scripted",)


class UnknownUserError(EnvScalerError):
    """No user can be made of what was named."""


def user_named(name: str) -> tuple[str, MakeUser]:
    """How users of that name are made, and the name under which their episodes are kept."""
    if name == "scripted":
        return name, scripted_user
    raise UnknownUserError(f"There is no user {name!r}; there are {', '.join(USERS)}.")
