"""The environments of a farm: listed from the registry at once, and each made ready when it is first asked for."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path

from envscaler_mcp.artifacts import Registry, RegistryEntry, Scenario
from envscaler_mcp.errors import WorldError
from envscaler_mcp.launch.opening import Isolation, Starts
from envscaler_mcp.service.fixed_answers import FixedAnswers
from envscaler_mcp.serving import load_code
from envscaler_mcp.serving.session import Judge, Session
from envscaler_mcp.serving.suggestion import did_you_mean, shown
from envscaler_mcp.serving.tasks import find_scenario, load_scenarios


class HostedEnvironment:
    """One environment: its code and what it tells, without any world."""

    def __init__(self, folder: Path, judge: Judge) -> None:
        self.code = load_code(folder)
        self.card = self.code.environment
        self._folder = folder
        self._starts = Starts(folder, self.code, judge)

    @cached_property
    def tasks(self) -> tuple[Scenario, ...]:
        return load_scenarios(self._folder)

    @cached_property
    def fixed(self) -> FixedAnswers:
        return FixedAnswers(self.card, self.tasks)

    def session(self, scenario: str | None, state: str | None, seed: int | None, isolation: Isolation) -> Session:
        """A session at a scenario, or at one of the states that lie in the folder; no other file is read."""
        if scenario is not None and state is not None:
            raise WorldError("A scenario begins at its own state; name one of the two.")
        if state is not None and state not in self.card.states:
            raise WorldError(f"There is no state {shown(state)}; there are {', '.join(self.card.states)}.")
        task = None if scenario is None else find_scenario(self.tasks, scenario)
        where: Isolation | None = isolation
        if isolation == "local" and not self.code.trusted:
            # Code that nobody has compiled never runs in the process that others are served from.
            where = "auto"
        return self._starts.session(task, state, seed, where)


class Environments:
    """Those that are registered; the first question about one makes it ready."""

    def __init__(self, servers: Path, registry: Registry, judge: Judge) -> None:
        self.entries: dict[str, RegistryEntry] = {entry.id: entry for entry in registry.entries}
        self._servers = servers
        self._judge = judge
        self._ready: dict[str, HostedEnvironment] = {}

    def find(self, environment: str) -> HostedEnvironment:
        """The environment of that id."""
        ready = self._ready.get(environment)
        if ready is None:
            if environment not in self.entries:
                near = did_you_mean(environment, self.entries)
                raise WorldError(f"There is no environment {shown(environment)}{near}")
            ready = self._ready[environment] = HostedEnvironment(self._servers / environment, self._judge)
        return ready
