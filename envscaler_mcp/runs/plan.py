"""What a run is made of: every episode, before any of them is played."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from envscaler_mcp.artifacts import Scenario
from envscaler_mcp.artifacts.run import PlannedEpisode, RunPlan
from envscaler_mcp.config.choices import MAX_TOKENS, Mode
from envscaler_mcp.config.episode import steps_of
from envscaler_mcp.config.run import RunConfig
from envscaler_mcp.episode.agents import agent_named, model_of_agent, prompts_of_agent
from envscaler_mcp.episode.model_user import PROMPT as USER_PROMPT
from envscaler_mcp.episode.users import model_of_user, user_named
from envscaler_mcp.errors import RunError
from envscaler_mcp.prompts import Prompts
from envscaler_mcp.runs.sessions import WorldHome


def plan_run(farm: WorldHome, environments: Sequence[str], config: RunConfig) -> RunPlan:
    """Every episode of a run, before any of them is played."""
    name, _ = agent_named(config.agent)
    model = model_of_agent(name)
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
        via=config.via or "direct",
        mode=config.mode,
        user=user,
        scoring=config.scoring,
        max_steps=config.max_steps or steps_of(config.scoring, config.mode),
        max_seconds=config.seconds,
        max_tokens=config.max_tokens or (MAX_TOKENS if model else None),
        answer_tokens=config.answer_tokens if model else None,
        temperature=config.temperature if model else None,
        prompts=prompts_of(name, user, config.mode, config.prompts),
        episodes=episodes,
    )


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
