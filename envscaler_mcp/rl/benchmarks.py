"""The tasks of a benchmark of other authors, played move by move by a program: to measure a policy, never to train it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from anyio.from_thread import BlockingPortal, start_blocking_portal

from envscaler_mcp.artifacts import Verdict
from envscaler_mcp.episode.agent import Action, Observation
from envscaler_mcp.episode.calling import action_of_message
from envscaler_mcp.errors import RunError
from envscaler_mcp.serving.suggestion import did_you_mean

if TYPE_CHECKING:
    from envscaler_mcp.episode.live import LiveEpisode
    from envscaler_mcp.official.benchmark import OfficialTask
    from envscaler_mcp.official.stage import Stage
    from envscaler_mcp.official.world import OfficialWorld

_SECONDS = 3600.0


@contextmanager
def benchmark(name: str, source: Path | str | None = None) -> Iterator[BenchmarkGym]:
    """The tasks of a benchmark whose files are on this machine, for the block; `source` is their folder, if they are at no usual place."""
    from envscaler_mcp.official.benchmark import BENCHMARKS
    from envscaler_mcp.official.stage import Stage

    if name not in BENCHMARKS:
        raise RunError(f"There is no benchmark {name!r}{did_you_mean(name, BENCHMARKS)}.")
    chosen = BENCHMARKS[name]
    if chosen.needs_user_model:
        raise RunError(f"A model plays the user of {name}; `envscaler bench run` asks it.")
    with Stage.of(chosen, None if source is None else Path(source)) as stage, start_blocking_portal() as portal:
        yield BenchmarkGym(stage, portal)


class BenchmarkGym:
    """Opens episodes. Threads may share it."""

    def __init__(self, stage: Stage, portal: BlockingPortal) -> None:
        self._stage, self._portal = stage, portal

    def tasks(self, category: str | None = None) -> tuple[str, ...]:
        """The ids of all tasks, or of those of a category."""
        return tuple(task.id for task in self._stage.tasks.values() if category in (None, task.category))

    @contextmanager
    def open(self, task: str) -> Iterator[BenchmarkEpisode]:
        """An attempt at a task, for the block."""
        if task not in self._stage.tasks:
            raise RunError(f"There is no task {task!r}{did_you_mean(task, self._stage.tasks)}.")
        wanted = self._stage.tasks[task]
        with self._portal.wrap_async_context_manager(_opened(self._stage, wanted)) as (live, world):
            yield BenchmarkEpisode(self._stage, self._portal, wanted, live, world)


class BenchmarkEpisode:
    """One attempt at one task, by the rules of its authors. One thread at a time."""

    def __init__(
        self, stage: Stage, portal: BlockingPortal, task: OfficialTask, live: LiveEpisode, world: OfficialWorld
    ) -> None:
        self._stage, self._portal, self._task, self._live, self._world = stage, portal, task, live, world

    @property
    def messages(self) -> list[dict[str, Any]]:
        """The conversation so far, without a system message where the authors send none."""
        return [
            dict(message) for message in self._live.played.messages if message["content"] or message["role"] != "system"
        ]

    @property
    def tools(self) -> list[dict[str, Any]]:
        """The tools as they are listed now, as chat endpoints take them; a move may change them."""
        return [callable_tool.tool.function for callable_tool in self._world.tools.values()]

    @property
    def done(self) -> bool:
        """Whether it is over, for any reason."""
        return self._live.over

    @property
    def steps(self) -> int:
        """Moves that were made."""
        return self._live.moves

    def act(self, move: Action | Mapping[str, Any]) -> Observation:
        """Make a whole move: an assistant message of a chat endpoint with its calls, or an `Action`."""
        if self.done:
            return Observation(f"The episode is over ({self._live.played.ended}).", refused=True)
        action = move if isinstance(move, Action) else action_of_message(move)
        observation: Observation = self._portal.call(self._live.act, action)
        return observation

    def call(self, name: str, arguments: Mapping[str, Any] | None = None) -> Observation:
        """Call a tool: the official answer."""
        return self.act(Action(tool=name, arguments=dict(arguments or {})))

    def say(self, text: str) -> str:
        """Say something, which ends the turn: what the user says next."""
        return str(self.act(Action(text=text)))

    def verify(self) -> Verdict:
        """The verdict of the authors' code if the episode ended here; it goes on all the same."""
        return self._portal.call(self._stage.judge, self._task, self._live.settled(), self._world).verdict


@asynccontextmanager
async def _opened(stage: Stage, task: OfficialTask) -> AsyncIterator[tuple[LiveEpisode, OfficialWorld]]:
    from envscaler_mcp.episode.live import EpisodeLimits, LiveEpisode
    from envscaler_mcp.official.stage import scenario_of

    async with stage.world(task) as world:
        live = LiveEpisode(
            world,
            scenario_of(stage.benchmark, stage.source, task),
            stage.briefing(task, world),
            EpisodeLimits(stage.benchmark.max_steps, _SECONDS),
            stage.benchmark.user(task, world, None, 0),
            rules=stage.benchmark.rules(task),
        )
        await live.begin()
        live.tell(task.system)
        yield live, world
