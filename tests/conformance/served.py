"""The ways in which an environment is served over HTTP."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from envscaler_mcp.launch.http import http_process
from tests.farm.farms import Program

HOSTS = ("server", "farm")
"""A process for one world, and a farm for all."""


@asynccontextmanager
async def served_by(host: str, folder: Path, farm: Program) -> AsyncIterator[str]:
    """The address of a fresh world of the environment in this folder."""
    if host == "server":
        async with http_process(folder) as url:
            yield url
        return
    with farm.client() as client:
        world = client.open(folder.name)
        yield world.url
        world.close()
