"""Opens episodes: in this process, or at a farm; the same methods for both."""

from __future__ import annotations

import re
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Protocol, Self, TypedDict, TypeVar, Unpack

from envscaler_mcp.artifacts import Environment, FreshTask, Scenario, State, Trajectory, Verdict
from envscaler_mcp.artifacts.episode import Scoring
from envscaler_mcp.artifacts.run import Mode
from envscaler_mcp.artifacts.scenario import ProofExtent
from envscaler_mcp.config.choices import NATIVE, Level, Split
from envscaler_mcp.config.episode import steps_of
from envscaler_mcp.episode.agent import Briefing
from envscaler_mcp.episode.live import EpisodeLimits, LiveEpisode
from envscaler_mcp.episode.model_agent import PROMPTS
from envscaler_mcp.episode.progress import GoalProgress
from envscaler_mcp.errors import LaunchError, WorldError
from envscaler_mcp.llm import Endpoint
from envscaler_mcp.prompts import Prompts
from envscaler_mcp.rl.episode import BlockingChannel, Episode, EpisodeOptions, drive
from envscaler_mcp.rl.other_door import refuse_benchmark
from envscaler_mcp.rl.places import Place, Task, TaskWorld
from envscaler_mcp.rl.spoken import SpokenTaskWorld
from envscaler_mcp.rl.store import store
from envscaler_mcp.rl.users import Users
from envscaler_mcp.scenarios.introduction import introduction_at
from envscaler_mcp.scoring.task_file import TaskFile
from envscaler_mcp.serving.code import CallableTool, callable_tools
from envscaler_mcp.serving.suggestion import did_you_mean

if TYPE_CHECKING:
    from envscaler_mcp.dialects import Dialect
    from envscaler_mcp.disturbances import Disturbable, Disturbances

T = TypeVar("T")
R = TypeVar("R")
_MOST_DIALECTS = 256
"""Dialects of environments that a gym has ready."""
AT_ONCE = 16
"""How many requests of one `..._many` are under way at a farm."""


class TaskWithState(Protocol):
    """A task that lies in no home: its scenario, and the state where it begins."""

    @property
    def scenario(self) -> Scenario: ...
    @property
    def start(self) -> State: ...


class Choices(TypedDict, total=False):
    """The fields of `EpisodeOptions`, as keywords."""

    seed: int
    mode: Mode
    user: str
    max_steps: int | None
    max_tokens: int | None
    scoring: Scoring
    dialect: str
    disturb: str
    record: bool


_IS_ADDRESS = re.compile(r"[/:.]|^\d+$")
"""A URL, a socket file or a port, and no name alone."""
AnyTask = str | Scenario | TaskWithState
"""The id of a stored scenario, its document, or a task with a state of its own."""


class Gym:
    """Opens episodes of stored or fresh tasks. Threads may share it; closing it closes every episode of it."""

    def __init__(
        self,
        place: Place,
        prompts: Path | None = None,
        endpoint: Endpoint | None = None,
        tasks: TaskFile | None = None,
    ) -> None:
        self._place = place
        self._tasks = tasks
        """Fresh tasks that take the place of the stored ones."""
        self._prompts = Prompts(prompts)
        self._users = Users(endpoint)
        self._open: weakref.WeakSet[Episode] = weakref.WeakSet()
        self._dialects: dict[tuple[str, str], Dialect] = {}
        self._introductions: dict[tuple[str, str, str, str], str] = {}
        """By all that they depend on."""
        self._threads: ThreadPoolExecutor | None = None
        self._end = weakref.finalize(self, _end, place, self._users)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _tb: TracebackType | None
    ) -> None:
        self.close()

    @property
    def agent_headers(self) -> Mapping[str, str]:
        """What an MCP client of yours sends to the address of an episode's world. It may hold the owner's token: give it to no agent
        that is judged. A farm that wants no tokens from agents needs none of it.
        """
        return self._place.agent_headers

    def environments(self) -> tuple[str, ...]:
        """The ids of all environments."""
        return self._place.environments()

    def card(self, environment: str) -> Environment:
        """What is known of an environment: its title, rules, tools."""
        return self._place.card(self._known(environment))

    def tasks(
        self,
        environment: str | Iterable[str] | None = None,
        *,
        level: Level | None = None,
        split: Split | None = None,
    ) -> Iterator[Scenario]:
        """Stored tasks, or those of the gym's file, environment by environment; by default of all environments, levels and
        splits.
        """
        names = (
            self.environments()
            if environment is None
            else [environment]
            if isinstance(environment, str)
            else environment
        )
        for name in names:
            for scenario in self._scenarios(self._known(name)):
                if level in (None, scenario.level) and split in (None, scenario.split):
                    yield scenario

    def fresh_tasks(
        self,
        environment: str,
        *,
        level: Level | None = None,
        seed: int = 0,
        split: Split = "train",
        proof: ProofExtent = "whole",
    ) -> Iterator[FreshTask]:
        """Proven tasks that are made when they are asked for, at start states of their own, without end; for `open`.

        Equal seeds give equal tasks. GrowthError is raised where the environment gives no more, WorldError at a farm.
        """
        return self._place.fresh_tasks(self._known(environment), level, seed, split, proof)

    def find(self, scenario: str, environment: str | None = None) -> Scenario:
        """The task of that id; the environment is named where the id does not begin with it."""
        names = (
            [environment] if environment else [name for name in self.environments() if scenario.startswith(f"{name}-")]
        )
        known = [id_ for name in names for id_ in self._ids(self._known(name))]
        if scenario not in known:
            raise WorldError(
                f"There is no scenario {scenario!r}{did_you_mean(scenario, known)}"
                + ("" if names else " Its id begins with no environment's; name that with environment=.")
            )
        return next(self._of_id(name, scenario) for name in names if scenario in self._ids(name))

    def _scenarios(self, environment: str) -> Sequence[Scenario]:
        return self._place.scenarios(environment) if self._tasks is None else self._tasks.scenarios(environment)

    def _ids(self, environment: str) -> Sequence[str]:
        if self._tasks is not None:
            return self._tasks.ids(environment)
        return [task.id for task in self._place.scenarios(environment)]

    def _of_id(self, environment: str, id_: str) -> Scenario:
        if self._tasks is not None:
            return self._tasks.scenario(environment, id_)
        return next(task for task in self._place.scenarios(environment) if task.id == id_)

    def open(
        self,
        task: AnyTask | None = None,
        *,
        environment: str | None = None,
        level: Level | None = None,
        index: int = 0,
        split: Split | None = None,
        state: State | None = None,
        **options: Unpack[Choices],
    ) -> Episode:
        """An episode at a task: a scenario's id or document, a task with its own state, or the one at `index` of an
        environment's tasks of this level and split.
        """
        if task is None:
            if environment is None:
                raise WorldError("Name a task, or an environment whose tasks are counted by index.")
            task = self._at(index, list(self.tasks(environment, level=level, split=split)), environment)
        (episode,) = self._opened(self._task(task, environment, state), 1, options)
        return episode

    def open_many(
        self, tasks: AnyTask | Iterable[AnyTask], count: int = 1, **options: Unpack[Choices]
    ) -> list[Episode]:
        """`count` episodes of each task, those of one task beside each other; all of them or none."""
        alone = isinstance(tasks, str | Scenario) or hasattr(tasks, "scenario")
        wanted: list[Any] = [tasks] if alone else list(tasks)  # type: ignore[arg-type]
        groups = self._each(lambda task: self._opened(self._task(task), count, options), wanted, close=True)
        return [episode for group in groups for episode in group]

    def verify_many(self, episodes: Iterable[Episode]) -> list[Verdict]:
        """The verdict on each."""
        return self._each(Episode.verify, list(episodes))

    def close_many(self, episodes: Iterable[Episode]) -> None:
        """End the worlds of all of them."""
        self._each(Episode.close, list(episodes))

    def store(self, folder: str | Path, trajectories: Iterable[Trajectory]) -> None:
        """Write recorded episodes into a run folder, which `envscaler runs` and `envscaler export` read."""
        recorded = list(trajectories)
        store(Path(folder), recorded, self._stored)
        if self._tasks is not None:
            self._tasks.write_played(Path(folder), {trajectory.scenario for trajectory in recorded})

    def _stored(self, trajectory: Trajectory) -> Scenario | None:
        """The stored task of a trajectory; none where it was one of the program's own."""
        tasks = self._scenarios(self._known(trajectory.environment))
        return next((task for task in tasks if task.digest == trajectory.scenario_digest), None)

    def close(self) -> None:
        """End every world that was opened here."""
        try:
            self.close_many(self._open)
        finally:
            if self._threads is not None:
                self._threads.shutdown()
            self._end()

    # What episodes need

    def keep(self, episode: Episode) -> None:
        """Close it with everything else."""
        self._open.add(episode)

    def progress(self, task: Task, world: TaskWorld) -> GoalProgress:
        """How far the goals of the task are in this world."""
        checks = self._place.checks_of_goals(task)
        return NearProgress(checks, lambda _: world.judge("framed").checks)

    def _known(self, environment: str) -> str:
        if environment not in self.environments():
            refuse_benchmark(environment)
            raise WorldError(f"There is no environment {environment!r}{did_you_mean(environment, self.environments())}")
        return environment

    def _at(self, index: int, tasks: Sequence[Scenario], environment: str) -> Scenario:
        if not 0 <= index < len(tasks):
            raise WorldError(
                f"{environment!r} holds {len(tasks)} such tasks, and number {index} was asked for, from 0."
            )
        return tasks[index]

    def _task(self, task: AnyTask, environment: str | None = None, state: State | None = None) -> Task:
        if isinstance(task, str):
            task = self.find(task, environment)
        if not isinstance(task, Scenario):
            return Task(task.scenario, state or task.start)
        if state is None and self._tasks is not None and task.id in self._tasks.ids(task.environment):
            state = self._tasks.state(task)
        return Task(task, state)

    def _opened(self, task: Task, count: int, choices: Choices) -> list[Episode]:
        options = EpisodeOptions(**choices)
        interface = self._interface(task.scenario, options)
        worlds: Sequence[TaskWorld] = self._place.open(task, count, diffs=options.record)
        if interface is not None:
            worlds = [SpokenTaskWorld(world, interface) for world in worlds]
        try:
            card = self._place.card(task.scenario.environment) if interface is None else interface.card
            tools = self._place.tools(task.scenario.environment) if interface is None else callable_tools(card)
            return [self._episode(task, world, options, card, tools) for world in worlds]
        except BaseException:
            for world in worlds:
                world.close()
            raise

    def _interface(self, scenario: Scenario, options: EpisodeOptions) -> Disturbable | None:
        """What the policy speaks to the world in, where that is not its own interface as it is."""
        dialect = self._dialect(scenario.environment, options.dialect)
        if not options.disturb:
            return dialect
        from envscaler_mcp.disturbances import Disturbed, NativeInterface

        return Disturbed(dialect or NativeInterface(self._place.card(scenario.environment)), _drawn(scenario, options))

    def _dialect(self, environment: str, wanted: str) -> Dialect | None:
        """The dialect of that name; WorldError where the environment has none."""
        if wanted == NATIVE:
            return None
        key = environment, wanted
        known = self._dialects.get(key)
        if known is None:
            if len(self._dialects) >= _MOST_DIALECTS:
                self._dialects.clear()
            # Most gyms speak none.
            from envscaler_mcp.dialects import Dialect, DialectName

            known = self._dialects[key] = Dialect(self._place.card(environment), DialectName.read(wanted))
        return known

    def _episode(
        self,
        task: Task,
        world: TaskWorld,
        options: EpisodeOptions,
        card: Environment,
        tools: Mapping[str, CallableTool],
    ) -> Episode:
        scenario = _as_asked(task.scenario, options)
        user = None
        if options.mode == "conversation":
            user = self._users.user(options.user, scenario, self.progress(task, world), options.seed)
        briefing = Briefing(
            environment=scenario.environment,
            introduction=self._introduction(card, task, world, options.mode),
            tools=tuple(callable_tool.tool for callable_tool in tools.values()),
            task=scenario.task,
            seed=options.seed,
            mode=options.mode,
        )
        steps = options.max_steps or steps_of(options.scoring, options.mode)
        limits = EpisodeLimits(steps, tokens=options.max_tokens)
        channel = BlockingChannel(world, tools)
        live = LiveEpisode(channel, scenario, briefing, limits, user, published=card.origin == "published")
        drive(live.begin())
        if live.played.owner == "infrastructure":
            raise live.played.stopped or LaunchError(f"No user of {scenario.id!r} can be had: {live.played.reason}")
        begun = live.briefing
        live.tell(self._prompts.render(PROMPTS[options.mode], introduction=begun.introduction, task=begun.task).system)
        return Episode(task, tools, world, live, options, self, self._place.via)

    def _introduction(self, card: Environment, task: Task, world: TaskWorld, mode: Mode) -> str:
        said = task.scenario.task if mode == "task" else ""
        key = card.introduction, card.code_digest, task.scenario.state_digest, said
        known = self._introductions.get(key)
        if known is None:
            known = self._introductions[key] = introduction_at(card, world.initial(), said)
        return known

    def _each(self, act: Callable[[T], R], items: Sequence[T], *, close: bool = False) -> list[R]:
        """What `act` gives for each; at a farm several at once. The first error is raised after all have ended."""
        if self._place.via == "direct" or len(items) < 2:
            return _all_or_none(map(act, items), close=close)
        if self._threads is None:
            self._threads = ThreadPoolExecutor(AT_ONCE, "gym")
        futures = [self._threads.submit(act, item) for item in items]
        return _all_or_none((future.result() for future in futures), close=close)


def _drawn(scenario: Scenario, options: EpisodeOptions) -> Disturbances:
    from envscaler_mcp.disturbances import Disturbances

    return Disturbances(options.disturbances, scenario.id, options.seed)


def _as_asked(scenario: Scenario, options: EpisodeOptions) -> Scenario:
    """The scenario with its request as the policy reads it."""
    if not options.disturb:
        return scenario
    from envscaler_mcp.disturbances import asked_otherwise

    return asked_otherwise(scenario, _drawn(scenario, options))


class NearProgress(GoalProgress):
    """Progress that is asked for without an event loop."""

    async def now(self, look: Any) -> list[frozenset[int] | None]:  # noqa: ARG002 - the world is asked itself
        """For each goal, its checks that do not hold now."""
        return self.left({})


def local(
    home: str | Path | None = None,
    *,
    tasks: str | Path | None = None,
    prompts: Path | None = None,
    endpoint: Endpoint | None = None,
) -> Gym:
    """A gym in this process, of a home's environments; by default the home that the command line has.

    With `tasks`, a file that `envscaler tasks` wrote, its tasks take the place of the stored ones. `prompts` is a folder with wordings of one's own, `endpoint` is where models are asked that play users; by default the
    endpoint of the settings.
    """
    from envscaler_mcp.home import read_home
    from envscaler_mcp.rl.here import HomePlace
    from envscaler_mcp.runs.sessions import WorldHome
    from envscaler_mcp.settings import Settings

    there = read_home(Settings.read(home=None if home is None else Path(home).expanduser()))
    place = HomePlace(WorldHome(there.servers, there.registry), [entry.id for entry in there.registry.entries])
    return Gym(place, prompts, endpoint, _task_file(tasks))


def connect(
    url: str | None = None,
    token: str | None = None,
    *,
    tasks: str | Path | None = None,
    prompts: Path | None = None,
    endpoint: Endpoint | None = None,
) -> Gym:
    """A gym at a farm: the address of its control plane (a URL, a port of this machine, a socket file), and a token.

    By default it is the farm of this user on this machine, and the token is made with that farm's secret.
    """
    from envscaler_mcp.rl.farm import FarmPlace, farm_token
    from envscaler_mcp.settings import Settings

    settings = Settings.read()
    if url is not None and not _IS_ADDRESS.search(url):
        refuse_benchmark(url)
    address = str(settings.farm_socket) if url is None else url
    place = FarmPlace(address, farm_token(settings) if token is None else token)
    return Gym(place, prompts, endpoint, _task_file(tasks))


def read_tasks(file: str | Path) -> Iterator[FreshTask]:
    """The fresh tasks in a file that `envscaler tasks` wrote, one after the other, for `open`."""
    return iter(TaskFile.at(Path(file)))


def _task_file(path: str | Path | None) -> TaskFile | None:
    """The file of fresh tasks, if one is named."""
    return None if path is None else TaskFile.at(Path(path).expanduser())


def _end(place: Place, users: Users) -> None:
    try:
        users.close()
    finally:
        place.close()


def _all_or_none(results: Iterator[R], *, close: bool) -> list[R]:
    """All results; where one cannot be had, the first error is raised once every other is there, and nothing of them stays open."""
    done: list[R] = []
    failed: BaseException | None = None
    while True:
        try:
            done.append(next(results))
        except StopIteration:
            break
        except BaseException as cause:
            failed = failed or cause
            if not isinstance(cause, Exception):
                break
    if failed is None:
        return done
    for group in done if close else ():
        for episode in group:  # type: ignore[attr-defined]
            episode.close()
    raise failed
