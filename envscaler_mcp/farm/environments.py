"""The environments of a farm: listed from the registry at once, and each made ready when it is first asked for."""

from __future__ import annotations

import time
from functools import cached_property
from pathlib import Path

import anyio
import anyio.to_thread

from envscaler_mcp.artifacts import Environment, Registry, RegistryEntry, digest_of
from envscaler_mcp.artifacts.registry import RegistryDigests
from envscaler_mcp.artifacts.run import Isolation
from envscaler_mcp.errors import EnvScalerError, WorldError
from envscaler_mcp.farm.static_results import FixedAnswers, OfferedTasks
from envscaler_mcp.launch.opening import Starts
from envscaler_mcp.serving import EnvironmentCode
from envscaler_mcp.serving.code import load_folder
from envscaler_mcp.serving.session import Judge, Session
from envscaler_mcp.serving.suggestion import did_you_mean, quote_value
from envscaler_mcp.serving.tasks import Offer, TaskList, offered_tasks
from envscaler_mcp.trust import load_code

FAILED_SECONDS = 5.0


def isolation_of_others(isolation: Isolation) -> Isolation:
    """Where worlds run that may not run in the process that others are served from."""
    return "auto" if isolation == "local" else isolation


class HostedEnvironment:
    """One environment: its code and what it tells, without any world."""

    def __init__(self, folder: Path, judge: Judge, registered: RegistryDigests) -> None:
        card, source = load_folder(folder)
        self._folder = folder
        self._judge = judge
        self._registered = registered
        self._offered: dict[tuple[bool, str, Offer | None], OfferedTasks] = {}
        # A source that was changed has the tools it really has.
        self.card: Environment = card if digest_of(source) == card.code_digest else self.code.environment

    @cached_property
    def code(self) -> EnvironmentCode:
        """Made ready for calls when a world is wanted; a card or a list needs none of it."""
        return load_code(self._folder, self._registered)

    @cached_property
    def fixed(self) -> FixedAnswers:
        """What it tells."""
        return FixedAnswers(self.card)

    def offered(
        self, scenario: str | None = None, state: str | None = None, offer: Offer | None = None
    ) -> OfferedTasks:
        """The tasks that a world offers which was opened there; those that offer the same share the answers."""
        key = scenario is None, state or next(iter(self.card.states), ""), offer
        if scenario is not None:
            key = False, self._tasks.find(scenario).state, offer
        known = self._offered.get(key)
        if known is None:
            tasks = offered_tasks(self._tasks.words, offer, scenario, key[1])
            known = self._offered[key] = OfferedTasks(tasks)
        return known

    @cached_property
    def _tasks(self) -> TaskList:
        return TaskList(self._folder)

    @cached_property
    def _starts(self) -> Starts:
        return Starts(self._folder, self.code, self._judge)

    def session(self, scenario: str | None, state: str | None, seed: int | None, isolation: Isolation) -> Session:
        """A session at a scenario, or at one of the states that lie in the folder; no other file is read."""
        if scenario is not None and state is not None:
            raise WorldError("A scenario begins at its own state; name one of the two.")
        if state is not None and state not in self.card.states:
            raise WorldError(f"There is no state {quote_value(state)}; there are {', '.join(self.card.states)}.")
        task = None if scenario is None else self._tasks.find(scenario)
        here = isolation == "local" and self.runs_here
        return self._starts.session(task, state, seed, "local" if here else isolation_of_others(isolation))

    async def may_run_here(self, limiter: anyio.CapacityLimiter) -> bool:
        """The same as `runs_here`; code that was never compiled by this installation is compiled meanwhile."""
        if "code" not in vars(self):
            await anyio.to_thread.run_sync(lambda: self.code, limiter=limiter)
        return self.runs_here

    @property
    def runs_here(self) -> bool:
        """Whether its worlds may share a process with those of others: only the library's, whose every call is short.

        A blueprint of another author compiles to code that is safe to run, and may take as long as it likes.
        """
        return self.code.trust == "shipped"


class Environments:
    """Those that are registered; the first question about one makes it ready."""

    def __init__(self, servers: Path, registry: Registry, judge: Judge) -> None:
        self.entries: dict[str, RegistryEntry] = {entry.id: entry for entry in registry.entries}
        self._servers = servers
        self._judge = judge
        self._ready: dict[str, HostedEnvironment] = {}
        self._failed: dict[str, tuple[float, EnvScalerError]] = {}

    def find(self, environment: str) -> HostedEnvironment:
        """The environment of that id."""
        ready = self._ready.get(environment)
        if ready is None:
            if environment not in self.entries:
                near = did_you_mean(environment, self.entries)
                raise WorldError(f"There is no environment {quote_value(environment)}{near}")
            ready = self._ready[environment] = self._made(environment)
        return ready

    def _made(self, environment: str) -> HostedEnvironment:
        """Read from its folder; one that cannot be read is not read again at once, however often it is asked for."""
        until, failed = self._failed.get(environment, (0.0, None))
        if failed is not None and time.monotonic() < until:
            raise failed
        try:
            registered = self.entries[environment].digests
            return HostedEnvironment(self._servers / environment, self._judge, registered)
        except EnvScalerError as cause:
            self._failed[environment] = time.monotonic() + FAILED_SECONDS, cause
            raise
