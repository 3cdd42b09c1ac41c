"""The engines of a run by name: where its worlds live."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from functools import partial

from envscaler_mcp.artifacts import Registry
from envscaler_mcp.artifacts.run import Via
from envscaler_mcp.launch.channels import hosting
from envscaler_mcp.plugins import PlugIns
from envscaler_mcp.runs.servers import Hosting
from envscaler_mcp.runs.sessions import WorldHome


@dataclass(frozen=True, slots=True)
class EngineOptions:
    """What an engine is told of a run."""

    home: WorldHome
    registry: Registry
    via: Via
    address: str
    """Of a cluster; an engine without one does not read it."""
    episode_seconds: float


@dataclass(frozen=True, slots=True)
class Engine:
    """Opens what hosts the worlds of a run."""

    open: Callable[[EngineOptions], AbstractAsyncContextManager[Hosting]]
    """For the block; what it yields is entered for each environment, as long as episodes are played there."""
    vias: tuple[Via, ...]
    """How worlds can be reached there; the first is the default."""


@asynccontextmanager
async def _local(options: EngineOptions) -> AsyncIterator[Hosting]:
    yield partial(hosting, via=options.via, judge=options.home.judge, start_of=options.home.start_of)


def _ray(options: EngineOptions) -> AbstractAsyncContextManager[Hosting]:
    # Ray is no dependency; it is imported with its engine.
    from envscaler_mcp.farm.on_ray.engine import ray_engine

    return ray_engine(options.address, options.home.servers, options.registry, options.episode_seconds)


LOCAL = Engine(_local, ("direct", "worker", "stdio", "http"))
RAY = Engine(_ray, ("http",))

ENGINES = PlugIns(
    "envscaler.engines",
    Engine,
    {"local": "envscaler_mcp.runs.engines:LOCAL", "ray": "envscaler_mcp.runs.engines:RAY"},
)
