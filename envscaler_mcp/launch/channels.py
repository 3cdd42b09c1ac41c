"""Four channels to a world: in this process, in a worker, and through a server over standard streams or HTTP.

Over each of them a call has the same outcome with the same text, and the control plane gives the same answers. Those
through a server are in `client_channel`.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import anyio
import anyio.to_thread

from envscaler_mcp.artifacts import Scenario, StateDiff
from envscaler_mcp.artifacts.run import Via
from envscaler_mcp.errors import LaunchError
from envscaler_mcp.launch.opening import StartOf, Starts
from envscaler_mcp.launch.readable import readable
from envscaler_mcp.sandbox.pending import Pending
from envscaler_mcp.sandbox.worker_world import WorkerWorld
from envscaler_mcp.serving import EnvironmentCode, Outcome
from envscaler_mcp.serving.outcome import CHANGING
from envscaler_mcp.serving.session import Controls, Judge, Session
from envscaler_mcp.serving.spoken_world import is_local

if TYPE_CHECKING:
    from envscaler_mcp.launch.client_channel import ClientChannel

T = TypeVar("T")


class Host(Protocol):
    """Opens one world after another, of one environment."""

    code: EnvironmentCode

    async def open(self, scenario: Scenario) -> LocalChannel | ClientChannel:
        """A world at the scenario; the one opened before it has ended."""

    async def close(self) -> None:
        """End what is open."""


class LocalChannel:
    """A world that this process holds: its own, or one in a worker, which the event loop waits for."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self._here = is_local(session.world)

    async def call(self, tool: str, arguments: dict[str, Any], writes: bool) -> tuple[Outcome, StateDiff]:
        """What came of the call, and what it changed."""
        world = self.session.world
        if self._here:
            return self._called(tool, arguments, writes)
        if not isinstance(world, WorkerWorld):
            return await anyio.to_thread.run_sync(self._called, tool, arguments, writes)
        outcome = world.outcome(await _answer_of(world.begin(tool, arguments)))
        if writes and outcome.kind in CHANGING:
            return outcome, world.diff_in(await _answer_of(world.begin_diff()))
        return outcome, StateDiff()

    def _called(self, tool: str, arguments: dict[str, Any], writes: bool) -> tuple[Outcome, StateDiff]:
        outcome = self.session.world.call(tool, arguments)
        return outcome, self.session.diff() if writes and outcome.kind in CHANGING else StateDiff()

    async def read(self, act: Callable[[Controls], T]) -> T:
        """The result of reading the session, which agents cannot."""
        return act(self.session) if self._here else await anyio.to_thread.run_sync(act, self.session)

    async def state(self) -> dict[str, Any]:
        """Every record and scalar, as they are now."""
        return await self.read(state_of_session)

    async def initial(self) -> dict[str, Any]:
        """The state as the world opened it."""
        return dict(self.session.initial)


_SOON = 0.05
"""Seconds in which nearly all calls are answered; past that a thread waits, which looks after the worker's bounds."""


async def _answer_of(pending: Pending) -> dict[str, Any]:
    """What a worker answers. A thread for each call would cost more than the call, and threads of many episodes more still."""
    answer: dict[str, Any] | None = None
    try:
        # An episode that ends meanwhile is judged by the state after this call, and a worker that is left without being
        # heard would have to end.
        with anyio.CancelScope(shield=True):
            if pending.sent and await readable(pending.descriptor, _SOON):
                answer = pending.small_answer()
            if answer is None:
                answer = await anyio.to_thread.run_sync(pending.finish)
        assert answer is not None
        return answer
    finally:
        pending.close()


def state_of_session(controls: Controls) -> dict[str, Any]:
    """Every record and scalar of a session."""
    return controls.state()


_OPENED_STATES = 2
"""How many opened states a host caches. A run plays a scenario's repetitions one after the other, and has a host for each
player: what each cached of all its scenarios would grow with the run."""


class _WorldHost:
    def __init__(
        self,
        folder: Path,
        code: EnvironmentCode,
        isolation: str | None,
        judge: Judge | None,
        start_of: StartOf | None,
    ) -> None:
        self.code = code
        self._isolation = isolation
        self._starts = Starts(folder, self.code, judge, most=_OPENED_STATES, start_of=start_of)
        self._open: Session | None = None

    async def open(self, scenario: Scenario) -> LocalChannel:
        await self.close()
        opening = partial(self._starts.session, scenario, isolation=self._isolation)
        here = self._isolation is None and self.code.trusted
        self._open = opening() if here else await anyio.to_thread.run_sync(opening)
        return LocalChannel(self._open)

    async def close(self) -> None:
        session, self._open = self._open, None
        if session is None:
            return
        if is_local(session.world):
            session.close()
        else:
            with anyio.CancelScope(shield=True):
                await anyio.to_thread.run_sync(session.close)


@asynccontextmanager
async def hosting(
    folder: Path, code: EnvironmentCode, via: Via, judge: Judge | None = None, start_of: StartOf | None = None
) -> AsyncIterator[Host]:
    """A host of the folder's worlds, for the block; what it started ends with the block, or with this process.

    `start_of` gives the states of tasks that lie elsewhere; a server, which knows its folder alone, cannot open these.
    """
    if via in ("direct", "worker"):
        host = _WorldHost(folder, code, "auto" if via == "worker" else None, judge, start_of)
        try:
            yield host
        finally:
            await host.close()
        return
    if start_of is not None:
        raise LaunchError(
            f"Fresh tasks cannot be opened over {via}, as a server knows its folder alone; use --via direct or worker."
        )
    # Imported here: `mcp` takes half of the time that a process which plays episodes needs to start.
    from envscaler_mcp.launch.client_channel import hosting_in_server

    async with hosting_in_server(folder, code, via) as server:
        yield server
