"""A run: what is missing of its plan is played, judged and written down, by several players at a time."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, contextmanager
from functools import partial
from pathlib import Path

import anyio
import anyio.to_thread
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream

from envscaler_mcp.artifacts import Provenance, Scenario, Trajectory
from envscaler_mcp.artifacts.run import PlannedEpisode, RunPlan
from envscaler_mcp.episode.agent import MakeAgent, RunAbortedError
from envscaler_mcp.episode.agents import model_of_agent
from envscaler_mcp.episode.loop import EpisodeRecord
from envscaler_mcp.episode.user import MakeUser
from envscaler_mcp.episode.users import user_named
from envscaler_mcp.errors import LaunchError, RunError, first_in
from envscaler_mcp.grading.verdicts import unplayable
from envscaler_mcp.launch.channels import Host, hosting
from envscaler_mcp.runs.playing import EpisodeRunner, JudgedEpisode
from envscaler_mcp.runs.sessions import WorldHome
from envscaler_mcp.scoring.run_folder import RunFolder, Tally
from envscaler_mcp.serving import EnvironmentCode

ATTEMPTS = 3
"""How often an episode is tried in one go where the machine fails."""
_WAITING = 64
"""Episodes that may wait for the disk."""

Hosting = Callable[[Path, EnvironmentCode], AbstractAsyncContextManager[Host]]
"""A host of a folder's worlds, for the block."""
Progress = Callable[[str, int, int], None]
"""Told the id of an episode that is done, how many are done, and how many there are."""


async def run_episodes(
    farm: WorldHome,
    plan: RunPlan,
    make_agent: MakeAgent,
    folder: Path,
    parallel: int,
    progress: Progress,
    engine: Hosting | None = None,
    make_user: MakeUser | None = None,
) -> Tally:
    """Play what is missing of the plan into the folder; an episode counts when its record lies on the disk.

    Worlds are opened as the plan says, unless an engine opens them elsewhere; a user that a model plays is made as told.
    `CannotGoOnError` is raised when what was being played has come to its end; it is kept as what the machine prevented.
    """
    if engine is None:
        engine = partial(hosting, via=plan.via, judge=farm.judge)
    with RunFolder.open(folder, plan) as run:
        missing = run.missing()
        progress("", len(run.tally.done), len(plan.episodes))
        if missing:
            sending, receiving = anyio.create_memory_object_stream[Trajectory](_WAITING)
            if make_user is None:
                make_user = user_named(plan.user or "scripted")[1]
            playing = _Run(farm, run, make_agent, make_user, engine, sending)
            with _disk_troubles_alone():
                async with anyio.create_task_group() as group:
                    group.start_soon(_keep, run, receiving, progress)
                    await playing.play(missing, parallel)
            if playing.ended_by is not None:
                raise playing.ended_by
        return run.tally


@contextmanager
def _disk_troubles_alone() -> Iterator[None]:
    """What cannot be written down ends the run, and players that could not hand on their episodes say nothing new."""
    try:
        yield
    except* RunError as group:
        raise first_in(group) from None
    except* anyio.BrokenResourceError:
        pass


async def _keep(run: RunFolder, receiving: MemoryObjectReceiveStream[Trajectory], progress: Progress) -> None:
    """Write down what was played, all that waits in one go, so that one wait for the disk serves many episodes."""
    async with receiving:
        try:
            async for first in receiving:
                batch = [first, *_waiting(receiving)]
                # Taken from the stream, so that nobody else would write it down.
                with anyio.CancelScope(shield=True):
                    await anyio.to_thread.run_sync(run.record, batch)
                progress(batch[-1].id, len(run.tally.done), len(run.plan.episodes))
        finally:
            with anyio.CancelScope(shield=True):
                rest = _waiting(receiving)
                if rest:
                    await anyio.to_thread.run_sync(run.record, rest)


def _waiting(receiving: MemoryObjectReceiveStream[Trajectory]) -> list[Trajectory]:
    batch = []
    try:
        while True:
            batch.append(receiving.receive_nowait())
    except (anyio.WouldBlock, anyio.EndOfStream):
        return batch


class _Run:
    """Players that take episodes, each from one environment at a time, so that its host can be used again."""

    def __init__(
        self,
        farm: WorldHome,
        run: RunFolder,
        make_agent: MakeAgent,
        make_user: MakeUser,
        engine: Hosting,
        sending: MemoryObjectSendStream[Trajectory],
    ) -> None:
        self._farm = farm
        self._engine = engine
        self._run = run
        self._plan = run.plan
        self._stage = EpisodeRunner(farm, run.plan, make_agent, make_user)
        self._sending = sending
        self._tried: Counter[str] = Counter(run.tally.attempts)
        self._tried_now: Counter[str] = Counter()
        self._players: Counter[str] = Counter()
        self._queues: dict[str, deque[PlannedEpisode]] = {}
        self.ended_by: RunAbortedError | None = None
        """Why nothing new is begun any more."""

    async def play(self, missing: Sequence[PlannedEpisode], parallel: int) -> None:
        for episode in missing:
            self._queues.setdefault(episode.environment, deque()).append(episode)
        async with self._sending, anyio.create_task_group() as group:
            for _ in range(min(parallel, len(missing))):
                group.start_soon(self._player)

    async def _player(self) -> None:
        while (environment := self._longest()) is not None:
            self._players[environment] += 1
            try:
                await self._play_in(environment)
            finally:
                self._players[environment] -= 1

    def _longest(self) -> str | None:
        """The environment with the most episodes for each player that would be there."""
        waiting = [name for name, queue in self._queues.items() if queue]
        return max(waiting, key=lambda name: len(self._queues[name]) / (self._players[name] + 1), default=None)

    async def _play_in(self, environment: str) -> None:
        """Until nothing waits there; a host that breaks is replaced."""
        queue = self._queues[environment]
        scenarios = {one.id: one for one in self._farm.scenarios(environment)}
        while queue:
            playing: PlannedEpisode | None = None
            hosted = False
            try:
                async with self._engine(self._farm.servers / environment, self._farm.code(environment)) as host:
                    hosted = good = True
                    while good and queue:
                        playing = queue.popleft()
                        good = await self._one(host, playing, scenarios[playing.scenario])
                        playing = None
            except* LaunchError as group:
                # Where no host comes up, it is told of the next episode; one that breaks while it is put away has told its own.
                if not hosted and queue:
                    playing = queue.popleft()
                if playing is not None:
                    told = JudgedEpisode(
                        EpisodeRecord(), unplayable("infrastructure", str(first_in(group)), self._plan.scoring)
                    )
                    await self._send(playing, told)
                    self._goes_back(playing, told)

    async def _one(self, host: Host, episode: PlannedEpisode, scenario: Scenario) -> bool:
        """Play one episode and send it on; whether the host is still good."""
        told = await self._stage.play(host, episode, scenario)
        if told.played.stopped is not None:
            self._end(told.played.stopped)
        await self._send(episode, told)
        return not self._goes_back(episode, told)

    def _end(self, cause: RunAbortedError) -> None:
        """Begin nothing new; what is being played may come to its end."""
        self.ended_by = self.ended_by or cause
        for queue in self._queues.values():
            queue.clear()

    def _goes_back(self, episode: PlannedEpisode, told: JudgedEpisode) -> bool:
        """Whether the machine kept the episode from being played; then it is tried again, but not for ever."""
        if told.verdict.owner != "infrastructure":
            return False
        self._tried_now[episode.id] += 1
        if told.played.again and self._tried_now[episode.id] < ATTEMPTS and self.ended_by is None:
            self._queues[episode.environment].append(episode)
        return True

    async def _send(self, episode: PlannedEpisode, told: JudgedEpisode) -> None:
        self._tried[episode.id] += 1
        plan = self._plan
        parents = {"scenario": episode.scenario_digest, "code": episode.code_digest, **plan.prompts}
        await self._sending.send(
            Trajectory(
                provenance=Provenance(parents=parents, model=model_of_agent(plan.agent) or None, seed=episode.seed),
                id=episode.id,
                attempt=self._tried[episode.id],
                scenario=episode.scenario,
                scenario_digest=episode.scenario_digest,
                environment=episode.environment,
                code_digest=episode.code_digest,
                seed=episode.seed,
                agent=plan.agent,
                via=plan.via,
                mode=plan.mode,
                user=plan.user,
                final_hash=told.final_hash,
                verdict=told.verdict,
                **told.played.kept(),
            )
        )
