"""The control plane in process: sessions in the server folders of a home."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from envscaler_mcp.artifacts import Scenario, Verdict
from envscaler_mcp.launch.opening import Isolation, open_session
from envscaler_mcp.sandbox.checking import Checker
from envscaler_mcp.sandbox.judging import judge
from envscaler_mcp.serving import load_code
from envscaler_mcp.serving.grading import Scoring
from envscaler_mcp.serving.session import Session
from envscaler_mcp.serving.tasks import load_scenarios


class Farm:
    """The server folders of a home, and sessions in them: the control plane, in process."""

    def __init__(self, servers: Path) -> None:
        self.servers = servers
        self._checker = Checker()

    @classmethod
    @contextmanager
    def at(cls, servers: Path) -> Iterator[Farm]:
        """A farm for the block."""
        farm = cls(servers)
        try:
            yield farm
        finally:
            farm.close()

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
        folder = self.servers / environment
        return open_session(folder, load_code(folder), scenario, state, seed, isolation, self.judge)

    def judge(
        self,
        scenario: Scenario,
        initial: Mapping[str, Any],
        final: Mapping[str, Any],
        scoring: Scoring = "framed",
    ) -> Verdict:
        """What an ending is worth; workers for the checks are kept warm."""
        return judge(scenario, initial, final, scoring, self._checker)

    def scenarios(self, environment: str) -> tuple[Scenario, ...]:
        """The tasks of an environment."""
        return load_scenarios(self.servers / environment)

    def close(self) -> None:
        """End what waits; sessions are their owners'."""
        self._checker.close()
