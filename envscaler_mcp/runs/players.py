"""Players: each takes one episode after the other, those of one environment at one host while there are any."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Protocol

import anyio

from envscaler_mcp.artifacts import Provenance, Trajectory
from envscaler_mcp.artifacts.run import PlannedEpisode, RunPlan
from envscaler_mcp.episode.agents import model_of_agent
from envscaler_mcp.episode.live import EpisodeRecord
from envscaler_mcp.errors import LaunchError, first_in
from envscaler_mcp.grading.verdicts import unplayable
from envscaler_mcp.runs.episode_queue import Assignment, PlayedEpisode
from envscaler_mcp.runs.playing import EpisodeRunner, JudgedEpisode
from envscaler_mcp.runs.servers import OpenServers
from envscaler_mcp.scoring.trajectory import written_attempt

OpenHost = Callable[[PlannedEpisode], AbstractAsyncContextManager[OpenServers]]
"""A host of the episode's servers, which those of its group can share."""


class EpisodeSource(Protocol):
    """Where players get episodes, and take what came of them."""

    async def next(self, player: int, group: str) -> Assignment | None:
        """The next episode of a player, of this group while it has any; nothing where none is left."""

    async def finished(self, played: PlayedEpisode) -> None:
        """Hand on an attempt to be recorded."""


class Players:
    """Play whatever their source gives."""

    def __init__(self, plan: RunPlan, source: EpisodeSource, runner: EpisodeRunner, open_host: OpenHost) -> None:
        self._plan = plan
        self._source = source
        self._runner = runner
        self._open_host = open_host

    async def play(self, number: int) -> None:
        """As so many players, until nothing is left."""
        async with anyio.create_task_group() as group:
            for player in range(number):
                group.start_soon(self._play, player)

    async def _play(self, player: int) -> None:
        assigned = await self._source.next(player, "")
        while assigned is not None:
            assigned = await self._play_at_one_host(player, assigned)

    async def _play_at_one_host(self, player: int, first: Assignment) -> Assignment | None:
        """Until the host breaks or its group is done; what is to be played at another host."""
        waiting: Assignment | None = first
        playing: Assignment | None = None
        hosted = False
        try:
            async with self._open_host(first.episode) as open_servers:
                hosted = good = True
                while good and waiting is not None and waiting.group == first.group:
                    playing, waiting = waiting, None
                    good = await self._finish(playing, await self._runner.play(open_servers, playing.episode))
                    playing = None
                    waiting = await self._source.next(player, first.group)
        except* LaunchError as group:
            # A host that does not start is the failure of the first episode; one that breaks while it is closed has had
            # its episodes judged before.
            if not hosted:
                playing, waiting = first, None
            if playing is not None:
                await self._finish(playing, unplayed(self._plan, str(first_in(group))))
            if waiting is None:
                waiting = await self._source.next(player, first.group)
        return waiting

    async def _finish(self, assignment: Assignment, judged: JudgedEpisode) -> bool:
        """Hand on what was played; whether the machine did not fail."""
        played = played_episode(self._plan, assignment, judged)
        await self._source.finished(played)
        return played.written.attempt.counts


_BUSY = 4
"""Players that keep a process busy where agents never wait; more would only have more worlds open."""


def players_at_most(plan: RunPlan, parallel: int) -> int:
    """How many of so many players one process can use."""
    scripted = plan.agent in ("oracle", "oracle-once", "noop", "random") or plan.agent.startswith("scripted-")
    waits = not scripted or plan.user not in ("", "scripted") or plan.via not in ("direct", "worker")
    return parallel if waits else min(parallel, _BUSY)


def unplayed(plan: RunPlan, reason: str) -> JudgedEpisode:
    """An episode that the machine kept from being played."""
    return JudgedEpisode(EpisodeRecord(), unplayable("infrastructure", reason, plan.scoring))


def played_episode(plan: RunPlan, assignment: Assignment, judged: JudgedEpisode) -> PlayedEpisode:
    """What was judged, as it is written down."""
    written = written_attempt(_trajectory(plan, assignment, judged))
    stopped = None if judged.record.stopped is None else str(judged.record.stopped)
    return PlayedEpisode(assignment, written, judged.record.again, stopped)


def _trajectory(plan: RunPlan, assignment: Assignment, judged: JudgedEpisode) -> Trajectory:
    episode = assignment.episode
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
        attempt=assignment.attempt,
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
        dialect=episode.dialect,
        disturbances=episode.disturbances,
        **judged.record.trajectory_fields(),
    )
