"""One world of the farm: who may still use it, what it was asked, and who is watching."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from envscaler_mcp.artifacts import StateDiff
from envscaler_mcp.errors import EnvScalerError
from envscaler_mcp.sandbox.worker_world import WorkerWorld
from envscaler_mcp.service.environments import HostedEnvironment
from envscaler_mcp.service.http1 import Answer
from envscaler_mcp.serving.local_world import LocalWorld
from envscaler_mcp.serving.outcome import ENDED, Outcome
from envscaler_mcp.serving.served import Served
from envscaler_mcp.serving.session import Session

KEPT_UNDELIVERED = 8
WATCHER_BACKLOG = 1_000
"""Events that may wait for a watcher before it is let go."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Terms:
    """What one world may take, and for how long."""

    lease_seconds: float
    """How long it stays when nobody uses it."""
    calls: int


@dataclass(slots=True)
class Counts:
    """What happened to the worlds of one process since it began."""

    opened: int = 0
    closed: int = 0
    reaped: int = 0
    crashed: int = 0
    calls: int = 0


@dataclass(slots=True, eq=False)
class Watcher:
    """Somebody who is told what happens in a world."""

    events: asyncio.Queue[Mapping[str, Any] | None] = field(default_factory=lambda: asyncio.Queue(WATCHER_BACKLOG))


class HostedWorld:
    """A session at an address."""

    def __init__(
        self,
        name: str,
        environment: HostedEnvironment,
        session: Session,
        terms: Terms,
        counts: Counts,
        *,
        visitor: bool = False,
    ) -> None:
        self.name = name
        self.environment = environment
        self.session = session
        self.terms = terms
        self.visitor = visitor
        """Whether it came into being because a person went to its address."""
        self.used = time.monotonic()
        self.calls = 0
        self.ended = False
        """Whether its worker is gone; it answers every call with that until it is closed."""
        self.undelivered: dict[bytes, Answer] = {}
        """Answers to calls that nobody got, by what was sent: whoever sends that again gets them, and nothing is run."""
        self.under_way: dict[bytes, asyncio.Event] = {}
        """What its worker is doing, by what was sent; set when it is done."""
        self.sent = b""
        """What the last call was sent as."""
        self._counts = counts
        self._served = Served(session.world)
        self._here = isinstance(session.world, LocalWorld)
        self._watchers: set[Watcher] = set()
        self._loop = asyncio.get_running_loop()

    def call(self, tool: str, arguments: dict[str, Any], key: str | None) -> Outcome | Coroutine[Any, Any, Outcome]:
        """What comes of a call: at once in this process, later in a worker."""
        self.used = time.monotonic()
        self.calls += 1
        self._counts.calls += 1
        if self.calls > self.terms.calls:
            return Outcome.saying("invalid", f"This world has answered its {self.terms.calls} calls; open another one.")
        if self._here:
            return self._call(tool, arguments, key)
        return self._call_later(tool, arguments, key)

    def _call(self, tool: str, arguments: dict[str, Any], key: str | None) -> Outcome:
        outcome = self.session.world.call(tool, arguments, key)
        if self._watchers:
            self._tell_of_call(tool, arguments, outcome)
        return outcome

    async def _call_later(self, tool: str, arguments: dict[str, Any], key: str | None) -> Outcome:
        try:
            return await self._served.turn(lambda: self._call(tool, arguments, key))
        except EnvScalerError:
            if not self.ended:
                self.ended = True
                self._counts.crashed += 1
                self.tell("ended", {})
            return ENDED

    async def act(self, does: Callable[[Session], T]) -> T:
        """Something that only whoever owns the world may do."""
        self.used = time.monotonic()
        return await self._served.turn(lambda: does(self.session))

    @property
    def leaves(self) -> float:
        """When it is closed if nobody uses it, by the monotonic clock."""
        return self.used + self.terms.lease_seconds

    @property
    def place(self) -> str:
        """Where its code runs."""
        return "here" if self._here else "worker"

    @property
    def worker(self) -> int | None:
        """The process that its code runs in, if that is not this one."""
        world = self.session.world
        return world.line.pid if isinstance(world, WorkerWorld) else None

    def not_delivered(self, sent: bytes, answer: Answer) -> None:
        """Keep an answer that nobody got."""
        while len(self.undelivered) >= KEPT_UNDELIVERED:
            del self.undelivered[next(iter(self.undelivered))]
        self.undelivered[sent] = answer

    def watch(self) -> Watcher:
        """Be told from now on."""
        watcher = Watcher()
        self._watchers.add(watcher)
        return watcher

    def unwatch(self, watcher: Watcher) -> None:
        self._watchers.discard(watcher)

    def _tell_of_call(self, tool: str, arguments: dict[str, Any], outcome: Outcome) -> None:
        found = self.environment.card.tool(tool)
        writes = outcome.kind == "done" and found is not None and found.effect == "writes"
        diff = self.session.diff() if writes else StateDiff()
        told = {
            "tool": tool,
            "arguments": arguments,
            "kind": outcome.kind,
            "result": outcome.payload,
            "diff": diff.model_dump(mode="json"),
        }
        # A worker's world is called in a thread, and queues belong to the loop.
        self._loop.call_soon_threadsafe(self.tell, "call", told)

    def tell(self, what: str, told: Mapping[str, Any]) -> None:
        """Tell everybody who watches."""
        for watcher in list(self._watchers):
            try:
                watcher.events.put_nowait({"event": what, "number": self.calls, **told})
            except asyncio.QueueFull:
                self._watchers.discard(watcher)
                _hang_up(watcher)

    async def close(self) -> None:
        """End the world, and tell whoever watches."""
        self.tell("closed", {})
        for watcher in list(self._watchers):
            _hang_up(watcher)
        self._watchers.clear()
        await self._served.turn(self.session.close)


def _hang_up(watcher: Watcher) -> None:
    if watcher.events.full():
        watcher.events.get_nowait()
    watcher.events.put_nowait(None)
