"""What a run consists of: every episode, before any of them is played."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from envscaler_mcp.artifacts import Scenario, digest_of
from envscaler_mcp.artifacts.run import PlannedEpisode, PlannedServer, RunPlan
from envscaler_mcp.config.choices import MAX_TOKENS, NATIVE, RANDOM, Mode
from envscaler_mcp.config.episode import steps_of
from envscaler_mcp.config.run import RunConfig
from envscaler_mcp.episode.agents import agent_named, model_of_agent, prompts_of_agent
from envscaler_mcp.episode.model_user import PROMPT as USER_PROMPT
from envscaler_mcp.episode.users import model_of_user, user_named
from envscaler_mcp.errors import RunError
from envscaler_mcp.prompts import Prompts
from envscaler_mcp.runs.sessions import WorldHome

if TYPE_CHECKING:
    from envscaler_mcp.launch.external import Target


def plan_run(home: WorldHome, environments: Sequence[str], config: RunConfig) -> RunPlan:
    """Every episode of a run, before any of them is played."""
    if config.dialect != NATIVE and config.via not in (None, "direct", "worker"):
        raise RunError(
            "A dialect is spoken in worlds that are reached direct or in a worker; use --via direct or worker."
        )
    if config.disturb and config.via not in (None, "direct", "worker"):
        raise RunError("Worlds that are reached direct or in a worker can be disturbed; use --via direct or worker.")
    name, _ = agent_named(config.agent)
    user = user_named(config.user or "scripted")[0] if config.mode == "conversation" else ""
    disturbances = _disturbances_of(config.disturb)
    chosen = _chosen(home, environments, config)
    if not chosen:
        raise RunError("There is nothing to play: no environment that was chosen holds such scenarios.")
    episodes = tuple(
        _episode(scenario, name, config.seed, repetition, config.dialect, disturbances)
        for scenario in chosen
        for repetition in range(1, config.repeat + 1)
    )
    if len({episode.id for episode in episodes}) < len(episodes):
        raise RunError("Two environments hold scenarios of one id; make them again.")
    return _plan(config, name, user, episodes)


@dataclass(frozen=True, slots=True)
class LocalServer:
    """A world of this home in an episode."""

    name: str
    environment: str
    scenario: Scenario | None = None
    """Where it begins, and what judges it; without one it begins at its first state."""


@dataclass(frozen=True, slots=True)
class ExternalServer:
    """A server of another program in an episode."""

    name: str
    target: Target


def plan_episode(
    home: WorldHome, servers: Sequence[LocalServer | ExternalServer], task: str, config: RunConfig
) -> RunPlan:
    """A run of one episode over these servers, of a task besides what their scenarios ask for."""
    name, _ = agent_named(config.agent)
    user = user_named(config.user or "scripted")[0] if config.mode == "conversation" else ""
    scenarios = [
        server.scenario for server in servers if isinstance(server, LocalServer) and server.scenario is not None
    ]
    if len(servers) == len(scenarios) == 1 and not task:
        # One world is played as every run plays it.
        return _plan(config, name, user, (_episode(scenarios[0], name, config.seed, 1),))
    planned = tuple(_planned(home, server) for server in servers)
    joined = "+".join(scenario.id for scenario in scenarios) or "play"
    splits = {scenario.split for scenario in scenarios}
    episode = PlannedEpisode(
        id=f"{joined}/{name}/1",
        scenario=joined,
        scenario_digest=digest_of([task, *(scenario.digest for scenario in scenarios)]),
        environment="+".join(server.name for server in servers),
        code_digest=digest_of([server.code_digest for server in planned]),
        repetition=1,
        seed=config.seed,
        level=scenarios[0].level if scenarios else None,
        # One task that is kept for tests keeps all of it from training.
        split=next((split for split in ("held_out", "validation", "train") if split in splits), None),
        task=task,
        servers=planned,
    )
    return _plan(config, name, user, (episode,))


def _planned(home: WorldHome, server: LocalServer | ExternalServer) -> PlannedServer:
    if isinstance(server, ExternalServer):
        return PlannedServer(name=server.name, transport="stdio" if isinstance(server.target, tuple) else "http")
    return PlannedServer(
        name=server.name,
        environment=server.environment,
        code_digest=home.code(server.environment).environment.code_digest,
        scenario="" if server.scenario is None else server.scenario.id,
        scenario_digest="" if server.scenario is None else server.scenario.digest,
    )


def _episode(
    scenario: Scenario,
    agent: str,
    seed: int,
    repetition: int,
    dialect: str = NATIVE,
    disturbances: tuple[str, ...] = (),
) -> PlannedEpisode:
    return PlannedEpisode(
        id=f"{scenario.id}/{agent}/{repetition}",
        scenario=scenario.id,
        scenario_digest=scenario.digest,
        environment=scenario.environment,
        code_digest=scenario.code_digest,
        repetition=repetition,
        seed=seed + repetition - 1,
        level=scenario.level,
        split=scenario.split,
        dialect=_dialect_of(scenario, seed, repetition, dialect),
        disturbances=disturbances,
    )


def _disturbances_of(wanted: str) -> tuple[str, ...]:
    if not wanted:
        return ()
    # Most runs have none.
    from envscaler_mcp.disturbances import read_disturbances

    return read_disturbances(wanted)


def _dialect_of(scenario: Scenario, seed: int, repetition: int, wanted: str) -> str:
    """The dialect of an episode, as plans hold it. A random one follows from the episode, and fits the split of its task."""
    if wanted == NATIVE:
        return ""
    from envscaler_mcp.dialects import MOST_NUMBERS, DialectName

    if wanted != RANDOM:
        return str(DialectName.read(wanted))
    digest = digest_of([scenario.id, seed, repetition]).removeprefix("sha256:")
    return str(DialectName(int(digest[:15], 16) % MOST_NUMBERS, scenario.split == "held_out"))


def _plan(config: RunConfig, name: str, user: str, episodes: tuple[PlannedEpisode, ...]) -> RunPlan:
    model = model_of_agent(name)
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


def _chosen(home: WorldHome, environments: Sequence[str], config: RunConfig) -> list[Scenario]:
    """The tasks to play, those of each environment together."""
    wanted, missing = set(config.scenarios), set(config.scenarios)
    by_environment = []
    for environment in environments:
        scenarios = [scenario for scenario in home.scenarios(environment) if not wanted or scenario.id in wanted]
        stale = {scenario.code_digest: scenario.id for scenario in scenarios}
        if stale:
            stale.pop(home.code_digest(environment), None)
        if stale:
            raise RunError(
                f"The scenario {min(stale.values())!r} was made for other code of {environment!r}; make it again."
            )
        missing -= {scenario.id for scenario in scenarios}
        scenarios = [
            scenario
            for scenario in scenarios
            if config.split in (None, scenario.split) and config.level in (None, scenario.level)
        ]
        by_environment.append(scenarios[: config.each])
    if missing:
        raise RunError(f"There is no scenario {min(missing)!r} in these environments.")
    in_turn = [(rank, place) for place, scenarios in enumerate(by_environment) for rank in range(len(scenarios))]
    taken = set(sorted(in_turn)[: config.limit])
    return [
        scenario
        for place, scenarios in enumerate(by_environment)
        for rank, scenario in enumerate(scenarios)
        if (rank, place) in taken
    ]


def prompts_of(agent: str, user: str, mode: Mode, folder: Path | None = None) -> dict[str, str]:
    """The wording of what models are asked, by prompt: with other words it is another run."""
    names = [*prompts_of_agent(agent, mode), *([USER_PROMPT] if model_of_user(user) else [])]
    prompts = Prompts(folder)
    return {name: prompts.digest_of(name) for name in names}
