"""A run whose worlds live on a cluster: actors for as long as it lasts, and a host of their worlds for every player."""

from __future__ import annotations

import secrets
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from envscaler_mcp.artifacts import Registry
from envscaler_mcp.farm.farm_host import hosting_at
from envscaler_mcp.farm.front_end import FarmConfig
from envscaler_mcp.farm.on_ray.cluster import joined
from envscaler_mcp.farm.on_ray.farm import actors_of
from envscaler_mcp.farm.tokens import token_for
from envscaler_mcp.home import ServerFolders
from envscaler_mcp.launch.channels import Host
from envscaler_mcp.serving.code import EnvironmentCode
from envscaler_mcp.serving.control.client import ControlClient
from envscaler_mcp.serving.sockets import listen_privately

_LONG = 365 * 86_400.0
_SPARE_SECONDS = 60.0


@asynccontextmanager
async def ray_engine(
    address: str, servers: ServerFolders, registry: Registry, episode_seconds: float
) -> AsyncIterator[Callable[[Path, EnvironmentCode], AbstractAsyncContextManager[Host]]]:
    """What opens worlds on that cluster, one actor on each of its nodes, for the block."""
    with joined(address) as cluster, TemporaryDirectory(prefix="envscaler-ray-") as folder:
        others = not cluster.one_machine
        config = FarmConfig(
            servers=servers,
            registry=registry,
            registry_written="",
            # No other program needs to know it: actors and players get it from here, and it ends with them.
            secret=secrets.token_hex(32).encode(),
            url="",
            isolation="auto" if others else "local",
            open_to_others=others,
        )
        place = f"{folder}/control"
        lease = min(episode_seconds + _SPARE_SECONDS, config.caps.longest_lease)
        with (
            listen_privately(place) as owners,
            ControlClient(place, token_for(config.secret, "control", _LONG)) as farm,
        ):
            async with actors_of(config, cluster.nodes, [owners]):
                yield partial(hosting_at, farm, token_for(config.secret, "agent", _LONG), lease)
