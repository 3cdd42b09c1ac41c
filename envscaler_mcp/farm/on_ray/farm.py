"""A farm on a cluster, from the first actor to the last end."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager

import anyio

from envscaler_mcp.farm.access import Guards
from envscaler_mcp.farm.connections import Connections, Service
from envscaler_mcp.farm.front_end import FarmConfig, asking_to_end, run_on_loop
from envscaler_mcp.farm.on_ray.head import Lookers, Owners
from envscaler_mcp.farm.on_ray.hosts import Hosts


class RayFarm:
    """What `Farmhouse` is for the processes of one machine."""

    def __init__(
        self, config: FarmConfig, lookers: socket.socket, owners: Sequence[socket.socket], actors: int
    ) -> None:
        self._config = config
        self._lookers = lookers
        self._owners = owners
        self._actors = actors

    def run(self, ready: Callable[[], None]) -> int:
        """Serve until a signal asks for the end; the exit code."""
        run_on_loop(self._serve(ready))
        return 0

    async def _serve(self, ready: Callable[[], None]) -> None:
        ended = asyncio.Event()
        for asking in asking_to_end():
            asyncio.get_running_loop().add_signal_handler(asking, ended.set)
        async with (
            actors_of(self._config, self._actors, self._owners) as hosts,
            _connections(Lookers(hosts, self._config), self._config).accepting(self._lookers),
        ):
            ready()
            await ended.wait()


@asynccontextmanager
async def actors_of(config: FarmConfig, count: int, owners: Sequence[socket.socket]) -> AsyncIterator[Hosts]:
    """So many actors, and their control plane at a socket, for the block."""
    hosts = Hosts(config, count)
    try:
        await hosts.start()
        # Requests to the control plane come from this machine, or through something that this machine trusts.
        guards = Guards(config.secret, hosts=config.hosts)
        async with _connections(Owners(hosts, guards), config).accepting(*owners):
            yield hosts
    finally:
        with anyio.CancelScope(shield=True):
            await hosts.close()


def _connections(service: Service, config: FarmConfig) -> Connections:
    return Connections(service, config.timeouts, config.connections)
