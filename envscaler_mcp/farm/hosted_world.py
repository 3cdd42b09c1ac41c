"""One world of the farm: who may still use it, what it was asked, and who is watching."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

import anyio
import anyio.to_thread

from envscaler_mcp.artifacts import StateDiff
from envscaler_mcp.errors import EnvScalerError, Reason, WorkerEndedError
from envscaler_mcp.farm.benchmark_session import BenchmarkSession, Judging
from envscaler_mcp.farm.dialects import FarmDialect
from envscaler_mcp.farm.environments import FarmEnvironment, Start
from envscaler_mcp.farm.held_bytes import HeldBytes
from envscaler_mcp.farm.static_results import FixedAnswers, OfferedTasks
from envscaler_mcp.farm.timeline import Caller, Timeline
from envscaler_mcp.farm.watchers import Watcher, Watchers
from envscaler_mcp.farm.worker_calls import WorkerCalls
from envscaler_mcp.sandbox.check_run import CheckRun
from envscaler_mcp.sandbox.worker_world import WorkerWorld
from envscaler_mcp.serving.control.plane import NoWorldError
from envscaler_mcp.serving.deadline import count_no_garbage
from envscaler_mcp.serving.journaled_world import JournaledWorld
from envscaler_mcp.serving.local_world import LocalWorld
from envscaler_mcp.serving.outcome import Outcome, ended
from envscaler_mcp.serving.session import Session
from envscaler_mcp.serving.spoken_world import MeantCall, Speaker
from envscaler_mcp.serving.world_slot import WorldSlot
from envscaler_mcp.studio.shortened import JsonText, bounded

MOST_WAITING = 64
"""Calls that may wait for their turn in one world."""
MOST_OVERDUE = 3
"""Calls that may take too long in this process before their world is ended."""
CALL_SECONDS = 0.1
"""How long a call may work in this process; the slowest of the library takes half of it."""
_LARGE = 1 << 20
"""About how many bytes a world grows by until its whole state is read in threads."""
_LONG = 50_000
"""Letters of an answer that the event loop does not translate."""
CROWDED = Outcome.saying("invalid", f"{MOST_WAITING} calls wait for this world already; wait for an answer.")

_CLOSED = "This world was closed while it was judged."

T = TypeVar("T")
VerdictRun = CheckRun | Judging
"""What works for one verdict: it is weighed, and ended with its world."""


@dataclass(frozen=True, slots=True)
class Terms:
    """What one world may take, and for how long."""

    lease_seconds: float
    """How long it stays without use."""
    calls: int
    records: int
    """By how many it may grow, where it is in the farm's own process."""


@dataclass(frozen=True, slots=True)
class Threads:
    """How many threads the worlds of one environment may hold together, so that those of another never wait for them."""

    calls: WorkerCalls
    """Of all environments: these need no thread each."""
    opening: anyio.CapacityLimiter = field(default_factory=lambda: anyio.CapacityLimiter(4))
    """For worlds that owners open."""
    visiting: anyio.CapacityLimiter = field(default_factory=lambda: anyio.CapacityLimiter(4))
    """For worlds of guest links: visitors never use up the openings of owners."""
    acting: anyio.CapacityLimiter = field(default_factory=lambda: anyio.CapacityLimiter(8))
    """For what owners do, and for answers that the event loop does not wait for."""


@dataclass(slots=True)
class Counts:
    """What happened to the worlds of one process since it began."""

    opened: int = 0
    closed: int = 0
    reaped: int = 0
    crashed: int = 0
    ended_for_memory: int = 0
    slowed: int = 0
    calls: int = 0


class BusyError(EnvScalerError):
    """A world is in the middle of a call."""


class HostedWorld:
    """A session at an address."""

    def __init__(
        self,
        name: str,
        environment: FarmEnvironment,
        session: Session,
        terms: Terms,
        counts: Counts,
        threads: Threads,
        start: Start,
        events: HeldBytes,
        *,
        visitor: bool = False,
    ) -> None:
        """Events that wait for its watchers are counted in an account of all worlds."""
        self.name = name
        self.environment = environment
        self.session = session
        self.terms = terms
        self.visitor = visitor
        """Whether it came into being because a person went to its address."""
        self.of_class = False
        """Whether a visitor of a class plays there, who may end as any visitor's world where memory is short."""
        self.batch = ""
        """Which worlds were opened with the same request; they are closed together if one of them cannot be opened."""
        self.address = ""
        """Where the visitor came from."""
        self.first_lease: float | None = None
        """The shorter lease of a visitor's world of which no call has succeeded yet."""
        self.used = time.monotonic()
        self.calls = 0
        self.start = start
        self.threads = threads
        self.ended: WorkerEndedError | None = None
        """Why its worker is gone, if it is; it answers every call with that until it is closed."""
        self.memory = 0
        """Bytes that its worker held when it was weighed last."""
        self.weighed = 0.0
        """When that was, by the monotonic clock."""
        self._hashed = -1, ""
        """At which count of its changes it had which hash."""
        self._counts = counts
        self._served = WorldSlot(session.world, threads.acting)
        self._here = isinstance(session.world, LocalWorld)
        if isinstance(session.world, JournaledWorld):
            session.world.bound(terms.records, CALL_SECONDS)
            count_no_garbage()
        self._held_first = session.world.held if isinstance(session.world, LocalWorld) else 0
        self.waiting = 0
        """Requests that wait for their turn or for its worker."""
        self._slowed = False
        self.check_runs: set[VerdictRun] = set()
        """Verdicts on it that are under way."""
        self.waiting_verdicts: set[asyncio.Future[None]] = set()
        """Verdicts on it that wait for a place."""
        self.watchers = Watchers(name, events)
        self.listeners = Watchers(name, events) if isinstance(session, BenchmarkSession) else None
        """Clients of agents that are told when other tools are listed, where that can happen."""
        self._tools_changed = False
        self.timeline: Timeline | None = None
        """Its calls, once its owner asked to record them."""
        self.parent = ""
        """The world that it was forked from."""
        self.forked_after = 0
        """After which recorded call of the parent that was."""

    def call(
        self, tool: str, arguments: dict[str, Any], key: str | None, caller: Caller | None = None
    ) -> Outcome | Coroutine[Any, Any, Outcome]:
        """What comes of a call: at once in this process, later in a worker. The caller learns which step was recorded."""
        self.used = time.monotonic()
        self.calls += 1
        self._counts.calls += 1
        if self.calls > self.terms.calls:
            return Outcome.saying("invalid", f"This world has answered its {self.terms.calls} calls; open another one.")
        if self._here:
            return self._call(tool, arguments, key, caller)
        return self._call_later(tool, arguments, key, caller)

    def answer(self, tool: str, arguments: dict[str, Any], key: str | None) -> Outcome | Coroutine[Any, Any, Outcome]:
        """What an agent reads that called: in its dialect, where the world is opened for one."""
        speaker = self.session.speaker
        if speaker is None:
            return self.call(tool, arguments, key)
        meant = speaker.meant(tool, arguments)
        if isinstance(meant, Outcome):
            self.used = time.monotonic()
            self.calls += 1
            return meant
        outcome = self.call(meant.tool, dict(meant.arguments), key)
        if isinstance(outcome, Outcome):
            return speaker.answer(meant, outcome)
        return self._answer_later(speaker, meant, outcome)

    async def _answer_later(self, speaker: Speaker, meant: MeantCall, coming: Coroutine[Any, Any, Outcome]) -> Outcome:
        outcome = await coming
        if len(outcome.text) < _LONG:
            return speaker.answer(meant, outcome)
        # Unread code may answer as much as is sent at all; others are answered meanwhile.
        return await anyio.to_thread.run_sync(speaker.answer, meant, outcome, limiter=self.threads.acting)

    def _call(self, tool: str, arguments: dict[str, Any], key: str | None, caller: Caller | None) -> Outcome:
        if self.ended is not None:
            return ended(self.ended.reason)
        mark = None if self.timeline is None else self._mark_before(tool)
        outcome = self.session.world.call(tool, arguments, key)
        if outcome.kind == "done":
            self.first_lease = None
        elif outcome.kind == "limited":
            self._end_if_overdue()
        if self.watchers or self.timeline is not None:
            self._tell_of_call(tool, arguments, outcome, self._diff_of(tool, outcome), mark, caller)
        return outcome

    def _end_if_overdue(self) -> None:
        """End a world whose calls hold up the process again and again, and with it all that it serves."""
        world = self.session.world
        if not isinstance(world, LocalWorld) or world.overdue < MOST_OVERDUE or self.ended is not None:
            return
        self._drop(
            "time",
            f"{MOST_OVERDUE} calls of this world took longer than calls may that run in the farm's own process; it was "
            "ended. Open it anew, or run the farm with --isolation auto.",
        )

    def _drop(self, reason: Reason, why: str) -> None:
        """End a world of this process."""
        world = self.session.world
        assert isinstance(world, LocalWorld)
        world.drop()
        self._note_end(WorkerEndedError(reason, why))

    async def _call_later(
        self, tool: str, arguments: dict[str, Any], key: str | None, caller: Caller | None
    ) -> Outcome:
        if self.waiting >= MOST_WAITING:
            return CROWDED
        self.waiting += 1
        try:
            async with self._served.lock:
                outcome = await self._called(tool, arguments, key, caller)
                if outcome.kind == "done":
                    self.first_lease = None
                self.used = time.monotonic()
                return outcome
        except EnvScalerError as cause:
            return ended(self._note_end(cause).reason)
        finally:
            self.waiting -= 1

    async def _called(self, tool: str, arguments: dict[str, Any], key: str | None, caller: Caller | None) -> Outcome:
        world = self.session.world
        assert isinstance(world, WorkerWorld)
        mark = None
        if self.timeline is not None:
            mark = await anyio.to_thread.run_sync(self._mark_before, tool, limiter=self.threads.acting)
        outcome = world.outcome(
            await self.threads.calls.answer_of(world.begin(tool, arguments, key), self.threads.acting)
        )
        if world.line.slowed and not self._slowed:
            self._slowed = True
            self._counts.slowed += 1
            self.tell("slowed", {"tool": tool})
        if self.watchers or self.timeline is not None:
            diff = await anyio.to_thread.run_sync(self._diff_of, tool, outcome, limiter=self.threads.acting)
            self._tell_of_call(tool, arguments, outcome, diff, mark, caller)
        return outcome

    def _note_end(self, cause: EnvScalerError) -> WorkerEndedError:
        """Why the worker is gone, which its watchers hear once."""
        if self.ended is None:
            why = cause if isinstance(cause, WorkerEndedError) else WorkerEndedError("crash", str(cause))
            self.ended = why
            self._counts.crashed += 1
            self.tell("ended", {"reason": why.reason, "why": str(why)})
        return self.ended

    async def end(self, reason: Reason, why: str) -> None:
        """End it, whatever its worker is doing; the address stays, and says why to its callers."""
        world = self.session.world
        if isinstance(world, WorkerWorld) and self.ended is None:
            await anyio.to_thread.run_sync(world.line.doom, reason, why)
            self._note_end(WorkerEndedError(reason, why))
        elif isinstance(world, LocalWorld) and self.ended is None:
            self._drop(reason, why)

    async def act(self, does: Callable[[Session], T], patience: float | None = None) -> T:
        """Something that only its owner may do; BusyError where a call keeps it from its turn beyond the patience."""
        self.used = time.monotonic()
        if self._here and self.ended is not None:
            raise self.ended
        try:
            return await self._served.turn(lambda: does(self.session), patience)
        except TimeoutError:
            raise BusyError("A call of this world does not end; wait for it, or close the world.") from None
        except WorkerEndedError as cause:
            self._note_end(cause)
            raise

    @property
    def leaves(self) -> float:
        """When it is closed if it is not used, by the monotonic clock."""
        return self.used + (self.terms.lease_seconds if self.first_lease is None else self.first_lease)

    @property
    def place(self) -> str:
        """Where its code runs."""
        return "here" if self._here else "worker"

    @property
    def worker(self) -> int | None:
        """The process that its code runs in, if that is not this one."""
        world = self.session.world
        return world.line.pid if isinstance(world, WorkerWorld) else None

    @property
    def slowed(self) -> bool:
        """Whether a call kept a processor busy for so long that it had to take turns with others like it."""
        world = self.session.world
        return isinstance(world, WorkerWorld) and world.line.slowed

    @property
    def may_have_grown(self) -> bool:
        """Whether its code has run since it was weighed last."""
        return self.ended is None and (self.waiting > 0 or self.used >= self.weighed)

    def weigh(self, now: float) -> None:
        """Know how many bytes its worker holds for itself now."""
        world = self.session.world
        self.memory = world.line.own_memory if isinstance(world, WorkerWorld) and self.ended is None else 0
        self.weighed = now

    @property
    def held_here(self) -> int:
        """About how many bytes it holds in this process beyond what it began with."""
        world = self.session.world
        return max(0, world.held - self._held_first) if isinstance(world, LocalWorld) and self.ended is None else 0

    @property
    def is_large(self) -> bool:
        """Whether it has grown so far here that the event loop does not read its whole state."""
        return self.held_here > _LARGE

    @property
    def known_hash(self) -> str:
        """The hash of its state, where that was made since its last change; else nothing."""
        count, digest = self._hashed
        return digest if self.ended is None and count == self.changes else ""

    @property
    def changes(self) -> int:
        """What may have changed its state here, counted."""
        world = self.session.world
        return world.changes if isinstance(world, JournaledWorld) else 0

    def remember_hash(self, changes: int, digest: str) -> None:
        """It had this hash at that count of its changes."""
        if isinstance(self.session.world, JournaledWorld):
            self._hashed = changes, digest

    @property
    def offered(self) -> OfferedTasks | None:
        """The tasks that it offers as prompts; None where they were not read yet."""
        prompts = self.start.prompts if self.start.task is None else "none"
        return self.environment.offered(self.start.scenario, self.start.state, prompts)

    async def record(self, held: HeldBytes) -> Timeline:
        """Its calls from now on; what it holds of them is counted in an account of all worlds."""
        reasons = await self.environment.reasons()
        # Another request may have asked for it meanwhile.
        if self.timeline is None:
            self.timeline = Timeline(f"world {self.name}", held, reasons)
        return self.timeline

    def _mark_before(self, tool: str) -> int | None:
        """A mark to come back to, where the call may change something."""
        wanted = self.timeline is not None and self.timeline.wants_mark and self._writes(tool)
        return self.session.snapshot() if wanted else None

    def _writes(self, tool: str) -> bool:
        declared = self.environment.card.tool(tool)
        return declared is not None and declared.effect == "writes"

    def _diff_of(self, tool: str, outcome: Outcome) -> StateDiff:
        return self.session.diff() if outcome.kind == "done" and self._writes(tool) else StateDiff()

    def _tell_of_call(
        self,
        tool: str,
        arguments: dict[str, Any],
        outcome: Outcome,
        diff: StateDiff,
        mark: int | None,
        caller: Caller | None,
    ) -> None:
        event = {
            "tool": tool,
            "arguments": arguments,
            "kind": outcome.kind,
            "result": JsonText(outcome.text),
            "diff": diff.model_dump(mode="json"),
        }
        self.tell("call", event)
        if self.timeline is not None:
            author = "agent" if caller is None else caller.author
            # Whatever a benchmark's call changes, there is no way back.
            writes = self._writes(tool) or isinstance(self.session, BenchmarkSession)
            step = self.timeline.add(author, bounded(event), mark, writes=writes)
            # A world may be called far more often than calls are recorded.
            self.session.forget_marks(self.timeline.unneeded_marks())
            if caller is not None:
                caller.step = step

    @property
    def fixed(self) -> FixedAnswers:
        """What it tells its agents now."""
        session = self.session
        if session.speaker is not None:
            interface = session.speaker.interface
            assert isinstance(interface, FarmDialect)
            return interface.fixed
        return session.fixed if isinstance(session, BenchmarkSession) else self.environment.fixed

    @property
    def dialect(self) -> str:
        """What agents speak to it; nothing where it is its own interface."""
        interface = None if self.session.speaker is None else self.session.speaker.interface
        return interface.name if isinstance(interface, FarmDialect) else ""

    def tell(self, what: str, details: Mapping[str, Any]) -> None:
        """Tell all watchers."""
        self.watchers.tell(what, self.calls, details)

    def listen(self) -> Watcher:
        """Be told when other tools are listed; at once, where that has happened already. NoWorldError elsewhere."""
        if self.listeners is None:
            raise NoWorldError("The tools of this world never change.")
        watcher = self.listeners.enter()
        if self._tools_changed:
            # It may have listed them before, and not been here when they changed.
            self.tell_agents()
        return watcher

    def tell_agents(self) -> None:
        """Tell agents that other tools are listed."""
        self._tools_changed = True
        if self.listeners is not None:
            self.listeners.tell("tools", self.calls, {})

    async def close(self) -> None:
        """End the world, and tell its watchers."""
        self.tell("closed", {})
        self.watchers.end()
        if self.listeners is not None:
            self.listeners.end()
        if self.timeline is not None:
            self.timeline.close()
        for waiting in self.waiting_verdicts:
            if not waiting.done():
                waiting.set_exception(NoWorldError(_CLOSED))
        for run in list(self.check_runs):
            await anyio.to_thread.run_sync(run.end, "closed", _CLOSED)
        # A call that hangs is not waited for.
        if self.waiting:
            await self.end("closed", "this world was closed; open another one")
        await self._served.turn(self.session.close)
