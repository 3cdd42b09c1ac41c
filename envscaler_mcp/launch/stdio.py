"""A server folder as a process of its own, spoken to over its standard streams."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import anyio
from mcp import Client, StdioServerParameters

from envscaler_mcp.errors import LaunchError, boundary

START_TIMEOUT = 60.0
"""Seconds until a server that has not answered is given up: a cold start on a loaded machine takes several."""

SAME_ORDER = {"PYTHONHASHSEED": "0"}
"""Lets code that walks over a set of texts do so in the same order every time."""


@asynccontextmanager
async def over_stdio(folder: Path, *options: str, mode: str = "auto") -> AsyncIterator[Client]:
    """A client of the server in this folder, which ends when the block does, or this process."""
    parameters = StdioServerParameters(
        command=sys.executable, args=[str(folder / "server.py"), *options], env=SAME_ORDER
    )
    async with AsyncExitStack() as stack:
        with boundary(LaunchError, f"The server {folder.name!r} did not start"):
            with anyio.fail_after(START_TIMEOUT):
                client = await stack.enter_async_context(Client(parameters, mode=mode))
        yield client
