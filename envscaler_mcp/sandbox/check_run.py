"""The checks of one verdict together: how long they may work, what they hold, and their end from another thread."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Protocol

from envscaler_mcp.artifacts import Check
from envscaler_mcp.errors import Reason, WorkerEndedError
from envscaler_mcp.sandbox.isolation import Checked
from envscaler_mcp.sandbox.worker_handle import WorkerHandle

if TYPE_CHECKING:
    from envscaler_mcp.sandbox.checking import Checker


class RunsChecks(Protocol):
    """What answers the checks of a verdict."""

    def run(
        self,
        checks: Iterable[str | Check],
        initial_state: Mapping[str, Any],
        final_state: Mapping[str, Any],
        *,
        handed_on: bool = False,
        python: bool = False,
    ) -> list[Checked]:
        """What each check says about this ending."""


class CheckRun:
    """A checker for one verdict: what is over its seconds does not return, as a check that is ended does not."""

    def __init__(self, checker: Checker, seconds: float) -> None:
        self.ended: Reason | None = None
        """Why it was ended from outside; then its answers say nothing about the checks."""
        self.memory = 0
        """Bytes that its worker held when it was weighed last."""
        self._checker = checker
        self._seconds = seconds
        self._until = time.monotonic() + seconds
        self._why = ""
        self._worker: WorkerHandle | None = None
        self._lock = threading.Lock()

    def run(
        self,
        checks: Iterable[str | Check],
        initial_state: Mapping[str, Any],
        final_state: Mapping[str, Any],
        *,
        handed_on: bool = False,
        python: bool = False,
    ) -> list[Checked]:
        """What each check says about this ending."""
        return self._checker.run(checks, initial_state, final_state, handed_on=handed_on, python=python, within=self)

    def seconds_left(self) -> float:
        """How long its checks may still work; WorkerEndedError where that is over."""
        if self.ended is not None:
            raise WorkerEndedError(self.ended, self._why)
        left = self._until - time.monotonic()
        if left <= 0:
            raise WorkerEndedError(
                "time", f"check: the checks of this verdict have used up its {self._seconds:g} seconds"
            )
        return left

    @contextmanager
    def holding(self, worker: WorkerHandle) -> Iterator[None]:
        """A worker runs checks of this verdict, for the block."""
        with self._lock:
            self._worker = worker
            self._doom()
        try:
            yield
        finally:
            with self._lock:
                self._worker = None

    def end(self, reason: Reason, why: str) -> None:
        """End its worker, and run no more checks; to be called in a thread."""
        with self._lock:
            self.ended, self._why = reason, why
            self._doom()

    def _doom(self) -> None:
        if self.ended is not None and self._worker is not None:
            self._worker.doom(self.ended, self._why)

    def weigh(self) -> None:
        """Know how many bytes its worker holds for itself now."""
        worker = self._worker
        self.memory = 0 if worker is None else worker.own_memory
