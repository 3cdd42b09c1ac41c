"""The tasks of a benchmark of other authors, played move by move by a program: to measure a policy, never to train it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from anyio.from_thread import BlockingPortal, start_blocking_portal

from envscaler_mcp.artifacts import Verdict
from envscaler_mcp.artifacts.run import Calls
from envscaler_mcp.episode.agent import Action, Observation
from envscaler_mcp.episode.calling import action_of_message
from envscaler_mcp.episode.users import model_of_user
from envscaler_mcp.errors import RunError
from envscaler_mcp.rl.other_door import refuse_environment
from envscaler_mcp.rl.users import opened_player
from envscaler_mcp.serving.control.client import ControlClient, Token
from envscaler_mcp.serving.suggestion import did_you_mean
from envscaler_mcp.settings import Settings

if TYPE_CHECKING:
    from envscaler_mcp.episode.live import LiveEpisode
    from envscaler_mcp.episode.model_player import ModelPlayer
    from envscaler_mcp.llm import Endpoint
    from envscaler_mcp.official.benchmark import Benchmark, OfficialTask
    from envscaler_mcp.official.stage import Stage
    from envscaler_mcp.official.world import OfficialWorld
    from envscaler_mcp.official.writing_agent import WrittenMoves

_SECONDS = 3600.0


@contextmanager
def benchmark(
    name: str,
    source: Path | str | None = None,
    *,
    user: str = "",
    user_strategy: str = "",
    calls: Calls = "native",
    endpoint: Endpoint | None = None,
    url: str | None = None,
    token: str | None = None,
) -> Iterator[BenchmarkGym]:
    """The tasks of a benchmark whose files are on this machine, for the block; `source` is their folder, if they are at no usual place.

    Where a model plays the user, `user` is that model, asked at the endpoint (by default at that of this user's settings), or
    `scripted`: who says the whole task at once. With `calls="written"`, or `"react"` or `"act"`, a policy writes its calls, where the authors have that:
    `messages` are their requests then, and the content of the message that `act` is given is read by their code. With the `url` of a farm's control plane worlds are opened there.
    """
    from envscaler_mcp.official.benchmark import BENCHMARKS
    from envscaler_mcp.official.stage import Stage

    if name not in BENCHMARKS:
        refuse_environment(name)
        raise RunError(f"There is no benchmark {name!r}{did_you_mean(name, BENCHMARKS)}.")
    chosen = BENCHMARKS[name]
    _refuse_contradictions(chosen, user, user_strategy)
    if calls not in chosen.calls:
        raise RunError(f"Nothing official reads {calls} calls in {name}; there is {', '.join(chosen.calls)}.")
    with ExitStack() as stack:
        stage = stack.enter_context(Stage.of(chosen, None if source is None else Path(source)))
        portal = stack.enter_context(start_blocking_portal())
        if url is not None:
            stage = stack.enter_context(portal.wrap_async_context_manager(_at_farm(stage, url, token)))
        player = opened_player(stack, portal, user, endpoint) if model_of_user(user) else None
        yield BenchmarkGym(stage, portal, player, user_strategy, calls)


def _refuse_contradictions(benchmark: Benchmark, user: str, strategy: str) -> None:
    name = benchmark.name
    if not benchmark.needs_user_model and (user or strategy):
        raise RunError(f"No model plays the user of {name}.")
    if benchmark.needs_user_model and user != "scripted" and not model_of_user(user):
        raise RunError(
            f"A model plays the user of {name}: name it with user='openai:MODEL', or user='scripted' for a script that "
            "says the whole task at once."
        )
    if strategy and strategy not in benchmark.user_strategies:
        ways = ", ".join(benchmark.user_strategies) or "none to choose from"
        raise RunError(f"There is no user_strategy {strategy!r}; there is {ways}.")


@asynccontextmanager
async def _at_farm(stage: Stage, url: str, token: str | None) -> AsyncIterator[Stage]:
    from envscaler_mcp.official.at_farm import FarmAccess
    from envscaler_mcp.rl.farm import OwnToken

    secret: Token = OwnToken(Settings.read()) if token is None else token
    with ControlClient(url, secret) as control:
        async with replace(stage, farm=FarmAccess(control, secret)).reached("http") as reached:
            yield reached


class BenchmarkGym:
    """Opens episodes. Threads may share it, each with episodes of its own."""

    def __init__(
        self,
        stage: Stage,
        portal: BlockingPortal,
        player: ModelPlayer | None = None,
        strategy: str = "",
        calls: Calls = "native",
    ) -> None:
        self._stage, self._portal = stage, portal
        self._player, self._strategy, self._calls = player, strategy, calls

    def tasks(self, category: str | None = None) -> tuple[str, ...]:
        """The ids of all tasks, or of those of a category."""
        return tuple(task.id for task in self._stage.tasks.values() if category in (None, task.category))

    @contextmanager
    def open(self, task: str, seed: int = 0) -> Iterator[BenchmarkEpisode]:
        """An attempt at a task, for the block; the user's model is sent the seed."""
        if task not in self._stage.tasks:
            raise RunError(f"There is no task {task!r}{did_you_mean(task, self._stage.tasks)}.")
        wanted = self._stage.tasks[task]
        with self._portal.wrap_async_context_manager(self._opened(wanted, seed)) as (live, world, written):
            yield BenchmarkEpisode(self._stage, self._portal, wanted, live, world, written)

    @asynccontextmanager
    async def _opened(
        self, task: OfficialTask, seed: int
    ) -> AsyncIterator[tuple[LiveEpisode, OfficialWorld, WrittenMoves | None]]:
        from envscaler_mcp.episode.live import EpisodeLimits, LiveEpisode
        from envscaler_mcp.official.stage import official_scenario
        from envscaler_mcp.official.writing_agent import WrittenMoves, official_writing

        stage, benchmark = self._stage, self._stage.benchmark
        async with stage.world(task) as world, AsyncExitStack() as stack:
            user = benchmark.user(task, world, self._player, seed, self._strategy)
            written = None
            if self._calls != "native":
                writing = await stack.enter_async_context(official_writing(stage.host, task, self._calls))
                written, user = WrittenMoves(writing), writing.user(user)
            live = LiveEpisode(
                world,
                official_scenario(benchmark, stage.source, task),
                stage.briefing(task, world, seed),
                EpisodeLimits(benchmark.max_steps, _SECONDS),
                user,
                rules=benchmark.rules(task),
            )
            await live.begin()
            _raise_if_stopped(live)
            live.tell(task.system if written is None else written.system)
            if written is not None:
                await written.hear(live.briefing.task)
            yield live, world, written


class BenchmarkEpisode:
    """One attempt at one task, by the rules of its authors. One thread at a time."""

    def __init__(
        self,
        stage: Stage,
        portal: BlockingPortal,
        task: OfficialTask,
        live: LiveEpisode,
        world: OfficialWorld,
        written: WrittenMoves | None = None,
    ) -> None:
        self._stage, self._portal, self._task, self._live, self._world = stage, portal, task, live, world
        self._written = written

    @property
    def messages(self) -> list[dict[str, Any]]:
        """The conversation so far, without a system message where the authors send none; with written calls, the next request."""
        if self._written is not None:
            return [{"role": message.role, "content": message.content} for message in self._written.request]
        return [
            dict(message) for message in self._live.played.messages if message["content"] or message["role"] != "system"
        ]

    @property
    def tools(self) -> list[dict[str, Any]]:
        """The tools as they are listed now, as chat endpoints take them; a move may change them. With written calls, none."""
        if self._written is not None:
            return []
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
        if self._written is not None:
            text = move.text if isinstance(move, Action) else move.get("content")
            observation: Observation = self._portal.call(self._written.act, self._live, text)
        else:
            action = move if isinstance(move, Action) else action_of_message(move)
            observation = self._portal.call(self._live.act, action)
        _raise_if_stopped(self._live)
        return observation

    def call(self, name: str, arguments: Mapping[str, Any] | None = None) -> Observation:
        """Call a tool: the official answer. Where calls are written, there is no other way."""
        if self._written is not None:
            raise RunError("Calls are written in this gym: give `act` the message that has them.")
        return self.act(Action(tool=name, arguments=dict(arguments or {})))

    def say(self, text: str) -> str:
        """Say something, which ends the turn: what the user says next."""
        return str(self.act(Action(text=text)))

    def verify(self) -> Verdict:
        """The verdict of the authors' code if the episode ended here; it goes on all the same."""
        return self._portal.call(self._stage.judge, self._task, self._live.settled(), self._world).verdict


def _raise_if_stopped(live: LiveEpisode) -> None:
    """The user's model will not answer in any other episode either."""
    if live.played.stopped is not None:
        raise live.played.stopped
