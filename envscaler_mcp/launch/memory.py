"""A client and a world in one process, with the protocol between them and no transport."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from mcp import Client

from envscaler_mcp.serving import World
from envscaler_mcp.serving.server import build_server


@asynccontextmanager
async def in_memory(world: World, mode: str = "auto") -> AsyncIterator[Client]:
    """A client of this world, which stays its owner's to close."""
    async with Client(build_server(world), mode=mode) as client:
        yield client
