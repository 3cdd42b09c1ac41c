"""The episodes of a run are replayed from their records, each in fresh worlds, several at a time."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import anyio
import anyio.lowlevel

from envscaler_mcp.artifacts import Scenario, Trajectory
from envscaler_mcp.artifacts.run import PlannedEpisode, PlannedServer, RunPlan, Via
from envscaler_mcp.episode.replay import NotReplayableError, first_difference
from envscaler_mcp.errors import ArtifactError, LaunchError, SandboxError, WorkerEndedError, WorldError, ungrouped
from envscaler_mcp.home import folder_names
from envscaler_mcp.launch.channels import hosting
from envscaler_mcp.launch.combined import CombinedServers
from envscaler_mcp.runs.playing import ending_digest, is_published
from envscaler_mcp.runs.recording import Progress
from envscaler_mcp.runs.servers import EpisodeServer, OpenServers, host_of, scenario_of
from envscaler_mcp.runs.sessions import WorldHome
from envscaler_mcp.sandbox.policy import RefusedError
from envscaler_mcp.scoring.journal import RecordLocation
from envscaler_mcp.scoring.trajectory import trajectory_of

_BROKEN = (ArtifactError, LaunchError, SandboxError, WorldError)
"""What can go wrong with a server or a world."""


@dataclass(frozen=True, slots=True)
class Replayed:
    """What came of playing one episode again."""

    id: str
    outcome: Literal["identical", "different", "impossible"]
    """`impossible`: it cannot be said, because a world or a server of it is gone, or the record does not hold enough."""
    step: int | None = None
    why: str = ""


@dataclass(frozen=True, slots=True)
class Ending:
    """How an episode ended."""

    servers: tuple[EpisodeServer, ...]
    final: Mapping[str, Any]
    """The states at the end, by server."""


Take = Callable[[Replayed, Trajectory | None, Ending | None], Awaitable[None]]
"""Told of each episode as it is done, once; with its record where that was played, and its ending where it is identical
and has one."""


async def replay_run(
    home: WorldHome,
    plan: RunPlan,
    places: Mapping[str, RecordLocation],
    via: Via,
    parallel: int,
    take: Take,
    progress: Progress,
) -> None:
    """Replay the recorded episodes; worlds of episodes over several servers are opened in this process or a worker.

    Only episodes that are being replayed are in memory.
    """
    replay = _Replay(home, plan, places, via, take, progress)
    with ungrouped():
        async with anyio.create_task_group() as group:
            for _ in range(min(parallel, len(places))):
                group.start_soon(replay.player)


class _Replay:
    """Players that take episodes, each from one environment at a time, so that its host can be used again."""

    def __init__(
        self,
        home: WorldHome,
        plan: RunPlan,
        places: Mapping[str, RecordLocation],
        via: Via,
        take: Take,
        progress: Progress,
    ) -> None:
        self._home, self._plan, self._via, self._take, self._progress = home, plan, via, take, progress
        self._planned = {episode.id: episode for episode in plan.episodes}
        self._environments = folder_names(home.servers)
        self._scenarios: dict[str, dict[str, Scenario]] = {}
        self._done, self._all = 0, len(places)
        self._players: Counter[str] = Counter()
        self._queues: dict[str, deque[RecordLocation]] = {}
        for place in places.values():
            episode = self._planned.get(place.episode)
            name = place.environment if episode is None else f"{episode.environment}{'+' * bool(episode.servers)}"
            self._queues.setdefault(name, deque()).append(place)

    async def player(self) -> None:
        while waiting := [name for name, queue in self._queues.items() if queue]:
            name = max(waiting, key=lambda name: len(self._queues[name]) / (self._players[name] + 1))
            self._players[name] += 1
            try:
                await self._replay_all(self._queues[name])
            finally:
                self._players[name] -= 1

    async def _replay_all(self, queue: deque[RecordLocation]) -> None:
        """Until the queue is empty; a host that breaks is replaced."""
        record = await self._next(queue)
        while record is not None:
            try:
                with ungrouped():
                    async with self._host(self._planned[record.id]) as open_servers:
                        while record is not None:
                            replayed, ending = await self._one(open_servers, record)
                            await self._tell(replayed, record, ending)
                            # From here on, what goes wrong with the host is not about this episode.
                            record = None
                            record = await self._next(queue)
            except _BROKEN as cause:
                if record is not None:
                    await self._tell(Replayed(record.id, "impossible", why=str(cause)))
            record = await self._next(queue)

    def _host(self, episode: PlannedEpisode) -> AbstractAsyncContextManager[OpenServers]:
        engine = partial(hosting, via=self._via, judge=self._home.judge, start_of=self._home.start_of)
        return host_of(self._home, self._plan.mode, engine, {}, episode)

    async def _next(self, queue: deque[RecordLocation]) -> Trajectory | None:
        """The next record that can be replayed in worlds of this home; why others cannot is told."""
        while True:
            # A world in this process never waits; Ctrl-C must be heard all the same.
            await anyio.lowlevel.checkpoint()
            if not queue:
                return None
            place = queue.popleft()
            try:
                record = trajectory_of(place.read())
            except ArtifactError as cause:
                await self._tell(Replayed(place.episode, "impossible", why=str(cause)))
                continue
            refused = self._refused(record)
            if refused is None:
                return record
            await self._tell(refused)

    def _refused(self, record: Trajectory) -> Replayed | None:
        """Why a record is not replayed at all. A run may come from elsewhere: nothing that it names was run before this."""
        episode = self._planned.get(record.id)
        strange = _strange(record, episode)
        if episode is None or strange:
            return Replayed(record.id, "different", 0, strange)
        for server in episode.played_on:
            if server.environment is None:
                why = f"{server.name!r} is a server of another program: what it answered then cannot be had again"
                return Replayed(record.id, "impossible", why=why)
            if server.environment not in self._environments:
                return Replayed(record.id, "impossible", why=f"there is no environment {server.environment!r} here")
        if any(step.turn < 1 for step in record.steps):
            return Replayed(record.id, "impossible", why="it was recorded before turns had numbers")
        return None

    async def _tell(self, replayed: Replayed, record: Trajectory | None = None, ending: Ending | None = None) -> None:
        # What was begun to be taken is taken whole, even if a server goes away meanwhile.
        with anyio.CancelScope(shield=True):
            await self._take(replayed, record, ending)
        self._done += 1
        self._progress(replayed.id, self._done, self._all)

    async def _one(self, open_servers: OpenServers, record: Trajectory) -> tuple[Replayed, Ending | None]:
        episode, seconds = self._planned[record.id], self._plan.max_seconds
        changed = next((server for server in episode.played_on if not self._is_the_same(server)), None)
        if changed is not None:
            what = (
                f"scenario {changed.scenario!r} or its environment"
                if changed.scenario
                else f"environment of {changed.name!r}"
            )
            return Replayed(record.id, "impossible", why=f"the {what} is not what it was then"), None
        try:
            with anyio.fail_after(seconds):
                return await self._replayed(open_servers, episode, record)
        except TimeoutError:
            why = f"the replay took longer than {seconds:g} seconds"
            return Replayed(record.id, "impossible", why=why), None
        except NotReplayableError as cause:
            return Replayed(record.id, "impossible", why=str(cause)), None

    def _is_the_same(self, server: PlannedServer) -> bool:
        """Whether the home still has the code and the scenario that were played."""
        assert server.environment is not None
        code = self._home.code(server.environment)
        if not code.genuine or code.environment.code_digest != server.code_digest:
            return False
        if not server.scenario:
            return True
        known = self._scenarios.get(server.environment)
        if known is None:
            known = {scenario.id: scenario for scenario in self._home.scenarios(server.environment)}
            self._scenarios[server.environment] = known
        return server.scenario in known and known[server.scenario].digest == server.scenario_digest

    async def _replayed(
        self, open_servers: OpenServers, episode: PlannedEpisode, record: Trajectory
    ) -> tuple[Replayed, Ending | None]:
        # A world that could not be opened was never played in.
        unopened = not record.messages and not record.final_hash
        try:
            servers = await open_servers(episode)
            combined = CombinedServers(servers)
            task = scenario_of(episode, servers, combined, self._plan.agent).task
        except (WorldError, WorkerEndedError, RefusedError) as cause:
            if unopened and str(cause) == record.verdict.reason:
                return Replayed(record.id, "identical"), None
            return Replayed(record.id, "impossible", why=f"its world cannot be opened: {cause}"), None
        if unopened:
            return Replayed(record.id, "different", 0, "step 0: the world opens now, and did not then"), None
        difference = await first_difference(
            record, combined, task, self._plan.max_steps, published=is_published(servers)
        )
        if difference is not None:
            return Replayed(record.id, "different", difference.step, str(difference)), None
        if not record.final_hash:
            return Replayed(record.id, "identical"), None
        final = await combined.state()
        now = ending_digest(episode, final)
        if now == record.final_hash:
            return Replayed(record.id, "identical"), Ending(servers, final)
        if record.ended == "time":
            why = "time ran out then; a call that was under way is not in the record"
            return Replayed(record.id, "impossible", why=why), None
        last = len(record.steps)
        why = f"step {last}: every step is the same, but the state at the end was {record.final_hash} and is {now}"
        return Replayed(record.id, "different", last, why), None


def _strange(record: Trajectory, planned: PlannedEpisode | None) -> str:
    """In what a record is not that of the episode that was planned."""
    if planned is None:
        return "no such episode was planned"
    for name in ("scenario", "scenario_digest", "environment", "code_digest", "seed", "dialect", "disturbances"):
        then, now = getattr(planned, name), getattr(record, name)
        if then != now:
            return f"step 0: the {name} is {now!r}, and {then!r} was planned"
    return ""
