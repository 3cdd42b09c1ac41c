"""What is going to be played, written down before anything is: so that what is missing can be told at any time."""

from __future__ import annotations

from typing import Literal

from envscaler_mcp.artifacts.artifact import Artifact, Part
from envscaler_mcp.artifacts.scenario import Level, Split


class PlannedEpisode(Part):
    """One episode of a run; the same plan gives the same ids."""

    id: str
    scenario: str
    scenario_digest: str
    environment: str
    code_digest: str
    repetition: int
    seed: int
    """For the agent's own chance; the world's is the scenario's."""
    level: Level | None = None
    split: Split | None = None


class RunPlan(Artifact):
    """`plan.json` in a run directory."""

    agent: str
    via: Literal["direct", "worker", "stdio", "http"]
    mode: Literal["task", "conversation"] = "task"
    user: str = ""
    """Who plays the user of a conversation."""
    scoring: Literal["framed", "upstream"]
    max_steps: int
    max_seconds: float
    rescored: str = ""
    """The grading that judged another run's episodes anew; nothing where they were played."""
    episodes: tuple[PlannedEpisode, ...]
