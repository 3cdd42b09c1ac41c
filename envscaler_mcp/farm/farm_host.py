"""A farm at an address as a place to play in: worlds opened over its control plane, and called at their own URLs."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import Self, TypeVar
from urllib.parse import quote

import anyio
import anyio.to_thread
import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from envscaler_mcp.artifacts import Scenario
from envscaler_mcp.errors import EnvScalerError, LaunchError, WorldError
from envscaler_mcp.launch.channels import Host
from envscaler_mcp.launch.client_channel import ClientChannel, lost_connections_told
from envscaler_mcp.launch.stdio import connected
from envscaler_mcp.serving import EnvironmentCode
from envscaler_mcp.serving.control.client import ControlClient, RemoteWorld
from envscaler_mcp.serving.control.schemas import PREFIX, WorldCard
from envscaler_mcp.serving.session import Controls

T = TypeVar("T")


@asynccontextmanager
async def hosting_at(
    farm: ControlClient, token: str, lease_seconds: float, folder: Path, code: EnvironmentCode
) -> AsyncIterator[Host]:
    """A host of one environment's worlds in that farm, for the block; agents are let in with the token."""
    async with (
        lost_connections_told(f"a world of {folder.name!r}"),
        httpx2.AsyncClient(trust_env=False, headers={"Authorization": f"Bearer {token}"}, timeout=300) as web,
        _FarmHost(code, farm, web, lease_seconds) as host,
    ):
        yield host


class _FarmHost:
    """One world at a time, each with a client of its own."""

    def __init__(
        self, code: EnvironmentCode, farm: ControlClient, web: httpx2.AsyncClient, lease_seconds: float
    ) -> None:
        self.code = code
        self._farm = farm
        self._web = web
        self._lease_seconds = lease_seconds
        self._open = AsyncExitStack()

    async def open(self, scenario: Scenario) -> ClientChannel:
        await self.close()
        world = await anyio.to_thread.run_sync(self._opened, scenario)
        self._open.push_async_callback(_closed, world)
        client = Client(streamable_http_client(world.url, http_client=self._web))
        await self._open.enter_async_context(connected(client, f"The world at {world.url} could not be reached"))
        return _FarmWay(client, self._farm, world)

    def _opened(self, scenario: Scenario) -> RemoteWorld:
        return self._farm.open(scenario.environment, scenario=scenario.id, lease_seconds=self._lease_seconds)

    async def close(self) -> None:
        await self._open.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> bool | None:
        # A client whose server went away has cancelled this task, and tells why only if that passes through its own end.
        return await self._open.__aexit__(kind, error, traceback)


class _FarmWay(ClientChannel):
    """A world of a farm; where it is gone with what held it, that is the machine's failure."""

    def __init__(self, client: Client, farm: ControlClient, world: RemoteWorld) -> None:
        super().__init__(client, world)
        self._farm = farm
        self._name = world.name

    async def read(self, act: Callable[[Controls], T]) -> T:
        try:
            return await super().read(act)
        except WorldError as cause:
            if await anyio.to_thread.run_sync(self._is_there):
                raise
            raise LaunchError(f"The world is gone with what held it: {cause}") from cause

    def _is_there(self) -> bool:
        try:
            self._farm.ask("GET", f"{PREFIX}/{quote(self._name)}", None, WorldCard)
        except WorldError:
            return False
        return True


async def _closed(world: RemoteWorld) -> None:
    """Its lease would end it too, so nothing is lost where no process answers."""
    with anyio.CancelScope(shield=True), suppress(EnvScalerError):
        await anyio.to_thread.run_sync(world.close)
