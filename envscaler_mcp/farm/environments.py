"""The environments of a farm: listed from the registry at once, and each made ready when it is first asked for."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Protocol

import anyio
import anyio.to_thread

from envscaler_mcp.artifacts import Environment, Registry, RegistryEntry, Scenario, State
from envscaler_mcp.artifacts.run import Isolation
from envscaler_mcp.errors import ArtifactError, EnvScalerError, WorldError
from envscaler_mcp.farm.folder_reading import (
    CODE_FILES,
    STATES,
    STATES_HERE,
    TASK_BOUNDS,
    TASK_FILES,
    Failures,
    FolderError,
    ReadFolder,
    read_known,
    read_unknown,
)
from envscaler_mcp.farm.static_results import FixedAnswers, OfferedTasks
from envscaler_mcp.home import ServerFolders
from envscaler_mcp.launch.opening import Starts
from envscaler_mcp.serving.control.schemas import OwnTask
from envscaler_mcp.serving.session import Judge, Session
from envscaler_mcp.serving.suggestion import did_you_mean, quote_value
from envscaler_mcp.serving.tasks import Offer, TaskList, TaskWords, offered_tasks
from envscaler_mcp.studio.reasons import RefusalReasons, reasons_in
from envscaler_mcp.trust.blueprint import BLUEPRINT

logger = logging.getLogger(__name__)

MOST_CHECKS = 200
"""Of a task that an owner brings along; each may be a process."""
LONGEST_CHECK = 16 * 1024
"""Characters of a check of such a task."""
READERS = 2
"""Folders that one process reads at a time, and as many that other processes read for it: agents need the processors."""


def isolation_of_others(isolation: Isolation) -> Isolation:
    """Where worlds run that may not run in the process that others are served from."""
    return "auto" if isolation == "local" else isolation


@dataclass(frozen=True, slots=True)
class Start:
    """Where a world is opened, and which tasks it offers as prompts."""

    scenario: str | None = None
    state: str | None = None
    seed: int | None = None
    prompts: Offer | None = None
    task: OwnTask | None = None
    """A task of the owner's, which offers no prompts."""
    dialect: str | None = None
    """What agents speak to its world, where that is not its own interface."""


@dataclass(frozen=True, slots=True)
class BenchmarkOpener:
    """A benchmark that can be opened."""

    title: str
    open: Callable[[], FarmEnvironment]


class FarmEnvironment(Protocol):
    """What the worlds of one environment are opened by, and what it tells without any."""

    card: Environment
    fixed: FixedAnswers
    """What it tells."""

    @property
    def runs_here(self) -> bool:
        """Whether its worlds may share a process with those of others."""

    @property
    def memory(self) -> int:
        """Bytes that it holds outside of this process, beside its worlds."""

    @property
    def usable(self) -> bool:
        """False where it must be read again before a world of it opens."""

    async def read_tasks(self) -> None:
        """Know its tasks; FolderError where they cannot be read."""

    def offered(
        self, scenario: str | None = None, state: str | None = None, offer: Offer | None = None
    ) -> OfferedTasks | None:
        """The tasks that a world offers which was opened there; None where they were not read yet."""

    async def scenarios(self) -> tuple[Scenario, ...]:
        """Its tasks, whole: for owners of worlds, since they hold the solutions."""

    async def reasons(self) -> RefusalReasons:
        """Why calls are refused here."""

    async def opening(
        self, start: Start, isolation: Isolation, limiter: anyio.CapacityLimiter
    ) -> Callable[[], Session]:
        """What opens a session there; what it reads before, it reads in threads of this limiter."""

    def close(self) -> None:
        """The farm ends."""


class HostedEnvironment:
    """The environment of a folder."""

    memory = 0
    usable = True

    def __init__(self, folder: Path, read: ReadFolder, judge: Judge, readers: anyio.CapacityLimiter) -> None:
        self.code = read.code
        self.card: Environment = read.code.environment
        self.fixed = FixedAnswers(self.card)
        """What it tells."""
        self._refusal = read.refusal
        self._folder = folder
        self._failures = Failures(folder)
        self._readers = readers
        self._reading = asyncio.Lock()
        self._tasks: TaskList | None = None
        self._reasons: RefusalReasons | None = None
        self._starts = Starts(folder, self.code, judge, STATES_HERE if self.runs_here else STATES)
        self._offered: dict[tuple[bool, str, Offer | None], OfferedTasks] = {}

    async def read_tasks(self) -> None:
        """Know the tasks of the folder; FolderError where they cannot be read."""
        self._failures.check(TASK_FILES)
        async with self._reading:
            if self._tasks is None:
                reading = partial(TaskList, self._folder, TASK_BOUNDS)
                noting = partial(self._failures.noting, TASK_FILES, TASK_FILES, reading)
                self._tasks = await anyio.to_thread.run_sync(noting, limiter=self._readers)

    def offered(
        self, scenario: str | None = None, state: str | None = None, offer: Offer | None = None
    ) -> OfferedTasks | None:
        """The tasks that a world offers which was opened there; None where they were not read yet.

        Worlds that offer the same share the answers.
        """
        if self._tasks is None:
            return None
        key = scenario is None, state or next(iter(self.card.states), ""), offer
        if scenario is not None:
            key = False, self._tasks.find(scenario).state, offer
        known = self._offered.get(key)
        if known is None:
            tasks = offered_tasks(self._tasks.words, offer, scenario, key[1])
            known = self._offered[key] = OfferedTasks(tasks)
        return known

    async def task_to_train_on(self, named: str) -> TaskWords | None:
        """The task of that id, where visitors may begin at it."""
        await self.read_tasks()
        words = () if self._tasks is None else self._tasks.words
        return next((task for task in words if task.id == named and task.split == "train"), None)

    async def reasons(self) -> RefusalReasons:
        """Why calls are refused here; a blueprint is only read where its code may share a process with others."""
        if self._reasons is None:
            rules = self.card.rules
            if self.runs_here:
                reading = partial(reasons_in, self._folder / BLUEPRINT, rules)
                self._reasons = await anyio.to_thread.run_sync(reading, limiter=self._readers)
            else:
                self._reasons = RefusalReasons(rules)
        return self._reasons

    async def scenarios(self) -> tuple[Scenario, ...]:
        """Its tasks, whole: for owners of worlds, since they hold the solutions."""
        await self.read_tasks()
        tasks = self._tasks
        assert tasks is not None
        return await anyio.to_thread.run_sync(
            lambda: tuple(tasks.find(words.id) for words in tasks.words), limiter=self._readers
        )

    async def opening(
        self, start: Start, isolation: Isolation, limiter: anyio.CapacityLimiter
    ) -> Callable[[], Session]:
        """What opens a session there."""
        if start.task is not None:
            others_named = start.scenario is not None or start.state is not None
            return partial(self.own_session, start.task, start.seed, isolation, others_named=others_named)
        task, begins = await self.start_of(start.scenario, start.state, limiter)
        return partial(self.session, task, begins, start.state, start.seed, isolation)

    async def start_of(
        self, scenario: str | None, state: str | None, limiter: anyio.CapacityLimiter
    ) -> tuple[Scenario | None, State]:
        """A scenario, or one of the states that lie in the folder, and where it begins; no other file is read."""
        if scenario is not None and state is not None:
            raise WorldError("A scenario begins at its own state; name one of the two.")
        if state is not None and state not in self.card.states:
            raise WorldError(f"There is no state {quote_value(state)}; there are {', '.join(self.card.states)}.")
        if self._refusal is not None:
            raise FolderError(self._refusal)
        if scenario is not None:
            await self.read_tasks()
        task = None if scenario is None or self._tasks is None else self._tasks.known(scenario)
        if (scenario is None) == (task is None):
            known = self._starts.known(task, state)
            if known is not None:
                return task, known
        return await anyio.to_thread.run_sync(self._read_start, scenario, state, limiter=limiter)

    def _read_start(self, scenario: str | None, state: str | None) -> tuple[Scenario | None, State]:
        task = None
        if scenario is not None and self._tasks is not None:
            self._tasks.place_of(scenario)
            task = self._failures.noting(scenario, TASK_FILES, partial(self._tasks.find, scenario))
        name = next(iter(self.card.states), "") if state is None and task is None else state
        named = task.state if task is not None else name
        files = f"states/{named}.json", *TASK_FILES
        return task, self._failures.noting((scenario, state), files, partial(self._starts.start, task, state))

    def session(
        self, task: Scenario | None, start: State, state: str | None, seed: int | None, isolation: Isolation
    ) -> Session:
        """A session at a start; where none opens there, that is known until the folder changes."""
        opening = partial(self._starts.session_at, start, task, state, seed, isolation)
        what = "session", None if task is None else task.id, state, seed
        return self._failures.noting(what, (*CODE_FILES, f"states/{start.name}.json"), opening)

    def own_session(
        self, own: OwnTask, seed: int | None, isolation: Isolation, *, others_named: bool = False
    ) -> Session:
        """A session at an owner's own task; no file is read for it."""
        if others_named:
            raise WorldError("A task of your own begins at its own state; name no scenario and no state with it.")
        if own.scenario.environment != self.card.id:
            named = quote_value(own.scenario.environment)
            raise WorldError(f"The task {quote_value(own.scenario.id)} is one of {named}.")
        if len(own.scenario.checks) > MOST_CHECKS:
            raise WorldError(f"A task may have {MOST_CHECKS} checks, and this one has {len(own.scenario.checks)}.")
        longest = max((len(check.check_func) for check in own.scenario.checks), default=0)
        if longest > LONGEST_CHECK:
            raise WorldError(f"A check of your own task may have {LONGEST_CHECK} characters, and one has {longest}.")
        try:
            return self._starts.own_session(own.scenario, own.state, seed, isolation)
        except ArtifactError as cause:
            raise WorldError(str(cause)) from cause

    @property
    def runs_here(self) -> bool:
        """Whether its worlds may share a process with those of others: only the library's, whose every call is short.

        A blueprint of another author compiles to code that is safe to run, and may take as long as it likes.
        """
        return self.code.trust == "shipped"

    def close(self) -> None:
        """Nothing of it outlives its worlds."""


class BenchmarkFilesError(WorldError):
    """The files of a benchmark cannot be read."""


class Environments:
    """Those that are registered; the first question about one makes it ready."""

    def __init__(
        self,
        servers: ServerFolders,
        registry: Registry,
        judge: Judge,
        benchmarks: Mapping[str, BenchmarkOpener] | None = None,
    ) -> None:
        """A benchmark is opened when it is first asked for. Owners open its worlds, and only they are shown it."""
        self.benchmarks = benchmarks or {}
        self.entries: dict[str, RegistryEntry] = {entry.id: entry for entry in registry.entries}
        self._servers = servers
        self._judge = judge
        self._ready: dict[str, FarmEnvironment] = {}
        self._failures: dict[str, Failures] = {}
        self._reading: dict[str, asyncio.Lock] = {}
        self._readers = anyio.CapacityLimiter(READERS)
        self._elsewhere = anyio.CapacityLimiter(READERS)
        """For folders that take long, which no reader of another folder waits for."""

    def is_known(self, environment: str) -> bool:
        """Whether there is an environment or a benchmark of that name."""
        return environment in self.entries or environment in self.benchmarks

    def folder(self, environment: str) -> Path:
        """Where the files of an environment lie."""
        return self._servers / environment

    def add(self, entry: RegistryEntry) -> None:
        """Know an environment that was registered since the farm began, or registered anew; open worlds stay as they are."""
        self.entries = {**self.entries, entry.id: entry}
        self._failures.pop(entry.id, None)
        ready = self._ready.pop(entry.id, None)
        if ready is not None:
            ready.close()

    def ready(self, environment: str) -> FarmEnvironment | None:
        """The environment of that id if it was read already; FolderError where its folder cannot be read."""
        ready = self._ready.get(environment)
        if ready is None and environment in self._failures:
            self._failures[environment].check(CODE_FILES)
        return ready

    async def find(self, environment: str) -> FarmEnvironment:
        """The environment of that id, or the benchmark of that name."""
        ready = self.ready(environment)
        if ready is not None and ready.usable:
            return ready
        if not self.is_known(environment):
            near = did_you_mean(environment, self.entries)
            raise WorldError(f"There is no environment {quote_value(environment)}{near}")
        async with self._reading.setdefault(environment, asyncio.Lock()):
            ready = self.ready(environment)
            if ready is not None and not ready.usable:
                await anyio.to_thread.run_sync(ready.close, limiter=self._elsewhere)
                ready = None
            if ready is None:
                ready = self._ready[environment] = await self._read(environment)
            return ready

    @property
    def memory(self) -> int:
        """Bytes that they hold outside of this process, beside their worlds."""
        return sum(ready.memory for ready in self._ready.values())

    def close(self) -> None:
        """The farm ends."""
        for ready in self._ready.values():
            ready.close()

    async def _read(self, environment: str) -> FarmEnvironment:
        if environment in self.benchmarks:
            try:
                return await anyio.to_thread.run_sync(self.benchmarks[environment].open, limiter=self._elsewhere)
            except EnvScalerError as cause:
                # Its message names a folder of this machine.
                logger.exception("the benchmark %s", environment)
                why = f"The files of {environment} cannot be read; the farm's log says why."
                raise BenchmarkFilesError(why) from cause
        folder, registered = self._servers / environment, self.entries[environment].digests
        failures = self._failures.setdefault(environment, Failures(folder))

        def known() -> HostedEnvironment | None:
            read = read_known(folder, registered)
            return None if read is None else HostedEnvironment(folder, read, self._judge, self._readers)

        def unknown() -> HostedEnvironment:
            return HostedEnvironment(folder, read_unknown(folder, registered), self._judge, self._readers)

        noting = failures.noting
        ready = await anyio.to_thread.run_sync(noting, CODE_FILES, CODE_FILES, known, limiter=self._readers)
        if ready is not None:
            return ready
        return await anyio.to_thread.run_sync(noting, CODE_FILES, CODE_FILES, unknown, limiter=self._elsewhere)
