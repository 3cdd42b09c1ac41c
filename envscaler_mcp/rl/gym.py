"""Opens episodes: in this process, or at a farm; the same methods for both."""

from __future__ import annotations

import random
import threading
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import TracebackType
from typing import Any, Protocol, Self, SupportsIndex, TypeVar, Unpack

from envscaler_mcp.artifacts import Environment, FreshTask, Scenario, State, Trajectory, Verdict
from envscaler_mcp.artifacts.run import Mode
from envscaler_mcp.artifacts.scenario import ProofExtent
from envscaler_mcp.config.choices import Level, Split
from envscaler_mcp.episode.agent import Briefing
from envscaler_mcp.episode.live import EpisodeLimits, LiveEpisode
from envscaler_mcp.episode.model_agent import PROMPTS
from envscaler_mcp.episode.progress import GoalProgress
from envscaler_mcp.llm import Endpoint
from envscaler_mcp.prompts import Prompts
from envscaler_mcp.rl.addresses import address_named, path_named, prompts_named, seconds_of, task_file_named
from envscaler_mcp.rl.draws import draw_task
from envscaler_mcp.rl.episode import BlockingChannel, Episode, Keeper, drive
from envscaler_mcp.rl.errors import ClosedError, MaskedError, UsageError, refuse_pickling
from envscaler_mcp.rl.interfaces import Interfaces, Offered
from envscaler_mcp.rl.options import Choices, EpisodeOptions, check_kind, check_stream, names_of, whole_number
from envscaler_mcp.rl.other_door import refuse_benchmark
from envscaler_mcp.rl.places import Place, Task, TaskWorld
from envscaler_mcp.rl.spoken import SpokenTaskWorld
from envscaler_mcp.rl.store import store
from envscaler_mcp.rl.users import Users
from envscaler_mcp.scenarios.introduction import introduction_at
from envscaler_mcp.scoring.task_file import TaskFile
from envscaler_mcp.serving.suggestion import did_you_mean, nearest_name

T = TypeVar("T")
R = TypeVar("R")
AT_ONCE = 16
"""How many requests of one `..._many` are under way at a farm."""


class TaskWithState(Protocol):
    """A task that lies in no home: its scenario, and the state where it begins."""

    @property
    def scenario(self) -> Scenario: ...
    @property
    def start(self) -> State: ...


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
        self._interfaces = Interfaces(place)
        self._introductions: dict[tuple[str, str, str, str], str] = {}
        """By all that they depend on."""
        self._threads: ThreadPoolExecutor | None = None
        self._lock = threading.Lock()
        self._closed = False
        self._end = weakref.finalize(self, _end, place, self._users)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _tb: TracebackType | None
    ) -> None:
        self.close()

    def __reduce_ex__(self, _protocol: SupportsIndex) -> str:
        refuse_pickling("A gym")

    @property
    def closed(self) -> bool:
        """Whether it was closed, and every episode with it."""
        return self._closed

    @property
    def agent_headers(self) -> Mapping[str, str]:
        """What an MCP client of yours sends to the address of an episode's world. It may hold the owner's token: give it to no agent
        that is judged. A farm that wants no tokens from agents needs none of it.
        """
        return self._place.agent_headers

    def environments(self) -> tuple[str, ...]:
        """The ids of all environments."""
        self._check_open()
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
        check_kind(level, split)
        names = self._names(environment)
        return (scenario for name in names for scenario in self._of_kind(name, level, split))

    def sample(
        self,
        count: int = 1,
        *,
        environment: str | Iterable[str] | None = None,
        level: Level | None = None,
        split: Split | None = None,
        seed: int | None = None,
    ) -> list[Scenario]:
        """`count` tasks by chance, each drawn anew: every environment is as likely as another, and then every task of it.

        Equal seeds give equal tasks; without a seed every draw is another.
        """
        check_kind(level, split)
        wanted, names = whole_number("count", count), self._names(environment)
        chance = random.Random(None if seed is None else whole_number("seed", seed, None))  # noqa: S311 - no secret
        return [
            draw_task(names, lambda name: self._of_kind(name, level, split), chance.randrange) for _ in range(wanted)
        ]

    def _names(self, environment: str | Iterable[str] | None) -> list[str]:
        names = list(self.environments()) if environment is None else names_of(environment)
        return [self._known(name) for name in names]

    def _of_kind(self, environment: str, level: Level | None, split: Split | None) -> list[Scenario]:
        self._check_open()
        return [
            task for task in self._scenarios(environment) if level in (None, task.level) and split in (None, task.split)
        ]

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
        seed = check_stream(level, seed, split, proof)
        return self._place.fresh_tasks(self._known(environment), level, seed, split, proof)

    def find(self, scenario: str, environment: str | None = None) -> Scenario:
        """The task of that id; the environment is named where the id does not begin with it."""
        if not isinstance(scenario, str):
            raise UsageError(f"{scenario!r:.80} is no id of a task; ids are texts.")
        names = (
            [environment] if environment else [name for name in self.environments() if scenario.startswith(f"{name}-")]
        )
        for name in names:
            if scenario in self._ids(self._known(name)):
                return self._of_id(name, scenario)
        raise UsageError(self._unknown_task(scenario, names))

    def _unknown_task(self, scenario: str, names: Sequence[str]) -> str:
        """Why there is no such task, with an id that is near."""
        known = self.environments()
        if scenario in known:
            return f"{scenario!r} is an environment; gym.open(environment={scenario!r}) opens a task of it."
        refuse_benchmark(scenario)
        begin = scenario.rsplit("-", 2)[0]
        near = nearest_name(begin, known)
        ids = [id_ for name in names or ([near] if near else []) for id_ in self._ids(name)]
        sentence = f"There is no scenario {scenario!r}{did_you_mean(scenario, ids)}"
        if names or near:
            return sentence
        return f"{sentence} No environment is called {begin!r}: gym.environments() names them, gym.tasks() the tasks."

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
        self._check_open()
        check_kind(level, split)
        number = whole_number("index", index)
        if task is None:
            if environment is None:
                raise UsageError("Name a task, or an environment whose tasks are counted by index.")
            task = self._at(number, self._of_kind(self._known(environment), level, split), environment)
        elif level is not None or split is not None or number:
            raise UsageError(
                "level, split and index choose among the tasks of environment=; here the task is named already."
            )
        (episode,) = self._opened(self._task(task, environment, state), 1, options)
        return episode

    def open_many(
        self, tasks: AnyTask | Iterable[AnyTask], count: int = 1, **options: Unpack[Choices]
    ) -> list[Episode]:
        """`count` episodes of each task, those of one task beside each other; all of them or none."""
        self._check_open()
        number = whole_number("count", count)
        EpisodeOptions.of(options)
        wanted = [self._task(task) for task in listed_tasks(tasks)]
        if number == 0:
            return []
        groups = self._each(lambda task: self._opened(task, number, options), wanted, close=True)
        return [episode for group in groups for episode in group]

    def verify_many(self, episodes: Iterable[Episode]) -> list[Verdict]:
        """The verdict on each; that of an episode whose world or farm is lost is masked, and the others are what they are."""
        return self._each(Episode.verify, list(episodes))

    def close_many(self, episodes: Iterable[Episode]) -> None:
        """End the worlds of all of them; those that are closed or lost already are left alone."""
        self._each(Episode.close, [episode for episode in episodes if not episode.closed])

    def store(self, folder: str | Path, trajectories: Iterable[Trajectory]) -> None:
        """Write recorded episodes into a run folder, which `envscaler runs` and `envscaler export` read."""
        self._check_open()
        recorded = list(trajectories)
        store(Path(folder), recorded, self._stored)
        if self._tasks is not None:
            self._tasks.write_played(Path(folder), {trajectory.scenario for trajectory in recorded})

    def _stored(self, trajectory: Trajectory) -> Scenario | None:
        """The stored task of a trajectory; none where it was one of the program's own."""
        tasks = self._scenarios(self._known(trajectory.environment))
        return next((task for task in tasks if task.digest == trajectory.scenario_digest), None)

    def close(self) -> None:
        """End every world that was opened here. Closing it again does nothing."""
        with self._lock:
            self._closed = True
            episodes = list(self._open)
        try:
            self.close_many(episodes)
        finally:
            with self._lock:
                threads, self._threads = self._threads, None
            if threads is not None:
                threads.shutdown()
            self._end()

    def _check_open(self) -> None:
        if self._closed:
            raise ClosedError("The gym was closed; open another with rl.local() or rl.connect().")

    # What episodes need

    def _keep(self, episode: Episode) -> None:
        # Another thread may have closed the gym while the world was opened.
        with self._lock:
            self._check_open()
            self._open.add(episode)

    def _progress(self, task: Task, world: TaskWorld) -> GoalProgress:
        checks = self._place.checks_of_goals(task)
        return NearProgress(checks, lambda _: world.judge("framed").checks)

    def _known(self, environment: str) -> str:
        if not isinstance(environment, str):
            raise UsageError(f"{environment!r:.80} is no id of an environment; ids are texts.")
        if environment not in self.environments():
            refuse_benchmark(environment)
            raise UsageError(f"There is no environment {environment!r}{did_you_mean(environment, self.environments())}")
        return environment

    def _at(self, index: int, tasks: Sequence[Scenario], environment: str) -> Scenario:
        if not 0 <= index < len(tasks):
            raise UsageError(
                f"{environment!r} holds {len(tasks)} such tasks, and number {index} was asked for, from 0."
            )
        return tasks[index]

    def _task(self, task: AnyTask, environment: str | None = None, state: State | None = None) -> Task:
        if state is not None and not isinstance(state, State):
            raise UsageError(
                f"state is a {type(state).__name__}; it is a State (envscaler_mcp.artifacts), as State.read(FILE) reads one."
            )
        if isinstance(task, str):
            return self._with_state(self.find(task, environment), state)
        scenario = task if isinstance(task, Scenario) else getattr(task, "scenario", None)
        if not isinstance(scenario, Scenario):
            raise UsageError(
                f"{task!r:.80} is no task; give the id of one, a Scenario, or an object with a scenario and a start."
            )
        if environment not in (None, scenario.environment):
            raise UsageError(
                f"The task {scenario.id!r} is of {scenario.environment!r}, and environment is {environment!r}."
            )
        self._known(scenario.environment)
        if task is scenario:
            return self._with_state(scenario, state)
        start = state or getattr(task, "start", None)
        if not isinstance(start, State):
            raise UsageError(f"The task {scenario.id!r} comes without the State where it begins, in its `start`.")
        return Task(scenario, start)

    def _with_state(self, task: Scenario, state: State | None) -> Task:
        if state is None and self._tasks is not None and task.id in self._tasks.ids(task.environment):
            state = self._tasks.state(task)
        return Task(task, state)

    def _opened(self, task: Task, count: int, choices: Choices) -> list[Episode]:
        options = EpisodeOptions.of(choices)
        offered = self._interfaces.offered(task.scenario, options)
        worlds: Sequence[TaskWorld] = self._place.open(task, count, diffs=options.record)
        if offered.interface is not None:
            worlds = [SpokenTaskWorld(world, offered.interface) for world in worlds]
        try:
            return [self._episode(task, world, options, offered) for world in worlds]
        except BaseException:
            for world in worlds:
                world.close()
            raise

    def _episode(self, task: Task, world: TaskWorld, options: EpisodeOptions, offered: Offered) -> Episode:
        scenario = offered.scenario
        user = None
        if options.mode == "conversation":
            user = self._users.user(options.user, scenario, self._progress(task, world), options.seed)
        briefing = Briefing(
            environment=scenario.environment,
            introduction=self._introduction(offered.card, task, world, options.mode),
            tools=tuple(callable_tool.tool for callable_tool in offered.tools.values()),
            task=scenario.task,
            seed=options.seed,
            mode=options.mode,
        )
        limits = EpisodeLimits(options.steps, tokens=options.max_tokens)
        channel = BlockingChannel(world, offered.tools)
        live = LiveEpisode(channel, scenario, briefing, limits, user, published=offered.card.origin == "published")
        drive(live.begin())
        if live.played.owner == "infrastructure":
            no_user = MaskedError(f"No user of {scenario.id!r} can be had: {live.played.reason}")
            raise live.played.stopped or world.lost or no_user
        begun = live.briefing
        live.tell(self._prompts.render(PROMPTS[options.mode], introduction=begun.introduction, task=begun.task).system)
        keeper = Keeper(self._keep, self._progress, offered.speak)
        return Episode(task, offered.tools, world, live, options, keeper, self._place.via)

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
        with self._lock:
            if self._threads is None:
                self._threads = ThreadPoolExecutor(AT_ONCE, "gym")
            futures = [self._threads.submit(act, item) for item in items]
        return _all_or_none((future.result() for future in futures), close=close)


class NearProgress(GoalProgress):
    """Progress that is asked for without an event loop."""

    async def now(self, look: Any) -> list[frozenset[int] | None]:  # noqa: ARG002 - the world is asked itself
        """For each goal, its checks that do not hold now."""
        return self.left({})


def local(
    home: str | Path | None = None,
    *,
    tasks: str | Path | None = None,
    prompts: str | Path | None = None,
    endpoint: Endpoint | None = None,
) -> Gym:
    """A gym in this process, of a home's environments; by default the home that the command line has. `home` is a folder that exists.

    With `tasks`, a file that `envscaler tasks` wrote, its tasks take the place of the stored ones. `prompts` is a folder with wordings of one's own, `endpoint` is where models are asked that play users; by default the
    endpoint of the settings.
    """
    from envscaler_mcp.home import read_home
    from envscaler_mcp.rl.here import HomePlace
    from envscaler_mcp.runs.sessions import WorldHome
    from envscaler_mcp.settings import Settings

    folder = None if home is None else path_named("home", home).resolve()
    if folder is not None and not folder.is_dir():
        raise UsageError(f"There is no folder {str(folder)!r} to be a home; leave home out for the worlds that ship.")
    there = read_home(Settings.read(home=folder))
    place = HomePlace(WorldHome(there.servers, there.registry), [entry.id for entry in there.registry.entries])
    return Gym(place, prompts_named(prompts), endpoint, task_file_named(tasks))


def connect(
    url: str | int | None = None,
    token: str | None = None,
    *,
    tasks: str | Path | None = None,
    prompts: str | Path | None = None,
    endpoint: Endpoint | None = None,
    timeout: float = 60.0,
) -> Gym:
    """A gym at a farm: the address of its control plane (a URL, HOST:PORT, a port of this machine, a socket file), and a token.

    By default it is the farm of this user on this machine, and the token is made with that farm's secret. A request that is
    not answered for `timeout` seconds raises FarmLostError.
    """
    from envscaler_mcp.rl.farm import FarmPlace, OwnToken, own_farm
    from envscaler_mcp.settings import Settings

    settings = Settings.read()
    address = own_farm(settings) if url is None else address_named(url)
    place = FarmPlace(address, OwnToken(settings) if token is None else token, seconds_of(timeout))
    return Gym(place, prompts_named(prompts), endpoint, task_file_named(tasks))


def read_tasks(file: str | Path) -> Iterator[FreshTask]:
    """The fresh tasks in a file that `envscaler tasks` wrote, one after the other, for `open`."""
    return iter(TaskFile.at(Path(file)))


def listed_tasks(tasks: Any) -> list[Any]:
    """One task or several, as a list."""
    if isinstance(tasks, str | Scenario) or hasattr(tasks, "scenario"):
        return [tasks]
    try:
        return list(tasks)
    except TypeError as cause:
        raise UsageError(f"{tasks!r:.80} is no task, and no list of tasks.") from cause


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
