"""The content of a world at one moment, and what lies between two of them."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from envscaler_mcp.artifacts.artifact import Artifact, Part
from envscaler_mcp.artifacts.names import EnvironmentId, StateName


class State(Artifact):
    """A place to start from: every record of a world, by container and id."""

    environment: EnvironmentId
    name: StateName
    seed: int
    content: dict[str, Any]


class StateDiff(Part):
    """What changed, fact by fact, before and after."""

    created: dict[str, dict[str, dict[str, Any]]] = Field(default_factory=dict)
    deleted: dict[str, dict[str, dict[str, Any]]] = Field(default_factory=dict)
    changed: dict[str, dict[str, dict[str, tuple[Any, Any]]]] = Field(default_factory=dict)
    """Container, id, field: the value before and the value after."""
    scalars: dict[str, tuple[Any, Any]] = Field(default_factory=dict)
    """State outside containers, by its path: the clock, counters."""

    @property
    def empty(self) -> bool:
        """Nothing changed."""
        return not (self.created or self.deleted or self.changed or self.scalars)
