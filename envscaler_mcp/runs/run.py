"""A run: what is missing of its plan is played, judged and recorded, by several players at a time."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, contextmanager
from functools import partial
from pathlib import Path
from types import MappingProxyType

import anyio
import anyio.to_thread
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream

from envscaler_mcp.artifacts import Provenance, Trajectory
from envscaler_mcp.artifacts.run import PlannedEpisode, RunPlan
from envscaler_mcp.episode.agent import MakeAgent, RunAbortedError
from envscaler_mcp.episode.agents import model_of_agent
from envscaler_mcp.episode.loop import EpisodeRecord, Watch
from envscaler_mcp.episode.user import MakeUser
from envscaler_mcp.episode.users import user_named
from envscaler_mcp.errors import LaunchError, RunError, first_in
from envscaler_mcp.grading.verdicts import unplayable
from envscaler_mcp.launch.channels import hosting
from envscaler_mcp.launch.external import Target
from envscaler_mcp.runs.playing import EpisodeRunner, JudgedEpisode
from envscaler_mcp.runs.servers import Hosting, OpenServers, one_world, several_servers
from envscaler_mcp.runs.sessions import WorldHome
from envscaler_mcp.scoring.run_folder import RunFolder, Tally

ATTEMPTS = 3
"""How often an episode is tried in one go where the machine fails."""
_WAITING = 64
"""Episodes that may wait for the disk."""

Progress = Callable[[str, int, int], None]
"""Told the id of an episode that is done, how many are done, and how many there are."""


async def run_episodes(
    home: WorldHome,
    plan: RunPlan,
    make_agent: MakeAgent,
    folder: Path,
    parallel: int,
    progress: Progress,
    engine: Hosting | None = None,
    make_user: MakeUser | None = None,
    external: Mapping[str, Target] = MappingProxyType({}),
    watch: Watch = lambda _: None,
) -> Tally:
    """Play what is missing of the plan into the folder; an episode counts when its record lies on the disk.

    Worlds are opened as the plan says, unless an engine opens them elsewhere; `external` says where the servers of other
    programs are. `RunAbortedError` is raised after what was being played has ended; that is recorded as prevented by the
    machine.
    """
    if engine is None:
        engine = partial(hosting, via=plan.via, judge=home.judge)
    if make_user is None:
        make_user = user_named(plan.user or "scripted")[1]
    with RunFolder.open(folder, plan) as run:
        missing = run.missing()
        progress("", len(run.tally.done), len(plan.episodes))
        if missing:
            sending, receiving = anyio.create_memory_object_stream[Trajectory](_WAITING)
            runner = EpisodeRunner(home, plan, make_agent, make_user, watch)

            def host(episode: PlannedEpisode) -> AbstractAsyncContextManager[OpenServers]:
                if episode.servers:
                    return several_servers(home, plan.mode, external)
                return one_world(home, episode.environment, plan.mode, engine)

            players = _Players(run, runner, host, sending)
            with _only_disk_errors():
                async with anyio.create_task_group() as group:
                    group.start_soon(_record, run, receiving, progress)
                    await players.play(missing, parallel)
            if players.ended_by is not None:
                raise players.ended_by
        return run.tally


@contextmanager
def _only_disk_errors() -> Iterator[None]:
    """What cannot be written ends the run; that players then cannot hand on their episodes is no further error."""
    try:
        yield
    except* RunError as group:
        raise first_in(group) from None
    except* anyio.BrokenResourceError:
        pass


async def _record(run: RunFolder, receiving: MemoryObjectReceiveStream[Trajectory], progress: Progress) -> None:
    """Write what was played, all that waits at once, so that one wait for the disk serves many episodes."""
    async with receiving:
        try:
            async for first in receiving:
                batch = [first, *_waiting(receiving)]
                # It is taken from the stream already: cancelled here, it would be lost.
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


class _Players:
    """They take episodes, each from one environment at a time, so that its host can be used again."""

    def __init__(
        self,
        run: RunFolder,
        runner: EpisodeRunner,
        host: Callable[[PlannedEpisode], AbstractAsyncContextManager[OpenServers]],
        sending: MemoryObjectSendStream[Trajectory],
    ) -> None:
        self._plan = run.plan
        self._runner = runner
        self._host = host
        self._sending = sending
        self._attempts: Counter[str] = Counter(run.tally.attempts)
        self._attempts_now: Counter[str] = Counter()
        self._playing: Counter[str] = Counter()
        """How many players there are in each environment."""
        self._queues: dict[str, deque[PlannedEpisode]] = {}
        self.ended_by: RunAbortedError | None = None
        """Why no further episode is begun."""

    async def play(self, missing: Sequence[PlannedEpisode], parallel: int) -> None:
        for episode in missing:
            # Those over several servers share no host with those in one world of the same environment.
            self._queues.setdefault(f"{episode.environment}{'+' * bool(episode.servers)}", deque()).append(episode)
        async with self._sending, anyio.create_task_group() as group:
            for _ in range(min(parallel, len(missing))):
                group.start_soon(self._player)

    async def _player(self) -> None:
        while waiting := [name for name, queue in self._queues.items() if queue]:
            # The environment with the most episodes for each player that would be there.
            name = max(waiting, key=lambda name: len(self._queues[name]) / (self._playing[name] + 1))
            self._playing[name] += 1
            try:
                await self._play_all(self._queues[name])
            finally:
                self._playing[name] -= 1

    async def _play_all(self, queue: deque[PlannedEpisode]) -> None:
        """Until the queue is empty; a host that breaks is replaced."""
        while queue:
            episode: PlannedEpisode | None = None
            hosted = False
            try:
                async with self._host(queue[0]) as open_servers:
                    hosted = good = True
                    while good and queue:
                        episode = queue.popleft()
                        good = await self._take(queue, episode, await self._runner.play(open_servers, episode))
                        episode = None
            except* LaunchError as group:
                # A host that does not start is the failure of the next episode; one that breaks while it is closed has
                # had its episodes judged before.
                if not hosted and queue:
                    episode = queue.popleft()
                if episode is not None:
                    verdict = unplayable("infrastructure", str(first_in(group)), self._plan.scoring)
                    await self._take(queue, episode, JudgedEpisode(EpisodeRecord(), verdict))

    async def _take(self, queue: deque[PlannedEpisode], episode: PlannedEpisode, judged: JudgedEpisode) -> bool:
        """Send an attempt to be recorded, and queue its episode again if the machine failed; whether it did not."""
        if judged.record.stopped is not None:
            self.ended_by = self.ended_by or judged.record.stopped
            for waiting in self._queues.values():
                waiting.clear()
        self._attempts[episode.id] += 1
        await self._sending.send(_trajectory(self._plan, episode, judged, self._attempts[episode.id]))
        if judged.verdict.owner != "infrastructure":
            return True
        self._attempts_now[episode.id] += 1
        if judged.record.again and self._attempts_now[episode.id] < ATTEMPTS and self.ended_by is None:
            queue.append(episode)
        return False


def _trajectory(plan: RunPlan, episode: PlannedEpisode, judged: JudgedEpisode, attempt: int) -> Trajectory:
    parents = {"scenario": episode.scenario_digest, "code": episode.code_digest}
    if episode.servers:
        parents = {
            **{f"scenario {server.scenario}": server.scenario_digest for server in episode.servers if server.scenario},
            **{
                f"code {server.name}": server.code_digest
                for server in episode.servers
                if server.environment is not None
            },
        }
    return Trajectory(
        provenance=Provenance(
            parents={**parents, **plan.prompts}, model=model_of_agent(plan.agent) or None, seed=episode.seed
        ),
        id=episode.id,
        attempt=attempt,
        scenario=episode.scenario,
        scenario_digest=episode.scenario_digest,
        environment=episode.environment,
        code_digest=episode.code_digest,
        seed=episode.seed,
        agent=plan.agent,
        via="+".join(sorted({server.transport for server in episode.servers})) or plan.via,
        mode=plan.mode,
        user=plan.user,
        final_hash=judged.final_hash,
        verdict=judged.verdict,
        tools=judged.tools,
        **judged.record.trajectory_fields(),
    )
