"""What a run is going to play, written down before anything is played, so that what is missing is always known."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from envscaler_mcp.artifacts.artifact import Artifact, Part
from envscaler_mcp.artifacts.names import EnvironmentId, EnvironmentIds
from envscaler_mcp.artifacts.scenario import Level, Split
from envscaler_mcp.config import choices

Mode = choices.Mode
Via = choices.Via
Isolation = choices.Isolation
Calls = choices.Calls


class PlannedServer(Part):
    """One of the servers of an episode: a world of this home, or a server of another program."""

    name: EnvironmentId
    """Stands before the names of tools that several servers have."""
    environment: EnvironmentId | None = None
    """Nothing where it is a server of another program; its command or URL is not stored, as it may hold a key."""
    code_digest: str = ""
    scenario: str = ""
    """Where its world begins, and what judges it; without one it begins at its first state, and is not judged."""
    scenario_digest: str = ""
    transport: Literal["direct", "stdio", "http"] = "direct"


class PlannedEpisode(Part):
    """One episode of a run; the same plan gives the same ids."""

    id: str
    scenario: str
    scenario_digest: str
    environment: EnvironmentIds
    code_digest: str
    repetition: int
    seed: int
    """For the agent's own chance; the world's is the scenario's."""
    level: Level | None = None
    split: Split | None = None
    task: str = Field(default="", exclude_if=lambda task: not task)
    """What is to be done besides what the scenarios ask for; no check judges it."""
    servers: tuple[PlannedServer, ...] = Field(default=(), exclude_if=lambda servers: not servers)
    """Empty where it is played in one world of its environment, at its scenario."""

    dialect: str = Field(default="", exclude_if=lambda dialect: not dialect)
    """Which dialect is spoken; nothing where it is the world's own interface."""
    disturbances: tuple[str, ...] = Field(default=(), exclude_if=lambda kinds: not kinds)
    """Which kinds of disturbances are on; where they appear follows from the scenario and the seed."""

    @property
    def played_on(self) -> tuple[PlannedServer, ...]:
        """Its servers, also where that is the one world of its environment."""
        if self.servers:
            return self.servers
        # A plan may come from anywhere: an environment that no home can have is refused where it is looked for.
        one_world = PlannedServer.model_construct(
            name=self.environment,
            environment=self.environment,
            code_digest=self.code_digest,
            scenario=self.scenario,
            scenario_digest=self.scenario_digest,
        )
        return (one_world,)


class PlannedBenchmark(Part):
    """The benchmark of other authors whose tasks are played."""

    name: str
    version: str
    """The official package or checkout that serves and judges them."""
    strategy: str = ""
    """The way in which the model that plays the user is asked, where there is a choice."""
    calls: Calls = Field(default="native", exclude_if=lambda calls: calls == "native")
    """Any but `native`: the agent's model writes its calls, and the authors' code reads them."""


class RunPlan(Artifact):
    """`plan.json` in a run directory."""

    agent: str
    via: Via
    mode: Mode = "task"
    user: str = ""
    """Who plays the user of a conversation."""
    scoring: Literal["framed", "upstream", "official"]
    """`official`: the code of a benchmark's authors is the judge."""
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
    """The grading that judged another run's episodes again; nothing where they were played."""
    episodes: tuple[PlannedEpisode, ...]
    benchmark: PlannedBenchmark | None = Field(default=None, exclude_if=lambda benchmark: benchmark is None)
