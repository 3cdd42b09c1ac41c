"""A run: what is missing of its plan is played, judged and recorded, by several players at a time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

import anyio
from anyio.streams.memory import MemoryObjectSendStream

from envscaler_mcp.artifacts.run import RunPlan
from envscaler_mcp.episode.agent import MakeAgent
from envscaler_mcp.episode.live import Watch
from envscaler_mcp.episode.user import MakeUser
from envscaler_mcp.episode.users import user_named
from envscaler_mcp.errors import RunError, first_in
from envscaler_mcp.launch.channels import hosting
from envscaler_mcp.runs.episode_queue import Assignment, EpisodeQueue, PlayedEpisode
from envscaler_mcp.runs.player_processes import PlayerProcesses
from envscaler_mcp.runs.players import Players, players_at_most
from envscaler_mcp.runs.playing import EpisodeRunner
from envscaler_mcp.runs.recording import WAITING, Progress, record_attempts
from envscaler_mcp.runs.servers import Hosting, host_of
from envscaler_mcp.runs.sessions import WorldHome
from envscaler_mcp.scoring.run_folder import RunFolder, Tally
from envscaler_mcp.scoring.trajectory import WrittenAttempt

if TYPE_CHECKING:
    from envscaler_mcp.launch.external import Target


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
    processes: PlayerProcesses | None = None,
) -> Tally:
    """Play what is missing of the plan into the folder; an episode counts when its record lies on the disk.

    Worlds are opened as the plan says, unless an engine opens them elsewhere; `external` says where the servers of other
    programs are. With `processes`, a run that is long enough for it is played in several of them, which make agents and
    users by their names. `RunAbortedError` is raised after what was being played has ended; that is recorded as
    prevented by the machine.
    """
    if engine is None:
        engine = partial(hosting, via=plan.via, judge=home.judge, start_of=home.start_of)
    if make_user is None:
        make_user = user_named(plan.user or "scripted")[1]
    with RunFolder.open(folder, plan) as run:
        if home.tasks is not None:
            home.tasks.write_played(folder, {episode.scenario for episode in plan.episodes})
        missing = run.missing()
        progress("", len(run.tally.done), len(plan.episodes))
        if missing:
            queue = EpisodeQueue(missing, run.tally.attempts)
            sending, receiving = anyio.create_memory_object_stream[WrittenAttempt](WAITING)
            spread = 1 if processes is None else processes.worth_it(plan, len(missing), parallel)
            with _only_disk_errors():
                async with anyio.create_task_group() as group:
                    group.start_soon(record_attempts, run, receiving, progress)
                    async with sending:
                        if processes is not None and spread > 1:
                            await processes.play(plan, queue, sending, parallel, spread)
                        else:
                            runner = EpisodeRunner(home, plan, make_agent, make_user, watch)
                            open_host = partial(host_of, home, plan.mode, engine, external)
                            players = Players(plan, _Here(queue, sending), runner, open_host)
                            await players.play(min(players_at_most(plan, parallel), len(missing)))
            if queue.aborted is not None:
                raise queue.aborted
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


class _Here:
    """The source of players in this process."""

    def __init__(self, queue: EpisodeQueue, sending: MemoryObjectSendStream[WrittenAttempt]) -> None:
        self._queue = queue
        self._sending = sending

    async def next(self, player: int, group: str) -> Assignment | None:
        return next(iter(self._queue.next(player, group)), None)

    async def finished(self, played: PlayedEpisode) -> None:
        self._queue.finished(played)
        await self._sending.send(played.written)
