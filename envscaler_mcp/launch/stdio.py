"""A server folder as a process of its own, spoken to over its standard streams."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from math import inf
from pathlib import Path

import anyio
from mcp import Client, StdioServerParameters

from envscaler_mcp.errors import LaunchError, boundary
from envscaler_mcp.processes import own_program
from envscaler_mcp.settings import state_folder

START_TIMEOUT = 60.0
"""Seconds until a server that has not answered is given up: a cold start on a loaded machine takes several."""

SAME_ORDER = {"PYTHONHASHSEED": "0"}
"""Lets code that walks over a set of texts do so in the same order every time."""


def server_program(folder: Path, *options: str) -> list[str]:
    """Serves a folder and runs no program that lies in it, or in the folder that this process was started from."""
    return own_program("envscaler_mcp.trust.__main__:main", str(folder), *options)


def server_variables() -> dict[str, str]:
    """What a server gets beside the harmless variables: what it must agree on with this process."""
    return {**SAME_ORDER, "XDG_STATE_HOME": str(state_folder().parent)}


@asynccontextmanager
async def over_stdio(
    folder: Path, *options: str, mode: str = "auto", variables: Mapping[str, str] | None = None
) -> AsyncIterator[Client]:
    """A client of the server in this folder, which ends when the block does, or this process."""
    command, *arguments = server_program(folder, *options)
    parameters = StdioServerParameters(command=command, args=arguments, env={**server_variables(), **(variables or {})})
    async with connected(Client(parameters, mode=mode), f"The server {folder.name!r} did not start") as client:
        yield client


@asynccontextmanager
async def connected(client: Client, doing: str) -> AsyncIterator[Client]:
    """The client once it has reached its server; what goes wrong until then is a `LaunchError`."""
    with anyio.CancelScope(deadline=anyio.current_time() + START_TIMEOUT) as patience:
        async with AsyncExitStack() as stack:
            with boundary(LaunchError, doing):
                await stack.enter_async_context(client)
            patience.deadline = inf
            yield client
    if patience.cancelled_caught:
        raise LaunchError(f"{doing} within {START_TIMEOUT:.0f} seconds.")
