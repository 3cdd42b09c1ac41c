"""The episodes of a run are played again from their records, each in a fresh world, several at a time."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import anyio
import anyio.lowlevel

from envscaler_mcp.artifacts import Scenario, Trajectory, digest_of
from envscaler_mcp.artifacts.run import PlannedEpisode, RunPlan, Via
from envscaler_mcp.episode.replay import NotReplayableError, first_difference
from envscaler_mcp.errors import ArtifactError, LaunchError, SandboxError, WorldError, ungrouped
from envscaler_mcp.launch.channels import Host, hosting
from envscaler_mcp.runs.run import Progress
from envscaler_mcp.runs.sessions import WorldHome
from envscaler_mcp.sandbox.policy import RefusedError
from envscaler_mcp.sandbox.worker_errors import WorkerEndedError
from envscaler_mcp.scoring.journal import Place
from envscaler_mcp.scoring.trajectory import trajectory_of

_BROKEN = (ArtifactError, LaunchError, SandboxError, WorldError)
"""What can go wrong with a server or a world."""


@dataclass(frozen=True, slots=True)
class Replayed:
    """What came of playing one episode again."""

    id: str
    outcome: Literal["identical", "different", "impossible"]
    """`impossible`: nobody can say, because its world is not there any more, or the record does not tell enough."""
    step: int | None = None
    why: str = ""


@dataclass(frozen=True, slots=True)
class Ending:
    """Where an episode began and ended."""

    scenario: Scenario
    initial: Mapping[str, Any]
    final: Mapping[str, Any]


Take = Callable[[Replayed, Trajectory | None, Ending | None], Awaitable[None]]
"""Told of each episode as it is done, once; with its record where that was played, and its ending where it is identical
and has one."""


async def replay_run(
    farm: WorldHome, plan: RunPlan, places: Mapping[str, Place], via: Via, parallel: int, take: Take, progress: Progress
) -> None:
    """Play the recorded episodes again. Only those that are being played are in memory."""
    replay = _Replay(farm, plan, places, via, take, progress)
    with ungrouped():
        async with anyio.create_task_group() as group:
            for _ in range(min(parallel, len(places))):
                group.start_soon(replay.player)


class _Replay:
    """Players that take episodes, each from one environment at a time, so that its host can be used again."""

    def __init__(
        self, farm: WorldHome, plan: RunPlan, places: Mapping[str, Place], via: Via, take: Take, progress: Progress
    ) -> None:
        self._farm, self._plan, self._via, self._take, self._progress = farm, plan, via, take, progress
        self._planned = {one.id: one for one in plan.episodes}
        self._environments = {path.parent.name for path in farm.servers.glob("*/environment.json")}
        self._done, self._all = 0, len(places)
        self._players: Counter[str] = Counter()
        self._queues: dict[str, deque[Place]] = {}
        for place in places.values():
            planned = self._planned.get(place.episode)
            name = place.environment if planned is None else planned.environment
            self._queues.setdefault(name, deque()).append(place)

    async def player(self) -> None:
        while waiting := [name for name, queue in self._queues.items() if queue]:
            environment = max(waiting, key=lambda name: len(self._queues[name]) / (self._players[name] + 1))
            self._players[environment] += 1
            try:
                await self._replay_in(environment)
            finally:
                self._players[environment] -= 1

    async def _replay_in(self, environment: str) -> None:
        """Until nothing waits there; a host that breaks is replaced."""
        queue = self._queues[environment]
        record = await self._next(queue)
        while record is not None:
            try:
                with ungrouped():
                    place = self._farm.servers / environment, self._farm.code(environment)
                    async with hosting(*place, self._via, self._farm.judge) as host:
                        scenarios = {one.id: one for one in self._farm.scenarios(environment)}
                        while record is not None:
                            told, ending = await self._one(host, record, scenarios)
                            await self._tell(told, record, ending)
                            # From here on, what goes wrong with the host is not about this episode.
                            record = None
                            record = await self._next(queue)
            except _BROKEN as cause:
                if record is not None:
                    await self._tell(Replayed(record.id, "impossible", why=str(cause)))
            record = await self._next(queue)

    async def _next(self, queue: deque[Place]) -> Trajectory | None:
        """The next record that can be played in a world of this home; why others cannot is told."""
        while True:
            # A world in this process makes nobody wait, and whoever wants to stop must be heard.
            await anyio.lowlevel.checkpoint()
            if not queue:
                return None
            place = queue.popleft()
            try:
                record = trajectory_of(place.read())
            except ArtifactError as cause:
                await self._tell(Replayed(place.episode, "impossible", why=str(cause)))
                continue
            told = self._refused(record)
            if told is None:
                return record
            await self._tell(told)

    def _refused(self, record: Trajectory) -> Replayed | None:
        """Why a record is not played at all. A run may come from elsewhere: nothing that it names was run before this."""
        strange = _strange(record, self._planned.get(record.id))
        if strange:
            return Replayed(record.id, "different", 0, strange)
        if record.environment not in self._environments:
            return Replayed(record.id, "impossible", why=f"there is no environment {record.environment!r} here")
        if any(step.turn < 1 for step in record.steps):
            return Replayed(record.id, "impossible", why="it was recorded before turns had numbers")
        return None

    async def _tell(self, told: Replayed, record: Trajectory | None = None, ending: Ending | None = None) -> None:
        # What was begun to be taken is taken whole, even if a server goes away meanwhile.
        with anyio.CancelScope(shield=True):
            await self._take(told, record, ending)
        self._done += 1
        self._progress(told.id, self._done, self._all)

    async def _one(
        self, host: Host, record: Trajectory, scenarios: Mapping[str, Scenario]
    ) -> tuple[Replayed, Ending | None]:
        scenario = scenarios.get(record.scenario)
        if scenario is None or not _is_the_same(host, scenario, record):
            why = f"the scenario {record.scenario!r} or its environment is not what it was then"
            return Replayed(record.id, "impossible", why=why), None
        seconds = self._plan.max_seconds
        try:
            with anyio.fail_after(seconds):
                return await self._replayed(host, scenario, record)
        except TimeoutError:
            why = f"the replay took longer than {seconds:g} seconds"
            return Replayed(record.id, "impossible", why=why), None
        except NotReplayableError as cause:
            return Replayed(record.id, "impossible", why=str(cause)), None

    async def _replayed(self, host: Host, scenario: Scenario, record: Trajectory) -> tuple[Replayed, Ending | None]:
        # A world that cannot be opened is never played in.
        unopened = not record.messages and not record.final_hash
        try:
            way = await host.open(scenario)
            initial = await way.initial()
        except (WorldError, WorkerEndedError, RefusedError) as cause:
            if unopened and str(cause) == record.verdict.reason:
                return Replayed(record.id, "identical"), None
            return Replayed(record.id, "impossible", why=f"its world cannot be opened: {cause}"), None
        if unopened:
            return Replayed(record.id, "different", 0, "step 0: the world opens now, and did not then"), None
        found = await first_difference(record, way, host.code, scenario.task, self._plan.max_steps)
        if found is not None:
            return Replayed(record.id, "different", found.step, str(found)), None
        if not record.final_hash:
            return Replayed(record.id, "identical"), None
        final = await way.state()
        now = digest_of(final)
        if now == record.final_hash:
            return Replayed(record.id, "identical"), Ending(scenario, initial, final)
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
    for name in ("scenario", "scenario_digest", "environment", "code_digest", "seed"):
        then, now = getattr(planned, name), getattr(record, name)
        if then != now:
            return f"step 0: the {name} is {now!r}, and {then!r} was planned"
    return ""


def _is_the_same(host: Host, scenario: Scenario, record: Trajectory) -> bool:
    code = host.code
    return (
        code.genuine
        and code.environment.code_digest == record.code_digest
        and scenario.digest == record.scenario_digest
    )
