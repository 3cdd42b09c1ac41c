"""What a run is made of: every episode, before any of them is played."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from envscaler_mcp.artifacts import Scenario
from envscaler_mcp.artifacts.episode import Scoring
from envscaler_mcp.artifacts.run import PlannedEpisode, RunPlan
from envscaler_mcp.artifacts.scenario import Level, Split
from envscaler_mcp.episode.agent import Mode
from envscaler_mcp.episode.agents import agent_named, model_of_agent, prompts_of_agent
from envscaler_mcp.episode.model_user import PROMPT as USER_PROMPT
from envscaler_mcp.episode.users import model_of_user, user_named
from envscaler_mcp.errors import RunError
from envscaler_mcp.launch.channels import Via
from envscaler_mcp.prompts import Prompts
from envscaler_mcp.runs.sessions import WorldHome

MAX_TOKENS, ANSWER_TOKENS = 100_000, 8_000
"""What a model may write in one episode and at once, where nothing is said."""
MAX_STEPS = 60
PUBLISHED_STEPS: dict[Mode, int] = {"task": 30, "conversation": 40}
"""Moves of an episode, where nothing is said."""


class RunConfig(BaseModel):
    """What is to be played, by whom, and how."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    agent: str = "oracle"
    """`oracle`, `noop`, `random`, `scripted:FILE`, a model as `openai:` or `prompted:`, or `module:Class` of one's own."""
    environments: tuple[str, ...] = ()
    """Ids; all that are registered by default."""
    scenarios: tuple[str, ...] = ()
    """Ids; all that the environments hold by default."""
    via: Via = "direct"
    mode: Mode = "task"
    user: str = ""
    """Who plays the user of a conversation; `scripted` where nobody is named."""
    parallel: int = Field(default=2, ge=1, le=64)
    """Episodes at a time; no part of the plan."""
    seed: int = 0
    """For the agents' own chance."""
    repeat: int = Field(default=1, ge=1)
    scoring: Scoring = "framed"
    max_steps: int | None = Field(default=None, ge=1)
    """Moves of one episode; 60 where nothing is said, and the published numbers where it is scored as published."""
    max_seconds: float = Field(default=300.0, gt=0)
    max_tokens: int | None = Field(default=None, ge=1)
    """What an agent may write in one episode."""
    answer_tokens: int | None = Field(default=None, ge=1)
    """What its model may write at once."""
    temperature: float | None = None
    prompts: Path | None = None
    """Prompts of one's own for models."""
    split: Split | None = None
    level: Level | None = None
    each: int | None = Field(default=None, ge=1)
    """At most so many scenarios of each environment."""
    limit: int | None = Field(default=None, ge=1)
    """At most so many in all, taken from the environments by turns."""


def plan_run(farm: WorldHome, environments: Sequence[str], config: RunConfig) -> RunPlan:
    """Every episode of a run, before any of them is played."""
    name, _ = agent_named(config.agent)
    user = user_named(config.user or "scripted")[0] if config.mode == "conversation" else ""
    chosen = _chosen(farm, environments, config)
    if not chosen:
        raise RunError("There is nothing to play: no environment that was chosen holds such scenarios.")
    episodes = tuple(
        PlannedEpisode(
            id=f"{one.id}/{name}/{repetition}",
            scenario=one.id,
            scenario_digest=one.digest,
            environment=one.environment,
            code_digest=one.code_digest,
            repetition=repetition,
            seed=config.seed + repetition - 1,
            level=one.level,
            split=one.split,
        )
        for one in chosen
        for repetition in range(1, config.repeat + 1)
    )
    if len({one.id for one in episodes}) < len(episodes):
        raise RunError("Two environments hold scenarios of one id; make them again.")
    return RunPlan(
        agent=name,
        via=config.via,
        mode=config.mode,
        user=user,
        scoring=config.scoring,
        max_steps=config.max_steps or steps_of(config.scoring, config.mode),
        max_seconds=config.max_seconds,
        max_tokens=config.max_tokens or (MAX_TOKENS if model_of_agent(name) else None),
        answer_tokens=config.answer_tokens or (ANSWER_TOKENS if model_of_agent(name) else None),
        temperature=config.temperature,
        prompts=prompts_of(name, user, config.mode, config.prompts),
        episodes=episodes,
    )


def steps_of(scoring: Scoring, mode: Mode) -> int:
    """How many moves an episode has where nothing is said."""
    return MAX_STEPS if scoring == "framed" else PUBLISHED_STEPS[mode]


def _chosen(farm: WorldHome, environments: Sequence[str], config: RunConfig) -> list[Scenario]:
    """The tasks to play, those of each environment together."""
    wanted, missing = set(config.scenarios), set(config.scenarios)
    by_environment = []
    for environment in environments:
        found = [one for one in farm.scenarios(environment) if not wanted or one.id in wanted]
        stale = {one.code_digest: one.id for one in found}
        if stale:
            stale.pop(farm.code(environment).environment.code_digest, None)
        if stale:
            raise RunError(
                f"The scenario {min(stale.values())!r} was made for other code of {environment!r}; make it again."
            )
        missing -= {one.id for one in found}
        found = [one for one in found if config.split in (None, one.split) and config.level in (None, one.level)]
        by_environment.append(found[: config.each])
    if missing:
        raise RunError(f"There is no scenario {min(missing)!r} in these environments.")
    in_turn = [(rank, place) for place, found in enumerate(by_environment) for rank in range(len(found))]
    taken = set(sorted(in_turn)[: config.limit])
    return [
        one for place, found in enumerate(by_environment) for rank, one in enumerate(found) if (rank, place) in taken
    ]


def prompts_of(agent: str, user: str, mode: Mode, folder: Path | None = None) -> dict[str, str]:
    """The wording of what models are asked, by prompt: with other words it is another run."""
    names = [*prompts_of_agent(agent, mode), *([USER_PROMPT] if model_of_user(user) else [])]
    prompts = Prompts(folder)
    return {name: prompts.digest_of(name) for name in names}
