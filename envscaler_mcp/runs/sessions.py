"""The control plane in process: sessions in the server folders of a home."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from envscaler_mcp.artifacts import Registry, Scenario, State, Verdict
from envscaler_mcp.artifacts.episode import Scoring
from envscaler_mcp.artifacts.registry import RegistryDigests
from envscaler_mcp.artifacts.run import Isolation
from envscaler_mcp.grading.judging import judge
from envscaler_mcp.home import ServerFolders
from envscaler_mcp.launch.opening import StartOf, Starts, open_session
from envscaler_mcp.sandbox.checking import Checker
from envscaler_mcp.scoring.task_file import TaskFile
from envscaler_mcp.serving import EnvironmentCode, read_code
from envscaler_mcp.serving.session import Session
from envscaler_mcp.serving.tasks import find_scenario, load_scenarios
from envscaler_mcp.trust import load_code

_Seen = tuple[tuple[int, int, int], ...]


def _seen(folder: Path) -> _Seen:
    """Numbers, sizes and times of the files that code is read from; what is not there is told when it is read."""
    with suppress(OSError):
        stats = [(folder / name).lstat() for name in ("environment.json", "environment.py")]
        return tuple((stat.st_ino, stat.st_size, stat.st_mtime_ns) for stat in stats)
    return ()


class WorldHome:
    """The server folders of a home, and sessions in them: the control plane, in process."""

    def __init__(self, servers: ServerFolders, registry: Registry | None = None, tasks: TaskFile | None = None) -> None:
        """A folder that is not the one its registry names holds unread code; without a registry that is not asked.

        With fresh tasks, these take the place of the tasks in the folders.
        """
        self.servers = servers
        self.tasks = tasks
        self._registered = {} if registry is None else {entry.id: entry.digests for entry in registry.entries}
        self._checker = Checker()
        self._codes: dict[str, tuple[_Seen, EnvironmentCode]] = {}
        """What was read, by environment, and how its files lay there."""
        self._starts: dict[str, tuple[EnvironmentCode, Starts]] = {}

    @classmethod
    @contextmanager
    def at(
        cls, servers: ServerFolders, registry: Registry | None = None, tasks: TaskFile | None = None
    ) -> Iterator[WorldHome]:
        """A home for the block; its workers end with it."""
        home = cls(servers, registry, tasks)
        try:
            yield home
        finally:
            home.close()

    def open(
        self,
        environment: str,
        *,
        scenario: str | None = None,
        state: str | None = None,
        seed: int | None = None,
        isolation: Isolation | None = None,
    ) -> Session:
        """A session at a scenario, or at a state, which is its owner's to close."""
        folder, code = self.servers / environment, self.code(environment)
        if self.tasks is None or scenario is None:
            return open_session(folder, code, scenario, state, seed, isolation, self.judge)
        starts = Starts(folder, code, self.judge, start_of=self.tasks.state)
        return starts.session(find_scenario(self.scenarios(environment), scenario), seed=seed, isolation=isolation)

    @property
    def start_of(self) -> StartOf | None:
        """Where its fresh tasks begin."""
        return None if self.tasks is None else self.tasks.state

    def open_task(self, scenario: Scenario, state: State | None = None, isolation: Isolation | None = None) -> Session:
        """A session at a scenario, which may be one that does not lie in its folder, and begin at a state that does not."""
        environment = scenario.environment
        code = self.code(environment)
        known = self._starts.get(environment)
        if known is None or known[0] is not code:
            known = self._starts[environment] = (
                code,
                Starts(self.servers / environment, code, self.judge, start_of=self.start_of),
            )
        starts = known[1]
        if state is not None:
            return starts.own_session(scenario, state, isolation=isolation)
        return starts.session(scenario, isolation=isolation)

    def registered(self, environment: str) -> RegistryDigests | None:
        """What the registry says of the environment's files."""
        return self._registered.get(environment)

    def code(self, environment: str) -> EnvironmentCode:
        """The code of an environment, and whether it may run in this process; read again when its files are others."""
        folder = self.servers / environment
        seen = _seen(folder)
        known = self._codes.get(environment)
        if known is None or known[0] != seen:
            known = self._codes[environment] = seen, load_code(folder, self._registered.get(environment))
        return known[1]

    def code_digest(self, environment: str) -> str:
        """Of an environment's code, as its card has it. Whether that is true is seen when a world is opened."""
        return read_code(self.servers / environment).environment.code_digest

    def judge(
        self,
        scenario: Scenario,
        initial: Mapping[str, Any],
        final: Mapping[str, Any],
        scoring: Scoring = "framed",
        published: bool | None = None,
    ) -> Verdict:
        """What an ending is worth; workers for the checks are kept warm. `published` where the caller knows the code."""
        if published is None:
            published = self.code(scenario.environment).published
        return judge(scenario, initial, final, scoring, published, self._checker)

    def scenarios(self, environment: str) -> tuple[Scenario, ...]:
        """The tasks of an environment."""
        return load_scenarios(self.servers / environment) if self.tasks is None else self.tasks.scenarios(environment)

    def close(self) -> None:
        """End what waits; sessions are their owners'."""
        self._checker.close()
