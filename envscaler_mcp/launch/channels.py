"""Four ways to the same world: in this process, in a worker, and through a server over standard streams or HTTP.

Whichever it is, a call has the same outcome with the same text, and the control plane tells the same.
"""

from __future__ import annotations

import secrets
import tempfile
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any, Protocol, TypeVar

import anyio
import anyio.to_thread
import httpx2
from mcp import Client
from mcp_types import TextContent

from envscaler_mcp.artifacts import Scenario, StateDiff
from envscaler_mcp.config import choices
from envscaler_mcp.errors import EnvScalerError, LaunchError
from envscaler_mcp.launch.opening import Isolation, Starts
from envscaler_mcp.serving import EnvironmentCode, LocalWorld, Outcome
from envscaler_mcp.serving.control_client import ControlClient, controlled
from envscaler_mcp.serving.outcome import PublishedOutcome, kind_of
from envscaler_mcp.serving.session import Controls, Judge, Session

Via = choices.Via
TOKEN_VARIABLE = "ENVSCALER_CONTROL_TOKEN"  # noqa: S105 - the name of it

CHANGING = ("done", "failed")
"""Kinds of outcomes after which something may be different: in a published world, what a failing call did stays done."""

T = TypeVar("T")


class Host(Protocol):
    """Opens one world after another, of one environment."""

    code: EnvironmentCode

    async def open(self, scenario: Scenario) -> LocalChannel | ClientChannel:
        """A world at the scenario; the one opened before it has ended."""

    async def close(self) -> None:
        """End what is open."""


class LocalChannel:
    """A world that this process holds: its own, or one in a worker, which is waited for in a thread."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self._here = isinstance(session.world, LocalWorld)

    async def call(self, tool: str, arguments: dict[str, Any], writes: bool) -> tuple[Outcome, StateDiff]:
        """What came of the call, and what it changed."""
        if self._here:
            return self._called(tool, arguments, writes)
        return await anyio.to_thread.run_sync(self._called, tool, arguments, writes)

    def _called(self, tool: str, arguments: dict[str, Any], writes: bool) -> tuple[Outcome, StateDiff]:
        outcome = self.session.world.call(tool, arguments)
        return outcome, self.session.diff() if writes and outcome.kind in CHANGING else StateDiff()

    async def read(self, act: Callable[[Controls], T]) -> T:
        """Something that only the control plane tells."""
        return act(self.session) if self._here else await anyio.to_thread.run_sync(act, self.session)

    async def state(self) -> dict[str, Any]:
        """Every record and scalar, as they are now."""
        return await self.read(_state)

    async def initial(self) -> dict[str, Any]:
        """The state as the world opened it."""
        return dict(self.session.initial)


class ClientChannel:
    """A world behind a server: called as any client calls, read over the control line."""

    def __init__(self, client: Client, session: Controls, *, published: bool = False) -> None:
        self._client = client
        self._published = published
        self.session = session

    async def call(self, tool: str, arguments: dict[str, Any], writes: bool) -> tuple[Outcome, StateDiff]:
        """What came of the call, and what it changed."""
        outcome = await self._called(tool, arguments)
        if writes and outcome.kind in CHANGING:
            return outcome, await self.read(lambda controls: controls.diff())
        return outcome, StateDiff()

    async def _called(self, tool: str, arguments: dict[str, Any]) -> Outcome:
        try:
            result = await self._client.call_tool(tool, arguments)
        except EnvScalerError:
            raise
        except Exception as cause:
            raise LaunchError(
                f"The server does not answer a call of {tool!r}: {str(cause) or type(cause).__name__}"
            ) from cause
        (content,) = result.content
        if not isinstance(content, TextContent):
            raise LaunchError(f"The server answered a call of {tool!r} with something other than a text.")
        kind = kind_of(result.meta, bool(result.is_error))
        return (PublishedOutcome if self._published else Outcome)(kind, content.text)

    async def read(self, act: Callable[[Controls], T]) -> T:
        """Something that only the control plane tells."""
        return await anyio.to_thread.run_sync(act, self.session)

    async def state(self) -> dict[str, Any]:
        """Every record and scalar, as they are now."""
        return await self.read(_state)

    async def initial(self) -> dict[str, Any]:
        """The state as the world opened it; to be asked before anything is called."""
        return await self.state()


def _state(controls: Controls) -> dict[str, Any]:
    return controls.state()


class _WorldHost:
    def __init__(self, folder: Path, code: EnvironmentCode, isolation: Isolation | None, judge: Judge | None) -> None:
        self.code = code
        self._isolation = isolation
        self._starts = Starts(folder, self.code, judge)
        self._open: Session | None = None

    async def open(self, scenario: Scenario) -> LocalChannel:
        await self.close()
        if self._isolation is None and self.code.trusted:
            self._open = self._opened(scenario)
        else:
            self._open = await anyio.to_thread.run_sync(self._opened, scenario)
        return LocalChannel(self._open)

    def _opened(self, scenario: Scenario) -> Session:
        return self._starts.session(scenario, isolation=self._isolation)

    async def close(self) -> None:
        session, self._open = self._open, None
        if session is None:
            return
        if isinstance(session.world, LocalWorld):
            session.close()
        else:
            with anyio.CancelScope(shield=True):
                await anyio.to_thread.run_sync(session.close)


class _ClientHost:
    def __init__(self, code: EnvironmentCode, client: Client, control: ControlClient) -> None:
        self.code = code
        self._client = client
        self._control = control

    async def open(self, scenario: Scenario) -> ClientChannel:
        session = await anyio.to_thread.run_sync(lambda: self._control.open(scenario.id))
        return ClientChannel(self._client, session, published=self.code.published)

    async def close(self) -> None:
        """The server goes with its client."""


@asynccontextmanager
async def hosting(folder: Path, code: EnvironmentCode, via: Via, judge: Judge | None = None) -> AsyncIterator[Host]:
    """A host of the folder's worlds, for the block; what it started ends with the block, or with this process."""
    if via in ("direct", "worker"):
        host = _WorldHost(folder, code, "auto" if via == "worker" else None, judge)
        try:
            yield host
        finally:
            await host.close()
        return
    async with lost_connections_told(f"the server {folder.name!r}"), AsyncExitStack() as stack:
        place = stack.enter_context(tempfile.TemporaryDirectory(prefix="envscaler-", ignore_cleanup_errors=True))
        address, token = f"{place}/control", secrets.token_urlsafe(32)
        options: tuple[str, ...] = ("--control", address, "--control-token-env", TOKEN_VARIABLE)
        if not code.trusted:
            # The server decides by the folder alone; here the registry was asked too.
            options += ("--isolation", "auto")
        client = await stack.enter_async_context(_client(folder, via, options, {TOKEN_VARIABLE: token}))
        control = stack.enter_context(controlled(address, token))
        yield _ClientHost(code, client, control)


@asynccontextmanager
async def lost_connections_told(place: str) -> AsyncIterator[None]:
    """A client whose server goes away cancels whoever uses it, and says why in exceptions of its transport."""
    try:
        yield
    except* EnvScalerError:
        raise
    except* (OSError, httpx2.HTTPError, anyio.BrokenResourceError, anyio.ClosedResourceError) as group:
        raise LaunchError(f"The connection to {place} was lost: {group.exceptions[0]!r}") from group


def _client(folder: Path, via: Via, options: tuple[str, ...], variables: dict[str, str]) -> Any:
    from envscaler_mcp.launch.http import over_http
    from envscaler_mcp.launch.stdio import over_stdio

    return (over_http if via == "http" else over_stdio)(folder, *options, variables=variables)
