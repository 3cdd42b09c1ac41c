"""A farm for one stage in this process, for runs over HTTP that name no other."""

from __future__ import annotations

import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from envscaler_mcp.artifacts import Registry
from envscaler_mcp.farm.environments import BenchmarkOpener
from envscaler_mcp.farm.front_end import FarmConfig, FrontEnd, serving
from envscaler_mcp.farm.peers import Mailboxes
from envscaler_mcp.farm.tokens import token_for
from envscaler_mcp.official.at_farm import FarmAccess
from envscaler_mcp.official.farm_worlds import BenchmarkEnvironment
from envscaler_mcp.official.stage import Stage
from envscaler_mcp.serving.control.client import ControlClient
from envscaler_mcp.serving.sockets import listen, listen_privately, url_of

_DAYS = 30 * 86_400.0


@asynccontextmanager
async def at_a_farm(stage: Stage, farm: FarmAccess | None) -> AsyncIterator[Stage]:
    """The stage with worlds at that farm, or else at one in this process, for the block."""
    if farm is not None:
        with farm.control:
            yield replace(stage, farm=farm)
        return
    secret = secrets.token_bytes(32)
    with (
        TemporaryDirectory(prefix="envscaler-farm-") as folder,
        Mailboxes.opened(1) as boxes,
        listen("127.0.0.1", 0, None) as agents,
        listen_privately(f"{folder}/control") as owners,
    ):
        config = FarmConfig(
            servers=Path(folder),
            registry=Registry(),
            registry_written="",
            secret=secret,
            url=url_of(agents),
            tokens=True,
            isolation="portable",
            benchmarks={
                stage.benchmark.name: BenchmarkOpener(stage.benchmark.title, lambda: BenchmarkEnvironment(stage))
            },
        )
        token = token_for(secret, "control", _DAYS)
        async with serving(FrontEnd(config, 0, boxes), [agents], [owners], boxes):
            with ControlClient(f"{folder}/control", token) as control:
                yield replace(stage, farm=FarmAccess(control, token_for(secret, "agent", _DAYS)))
