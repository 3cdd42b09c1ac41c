"""Worlds of a home, in this process; code that may not run here runs in workers."""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from types import MappingProxyType
from typing import Any

from envscaler_mcp.artifacts import Environment, FreshTask, Scenario, StateDiff, Verdict
from envscaler_mcp.artifacts.episode import Scoring
from envscaler_mcp.artifacts.scenario import ProofExtent
from envscaler_mcp.config.choices import Level, Split
from envscaler_mcp.episode.live import owner_of_loss
from envscaler_mcp.episode.progress import ChecksOfGoals, checks_of_goals
from envscaler_mcp.errors import NoEndingError, WorkerEndedError, WorldError
from envscaler_mcp.rl.places import Task
from envscaler_mcp.runs.sessions import WorldHome
from envscaler_mcp.serving import LocalWorld, Outcome
from envscaler_mcp.serving.code import CallableTool
from envscaler_mcp.serving.outcome import CHANGING
from envscaler_mcp.serving.session import Session


class HomePlace:
    """The server folders of a home."""

    via = "direct"
    agent_headers: Mapping[str, str] = MappingProxyType({})

    def __init__(self, home: WorldHome, environments: Sequence[str]) -> None:
        self.home = home
        self.closer = Closer()
        self._environments = tuple(environments)
        self._goals: dict[str, ChecksOfGoals] = {}

    def environments(self) -> tuple[str, ...]:
        """The ids of all environments."""
        return self._environments

    def card(self, environment: str) -> Environment:
        """What is known of an environment."""
        return self.home.code(environment).environment

    def tools(self, environment: str) -> Mapping[str, CallableTool]:
        """Its tools, by name."""
        return self.home.code(environment).tools

    def scenarios(self, environment: str) -> tuple[Scenario, ...]:
        """Its stored tasks."""
        return self.home.scenarios(environment)

    def fresh_tasks(
        self, environment: str, level: Level | None, seed: int, split: Split, proof: ProofExtent
    ) -> Iterator[FreshTask]:
        """Made in this process."""
        from envscaler_mcp.pipeline.fresh_tasks import fresh_tasks

        folder, registered = self.home.servers / environment, self.home.registered(environment)
        return fresh_tasks(folder, level=level, seed=seed, split=split, proof=proof, registered=registered)

    def checks_of_goals(self, task: Task) -> ChecksOfGoals:
        """Which checks tell of each goal of the task's conversation."""
        known = self._goals.get(task.scenario.digest)
        if known is None:
            scenario, code = task.scenario, self.home.code(task.scenario.environment)

            def answers(state: Mapping[str, Any]) -> Sequence[bool]:
                return self.home.judge(scenario, initial, state, published=code.published).checks

            session = self._session(task)
            initial = session.initial
            session.close()
            known = self._goals[scenario.digest] = checks_of_goals(scenario, code, initial, answers)
        return known

    def open(self, task: Task, count: int, *, diffs: bool) -> list[HomeWorld]:  # noqa: ARG002 - they cost nothing here
        """Worlds at a task, all of them or none."""
        worlds: list[HomeWorld] = []
        try:
            worlds.extend(self.world(self._session(task)) for _ in range(count))
        except BaseException:
            for world in worlds:
                world.close()
            raise
        return worlds

    def world(self, session: Session) -> HomeWorld:
        """The world of a session; what was forgotten is closed by a thread where it holds a worker."""
        if not isinstance(session.world, LocalWorld):
            self.closer.start()
        return HomeWorld(self, session)

    def _session(self, task: Task) -> Session:
        return self.home.open_task(task.scenario, task.state)

    def close(self) -> None:
        """End what belongs to the place."""
        self.closer.close()
        self.home.close()


class HomeWorld:
    """A world of this process, or of a worker of it."""

    url = ""
    lost = None

    def __init__(self, place: HomePlace, session: Session) -> None:
        self.is_here = isinstance(session.world, LocalWorld)
        self._place = place
        self._session = session

    def call(self, tool: str, arguments: dict[str, Any], *, writes: bool) -> tuple[Outcome, StateDiff]:
        """What came of the call, and what it changed."""
        outcome = self._session.world.call(tool, arguments)
        return outcome, self._session.diff() if writes and outcome.kind in CHANGING else StateDiff()

    def initial(self) -> Mapping[str, Any]:
        """The state as the world opened."""
        return self._session.initial

    def state(self) -> Mapping[str, Any]:
        """All records as they are now."""
        return self._session.state()

    def judge(self, scoring: Scoring) -> Verdict:
        """What the state as it is now would be worth as an ending."""
        return self._session.judged(self._ending(), scoring)

    def _ending(self) -> Mapping[str, Any]:
        try:
            return self._session.state()
        except (WorldError, WorkerEndedError) as cause:
            raise NoEndingError(str(cause), owner_of_loss(cause)) from cause

    def fork(self, count: int) -> list[HomeWorld]:
        """Worlds that continue from here."""
        return [self._place.world(self._session.fork()) for _ in range(count)]

    def close(self) -> None:
        """End the world."""
        self._session.close()

    def abandon(self) -> None:
        """End the world soon."""
        if not self.is_here:
            self._place.closer.put(self._session)


class Closer:
    """Closes what its owners forgot, in a thread of its own: where objects are collected nothing may wait."""

    def __init__(self) -> None:
        self._waiting: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None
        self._lock = threading.Lock()

    def start(self) -> None:
        """Be ready for what will be put in."""
        with self._lock:
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="closer of worlds", daemon=True)
                self._thread.start()

    def put(self, world: Any) -> None:
        """Close it soon. SimpleQueue.put may be called again while it is under way, which a collection can do."""
        self._waiting.put(world)

    def _run(self) -> None:
        while (world := self._waiting.get()) is not None:
            # It may be gone already, or its lease ends it.
            with suppress(Exception):
                world.close()

    def close(self) -> None:
        """Close what waits, and end the thread."""
        with self._lock:
            thread, self._thread = self._thread, None
        if thread is not None:
            self._waiting.put(None)
            thread.join(10)
