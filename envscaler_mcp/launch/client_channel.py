"""Worlds behind a server: called as any MCP client calls, and read over the control plane."""

from __future__ import annotations

import secrets
import tempfile
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any, TypeVar

import anyio
import anyio.to_thread
import httpx2
from mcp import Client
from mcp_types import CallToolRequest, CallToolRequestParams, CallToolResult, TextContent

from envscaler_mcp.artifacts import Scenario, StateDiff
from envscaler_mcp.artifacts.run import Via
from envscaler_mcp.errors import EnvScalerError, LaunchError
from envscaler_mcp.launch.channels import Host, state_of_session
from envscaler_mcp.launch.http import over_http
from envscaler_mcp.launch.stdio import over_stdio
from envscaler_mcp.serving import EnvironmentCode, Outcome
from envscaler_mcp.serving.control.client import ControlClient
from envscaler_mcp.serving.outcome import CHANGING, PublishedOutcome, kind_of
from envscaler_mcp.serving.session import Controls

TOKEN_VARIABLE = "ENVSCALER_CONTROL_TOKEN"  # noqa: S105 - the name of it

T = TypeVar("T")


class ClientChannel:
    """A world behind a server: called as any MCP client calls, and read over the control plane."""

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
            # Not `call_tool`, which checks every answer by its schema and takes longer than the call.
            result = await self._client.session.send_request(_call(tool, arguments), CallToolResult)
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
        """The result of reading the session, which agents cannot."""
        return await anyio.to_thread.run_sync(act, self.session)

    async def state(self) -> dict[str, Any]:
        """Every record and scalar, as they are now."""
        return await self.read(state_of_session)

    async def initial(self) -> dict[str, Any]:
        """The state as the world opened it; to be asked before anything is called."""
        return await self.state()


def _call(tool: str, arguments: dict[str, Any]) -> CallToolRequest:
    return CallToolRequest(params=CallToolRequestParams(name=tool, arguments=arguments))


class _ClientHost:
    def __init__(self, code: EnvironmentCode, client: Client, control: ControlClient) -> None:
        self.code = code
        self._client = client
        self._control = control

    async def open(self, scenario: Scenario) -> ClientChannel:
        session = await anyio.to_thread.run_sync(lambda: self._control.open(scenario.environment, scenario=scenario.id))
        return ClientChannel(self._client, session, published=self.code.published)

    async def close(self) -> None:
        """The server goes with its client."""


@asynccontextmanager
async def hosting_in_server(folder: Path, code: EnvironmentCode, via: Via) -> AsyncIterator[Host]:
    """A server of the folder as the host of its worlds, for the block."""
    async with lost_connections_told(f"the server {folder.name!r}"), AsyncExitStack() as stack:
        folder_of_socket = stack.enter_context(
            tempfile.TemporaryDirectory(prefix="envscaler-", ignore_cleanup_errors=True)
        )
        address, token = f"{folder_of_socket}/control", secrets.token_urlsafe(32)
        options: tuple[str, ...] = ("--control", address, "--control-token-env", TOKEN_VARIABLE)
        if not code.trusted:
            # The server decides by the folder alone; here the registry was asked too.
            options += ("--isolation", "auto")
        client = await stack.enter_async_context(_client(folder, via, options, {TOKEN_VARIABLE: token}))
        control = stack.enter_context(ControlClient(address, token))
        yield _ClientHost(code, client, control)


@asynccontextmanager
async def lost_connections_told(server: str) -> AsyncIterator[None]:
    """Raise LaunchError where the server goes away: its client then cancels the task and raises its transport's exceptions."""
    try:
        yield
    except* EnvScalerError:
        raise
    except* (OSError, httpx2.HTTPError, anyio.BrokenResourceError, anyio.ClosedResourceError) as group:
        raise LaunchError(f"The connection to {server} was lost: {group.exceptions[0]!r}") from group


def _client(folder: Path, via: Via, options: tuple[str, ...], variables: dict[str, str]) -> Any:
    return (over_http if via == "http" else over_stdio)(folder, *options, variables=variables)
