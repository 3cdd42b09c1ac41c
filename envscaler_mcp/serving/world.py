"""A world: one environment, alive, belonging to one episode or one person.

Everything that holds a world, in this process or in a worker, is held through the same methods, and no transport is
known here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from envscaler_mcp.artifacts import Environment, StateDiff
from envscaler_mcp.errors import WorldError
from envscaler_mcp.serving.code import EnvironmentCode
from envscaler_mcp.serving.copied_world import CopiedWorld
from envscaler_mcp.serving.journaled_world import JournaledWorld
from envscaler_mcp.serving.local_world import LocalWorld
from envscaler_mcp.serving.outcome import Outcome
from envscaler_mcp.serving.published_world import PublishedWorld

__all__ = ["LocalWorld", "Outcome", "World", "open_world"]


class World(Protocol):
    """What a session holds. One call at a time: all that share a world take turns."""

    @property
    def environment(self) -> Environment:
        """What is known about the environment without running it."""

    def call(self, tool: str, arguments: Mapping[str, Any], key: str | None = None) -> Outcome:
        """What came of the call. Never raises for what a caller sent or what environment code did.

        The same key with the same call gives the first outcome again and runs nothing.
        """

    def state(self) -> dict[str, Any]:
        """Every record and scalar, as a copy in plain JSON."""

    def state_hash(self) -> str:
        """The digest of the state; equal states have equal hashes everywhere."""

    def diff(self) -> StateDiff:
        """What the last call changed."""

    def diff_since(self, snapshot: int) -> StateDiff:
        """What changed since the snapshot."""

    def snapshot(self) -> int:
        """A mark to come back to."""

    def restore(self, snapshot: int) -> None:
        """Be as at the snapshot, which may be used again. Marks set after it are forgotten."""

    def fork(self) -> World:
        """A second world that continues from here, independent of this one, with no marks."""

    def set_clock(self, now: str) -> None:
        """Let it be this minute."""

    def close(self) -> None:
        """End the world and free what it holds."""


def open_world(code: EnvironmentCode, state: Mapping[str, Any], seed: int) -> LocalWorld:
    """A world inside this process, at a state. Unread code is refused: it belongs into a worker."""
    if not code.trusted:
        raise WorldError(
            f"The code of {code.environment.id!r} was not made by this compiler; it runs in a worker only."
        )
    return open_unread_world(code, state, seed)


def open_unread_world(code: EnvironmentCode, state: Mapping[str, Any], seed: int) -> LocalWorld:
    """The same for any code: inside a worker, and where a user has said that it may run with everything they may do."""
    if code.environment.origin == "published":
        return PublishedWorld.open(code, state, seed)
    kind = JournaledWorld if code.journaled else CopiedWorld
    return kind.open(code, state, seed)
