"""What is going to be played, written down before anything is: so that what is missing can be told at any time."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from envscaler_mcp.artifacts.artifact import Artifact, Part
from envscaler_mcp.artifacts.names import EnvironmentId
from envscaler_mcp.artifacts.scenario import Level, Split

Mode = Literal["task", "conversation"]
"""Whether the whole task is said at once, or a user reads what the agent says and answers."""
Via = Literal["direct", "worker", "stdio", "http"]
"""How a world is reached: in this process, in a worker, or through a server over standard streams or HTTP."""
Isolation = Literal["local", "auto", "portable", "hard", "trusted"]
"""Where code runs: in this process if it is compiled, in a worker, or in this process whatever it is."""


class PlannedEpisode(Part):
    """One episode of a run; the same plan gives the same ids."""

    id: str
    scenario: str
    scenario_digest: str
    environment: EnvironmentId
    code_digest: str
    repetition: int
    seed: int
    """For the agent's own chance; the world's is the scenario's."""
    level: Level | None = None
    split: Split | None = None


class RunPlan(Artifact):
    """`plan.json` in a run directory."""

    agent: str
    via: Via
    mode: Mode = "task"
    user: str = ""
    """Who plays the user of a conversation."""
    scoring: Literal["framed", "upstream"]
    max_steps: int
    max_seconds: float
    max_tokens: int | None = None
    """What an agent's model may write in one episode."""
    answer_tokens: int | None = None
    """What it may write at once."""
    temperature: float | None = None
    prompts: dict[str, str] = Field(default_factory=dict)
    """Digest of each prompt that models are asked with."""
    rescored: str = ""
    """The grading that judged another run's episodes anew; nothing where they were played."""
    episodes: tuple[PlannedEpisode, ...]
