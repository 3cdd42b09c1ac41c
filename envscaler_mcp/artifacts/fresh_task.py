"""Tasks that are made when they are asked for, and the stream that they belong to."""

from __future__ import annotations

from pydantic import Field

from envscaler_mcp.artifacts.artifact import Artifact, Part
from envscaler_mcp.artifacts.names import EnvironmentId
from envscaler_mcp.artifacts.scenario import Level, ProofExtent, Scenario, Split
from envscaler_mcp.artifacts.state import State


class FreshTask(Artifact):
    """A scenario that lies in no server folder, with the start state that it begins at."""

    seed: int
    """Of the stream: equal seeds give equal tasks."""
    environment_digest: str
    blueprint_digest: str
    pattern: str
    """Its stories and their tellings. Tasks of one pattern are siblings: nearly the same text about other records."""
    sibling: int = 0
    """How many earlier tasks of the stream have the same pattern."""
    scenario: Scenario
    start: State

    def model_post_init(self, context: object) -> None:
        super().model_post_init(context)
        if (self.scenario.environment, self.scenario.state) != (self.start.environment, self.start.name):
            raise ValueError(f"its scenario begins at {self.scenario.state!r}, and its state is {self.start.name!r}")


class StreamedWorld(Part):
    """An environment of which a stream makes tasks, as it was when the stream began."""

    environment: EnvironmentId
    environment_digest: str
    code_digest: str
    blueprint_digest: str


class TaskStream(Artifact):
    """What decides every task of a stream. It stands in the first line of a tasks file."""

    seed: int
    level: Level | None = None
    """None for all three, in the proportions of the tasks that ship."""
    split: Split = "train"
    extent: ProofExtent = "whole"
    worlds: tuple[StreamedWorld, ...]


class TaskBatch(Part):
    """What a tasks file holds of one start state."""

    environment: EnvironmentId
    number: int
    """Which start state of the environment's stream it is, counted from 0."""
    content: str = ""
    """The digest of the state's content; nothing where no state could be grown."""
    made: int
    """How many tasks the state gives."""
    written: int
    """How many of them the file holds."""
    missing: dict[str, str] = Field(default_factory=dict)
    """By level, why the state gives no more."""
