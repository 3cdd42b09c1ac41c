"""A run of a benchmark: an ordinary run folder, planned first and continued by the same command."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import anyio
from anyio.streams.memory import MemoryObjectSendStream

from envscaler_mcp.artifacts import digest_of
from envscaler_mcp.artifacts.run import PlannedBenchmark, PlannedEpisode, RunPlan
from envscaler_mcp.config.bench import BenchConfig
from envscaler_mcp.config.choices import MAX_TOKENS
from envscaler_mcp.episode.agent import MakeAgent
from envscaler_mcp.episode.agents import agent_named, model_of_agent
from envscaler_mcp.episode.live import EpisodeLimits, Watch
from envscaler_mcp.episode.model_player import ModelPlayer
from envscaler_mcp.episode.providers import provider_of
from envscaler_mcp.episode.user import User
from envscaler_mcp.episode.users import model_of_user
from envscaler_mcp.errors import RunError, first_in
from envscaler_mcp.official.at_farm import FarmAccess
from envscaler_mcp.official.benchmark import Benchmark, OfficialTask
from envscaler_mcp.official.own_farm import at_a_farm
from envscaler_mcp.official.stage import OFFICIAL, Stage, Way, environment_of
from envscaler_mcp.official.world import OfficialWorld
from envscaler_mcp.official.writing_agent import CallWriter
from envscaler_mcp.prompts import Prompts
from envscaler_mcp.runs.episode_queue import EpisodeQueue
from envscaler_mcp.runs.players import played_episode
from envscaler_mcp.runs.recording import WAITING, Progress, record_attempts
from envscaler_mcp.scoring.run_folder import RunFolder, Tally
from envscaler_mcp.scoring.trajectory import WrittenAttempt


def plan_benchmark(stage: Stage, config: BenchConfig) -> RunPlan:
    """Every episode of a run, before any of them is played."""
    benchmark = stage.benchmark
    agent, _ = agent_named(config.agent)
    tasks = _chosen(benchmark, list(stage.tasks.values()), config)
    episodes = tuple(
        PlannedEpisode(
            id=f"{task.id}/{agent}/{repetition}",
            scenario=task.id,
            scenario_digest=digest_of({**task.content, **task.answers}),
            environment=environment_of(benchmark, task),
            code_digest=stage.source.digest,
            repetition=repetition,
            seed=config.seed + repetition - 1,
            split="held_out",
        )
        for task in tasks
        for repetition in range(1, config.repeat + 1)
    )
    model = model_of_agent(agent)
    provider, _ = provider_of(agent)
    user = model_of_user(config.user)
    prompts = Prompts()
    return RunPlan(
        agent=agent,
        via="http" if config.via == "farm" else config.via,
        mode="conversation",
        user=config.user or OFFICIAL,
        scoring=OFFICIAL,
        max_steps=benchmark.max_steps,
        max_seconds=config.max_seconds,
        max_tokens=config.max_tokens or (MAX_TOKENS if model else None),
        answer_tokens=config.answer_tokens if model else None,
        temperature=(benchmark.temperature if config.temperature is None else config.temperature) if model else None,
        prompts={name: prompts.digest_of(name) for name in (provider.calling.prompts if provider else ())},
        episodes=episodes,
        benchmark=PlannedBenchmark(
            name=benchmark.name,
            version=benchmark.requirement.version,
            calls=config.calls,
            strategy=(config.user_strategy or next(iter(benchmark.user_strategies), "")) if user else "",
        ),
    )


def _chosen(benchmark: Benchmark, tasks: Sequence[OfficialTask], config: BenchConfig) -> list[OfficialTask]:
    known = {task.id for task in tasks}
    strange = [name for name in config.tasks if name not in known]
    if strange:
        raise RunError(f"{benchmark.name} has no task {strange[0]!r}.")
    categories = config.categories or (benchmark.categories if config.tasks else benchmark.default_categories)
    chosen = [task for task in tasks if task.category in categories and (not config.tasks or task.id in config.tasks)]
    if not chosen:
        raise RunError(f"There is nothing to play: {benchmark.name} has no such tasks.")
    return chosen[: config.limit]


async def run_benchmark(
    stage: Stage,
    plan: RunPlan,
    make_agent: MakeAgent,
    user: ModelPlayer | None,
    folder: Path,
    parallel: int,
    progress: Progress,
    watch: Watch = lambda _: None,
    farm: FarmAccess | None = None,
    written_by: CallWriter | None = None,
) -> Tally:
    """Play what is missing of the plan into the folder; an episode counts when its record lies on the disk.

    A plan over HTTP is played at that farm, or at one in this process. Where calls are written, `written_by` is the agent's model.
    """
    async with at_a_farm(stage, farm) if plan.via == "http" else nullcontext(stage) as stage:
        return await _run(stage, plan, _Cast(make_agent, user, written_by), folder, parallel, progress, watch)


async def _run(
    stage: Stage,
    plan: RunPlan,
    cast: _Cast,
    folder: Path,
    parallel: int,
    progress: Progress,
    watch: Watch,
) -> Tally:
    with RunFolder.open(folder, plan) as run:
        missing = run.missing()
        progress("", len(run.tally.done), len(plan.episodes))
        queue = EpisodeQueue(missing, run.tally.attempts)
        sending, receiving = anyio.create_memory_object_stream[WrittenAttempt](WAITING)
        players = _Players(stage, plan, cast, queue, sending, watch)
        try:
            async with anyio.create_task_group() as group:
                group.start_soon(record_attempts, run, receiving, progress)
                async with sending, anyio.create_task_group() as playing:
                    for player in range(min(parallel, len(missing))):
                        playing.start_soon(players.play, player)
        except* RunError as several:
            raise first_in(several) from None
        except* anyio.BrokenResourceError:
            # What cannot be written has ended the run.
            pass
        if queue.aborted is not None:
            raise queue.aborted
        return run.tally


@dataclass(frozen=True, slots=True)
class _Cast:
    """Who plays."""

    make_agent: MakeAgent
    user: ModelPlayer | None
    written_by: CallWriter | None


class _Players:
    """Each takes one episode after the other."""

    def __init__(
        self,
        stage: Stage,
        plan: RunPlan,
        cast: _Cast,
        queue: EpisodeQueue,
        sending: MemoryObjectSendStream[WrittenAttempt],
        watch: Watch,
    ) -> None:
        self._stage, self._plan, self._cast = stage, plan, cast
        self._queue, self._sending, self._watch = queue, sending, watch
        self._strategy = plan.benchmark.strategy if plan.benchmark else ""
        self._limits = EpisodeLimits(plan.max_steps, plan.max_seconds, plan.max_tokens)

    async def play(self, player: int) -> None:
        """Until nothing is left."""
        benchmark = self._stage.benchmark
        async with self._stage.reached(_way(self._plan)) as stage:
            await self._play_all(stage, benchmark, player)

    async def _play_all(self, stage: Stage, benchmark: Benchmark, player: int) -> None:
        while assigned := self._queue.next(player, ""):
            episode = assigned[0].episode
            judged = await stage.play(
                stage.tasks[episode.scenario],
                self._cast.make_agent,
                partial(_user_of, benchmark, self._cast.user, episode.seed, self._strategy),
                self._limits,
                episode.seed,
                self._watch,
                self._cast.written_by,
            )
            played = played_episode(self._plan, assigned[0], judged)
            self._queue.finished(played)
            await self._sending.send(played.written)


def _way(plan: RunPlan) -> Way:
    return plan.via if plan.via in ("stdio", "http") else "worker"


def _user_of(
    benchmark: Benchmark,
    player: ModelPlayer | None,
    seed: int,
    strategy: str,
    task: OfficialTask,
    world: OfficialWorld,
) -> User:
    return benchmark.user(task, world, player, seed, strategy)
