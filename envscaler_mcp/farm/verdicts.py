"""Verdicts of a farm's worlds: few at a time are read as data, and few run, in places which holders share."""

from __future__ import annotations

import asyncio
from collections import Counter, deque
from collections.abc import AsyncIterator, Collection, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from contextvars import ContextVar
from functools import partial

import anyio
import anyio.to_thread

from envscaler_mcp.artifacts import Verdict
from envscaler_mcp.artifacts.episode import Scoring
from envscaler_mcp.errors import UnreadableStateError, WorkerEndedError, WorldError
from envscaler_mcp.farm.benchmark_session import BenchmarkSession
from envscaler_mcp.farm.hosted_world import BusyError, HostedWorld, VerdictRun
from envscaler_mcp.grading.judging import judge
from envscaler_mcp.sandbox.check_run import CheckRun, RunsChecks
from envscaler_mcp.sandbox.checking import Checker, DataChecker, NeedsWorkerError
from envscaler_mcp.sandbox.limits import MIB, Limits
from envscaler_mcp.serving.control.plane import NoWorldError, final_state
from envscaler_mcp.serving.control.schemas import Judgement, Move

HOLDER: ContextVar[str] = ContextVar("holder", default="")
"""The token of the request that is being answered."""
PLACES = 4
"""Verdicts of one process whose checks run at a time, and those whose checks are read as data."""
PLACES_OF_HOLDER = 3
"""Of one token: the others find a place at once."""
MOST_WAITING = 64
"""Verdicts of one token that may wait for a place."""
MOST_READ = 4_096
"""The same for verdicts whose checks may all be data, which most are."""
SECONDS = 20.0
"""How long the checks of one verdict may work together."""
OWN_TASKS = Limits(memory=256 * MIB, resident=128 * MIB)
"""For checks of tasks that owners bring along."""


class Verdicts:
    """Those of one process."""

    def __init__(self) -> None:
        self._data = DataChecker()
        self._checker = Checker()
        self._checker_of_own = Checker(limits=OWN_TASKS)
        self._reading = Places(MOST_READ)
        self._places = Places()
        self._threads = anyio.CapacityLimiter(2 * PLACES)
        self._runs: set[VerdictRun] = set()

    async def verdict(self, world: HostedWorld, scoring: Scoring, holder: str) -> Verdict:
        """What the state of the world is worth as an ending; NoWorldError where it is closed meanwhile."""
        if isinstance(world.session, BenchmarkSession):
            return (await self.judgement(world, None, holder)).verdict
        if world.session.scenario is None:
            return world.session.judged({}, scoring)
        try:
            async with self._reading.taken(holder, world.waiting_verdicts):
                return await self._judged(world, scoring, self._data)
        except NeedsWorkerError:
            pass
        async with self._places.taken(holder, world.waiting_verdicts):
            run = CheckRun(self._checker if world.start.task is None else self._checker_of_own, SECONDS)
            with self._under_way(run, world):
                verdict = await self._judged(world, scoring, run)
        _check(run)
        return verdict

    async def judgement(self, world: HostedWorld, moves: Sequence[Move] | None, holder: str) -> Judgement:
        """What the authors of a benchmark say of what was played; only reading that takes a turn of the world."""
        session = world.session
        if not isinstance(session, BenchmarkSession):
            raise WorldError("This world is at no task of a benchmark; `verify` judges it.")
        async with self._places.taken(holder, world.waiting_verdicts):
            judging = session.judging()
            with self._under_way(judging, world):
                try:
                    played = await world.act(lambda _: session.played(moves))
                    return await anyio.to_thread.run_sync(judging.judgement, played, limiter=self._threads)
                except WorkerEndedError as cause:
                    _check(judging)
                    if world.ended is not None:
                        raise
                    error = UnreadableStateError if cause.used_too_much else WorldError
                    raise error(f"The judge has ended: {cause}") from cause

    @contextmanager
    def _under_way(self, run: VerdictRun, world: HostedWorld) -> Iterator[None]:
        for runs in (self._runs, world.check_runs):
            runs.add(run)
        try:
            yield
        finally:
            for runs in (self._runs, world.check_runs):
                runs.discard(run)

    async def _judged(self, world: HostedWorld, scoring: Scoring, checker: RunsChecks) -> Verdict:
        # Only reading the state takes a turn: agents may call while the checks run.
        final = await final_state(world)
        session = world.session
        assert session.scenario is not None
        judging = partial(judge, session.scenario, session.initial, final, scoring, session.published, checker)
        return await anyio.to_thread.run_sync(judging, limiter=self._threads)

    @property
    def runs(self) -> Collection[VerdictRun]:
        """Verdicts whose checks run."""
        return tuple(self._runs)

    @property
    def idle_memory(self) -> int:
        """Bytes of workers that wait for checks."""
        return self._checker.idle_memory + self._checker_of_own.idle_memory

    def close(self) -> None:
        """End the workers."""
        for checker in (self._data, self._checker, self._checker_of_own):
            checker.close()


def _check(run: VerdictRun) -> None:
    """Raise where it was ended from outside."""
    if run.ended == "closed":
        raise NoWorldError("This world was closed while it was judged.")
    if run.ended is not None:
        raise BusyError("The farm was short of memory and has ended the checks of this verdict; ask for it again.")


class Places:
    """Who may run checks, or other work in threads: next is the holder with the fewest places, among equals the one that was served longest ago."""

    def __init__(
        self,
        most_waiting: int = MOST_WAITING,
        places: int = PLACES,
        of_holder: int = PLACES_OF_HOLDER,
        what: str = "verdicts",
    ) -> None:
        self._most_waiting = most_waiting
        self._places, self._of_holder = places, of_holder
        self._what = what
        self._taken: Counter[str] = Counter()
        self._waiting: dict[str, deque[asyncio.Future[None]]] = {}

    @asynccontextmanager
    async def taken(self, holder: str, of_world: set[asyncio.Future[None]]) -> AsyncIterator[None]:
        """A place for the block. Who closes the world ends the wait, which stands among those `of_world`."""
        queue = self._waiting.setdefault(holder, deque())
        if len(queue) >= self._most_waiting:
            raise BusyError(f"{self._most_waiting} {self._what} of this token wait already; wait for an answer.")
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        queue.append(turn)
        of_world.add(turn)
        self._serve()
        try:
            await turn
        except BaseException:
            if turn.done() and not turn.cancelled() and turn.exception() is None:
                # Its turn had come when it was given up.
                self._leave(holder)
            else:
                queue.remove(turn)
                self._forget(holder)
            raise
        finally:
            of_world.discard(turn)
        try:
            yield
        finally:
            self._leave(holder)

    def _leave(self, holder: str) -> None:
        self._taken[holder] -= 1
        if not self._taken[holder]:
            del self._taken[holder]
        self._serve()

    def _serve(self) -> None:
        while self._taken.total() < self._places:
            able = [holder for holder in self._waiting if self._taken[holder] < self._of_holder and self._next(holder)]
            if not able:
                return
            holder = min(able, key=lambda able: self._taken[able])
            turn = self._next(holder)
            assert turn is not None
            queue = self._waiting.pop(holder)
            queue.remove(turn)
            if queue:
                self._waiting[holder] = queue
            self._taken[holder] += 1
            turn.set_result(None)

    def _next(self, holder: str) -> asyncio.Future[None] | None:
        """The first that was not given up; those that were leave in their own time."""
        return next((turn for turn in self._waiting[holder] if not turn.done()), None)

    def _forget(self, holder: str) -> None:
        if not self._waiting.get(holder, True):
            del self._waiting[holder]
