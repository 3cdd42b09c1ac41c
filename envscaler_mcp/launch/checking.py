"""What a host program would get of a server: started or reached as its file says, from a folder of its own."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass

import httpx2
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

from envscaler_mcp.errors import LaunchError, boundary, ungrouped
from envscaler_mcp.launch.stdio import connected

SECONDS = 30.0


@dataclass(frozen=True, slots=True)
class ReachedServer:
    """What it says of itself."""

    name: str
    tools: tuple[str, ...]


async def server_of_command(command: tuple[str, ...]) -> ReachedServer:
    """A program that speaks on its standard streams, with the few variables that hosts pass on."""
    with tempfile.TemporaryDirectory(prefix="envscaler-") as folder:
        parameters = StdioServerParameters(command=command[0], args=list(command[1:]), cwd=folder)
        return await _asked(Client(parameters, read_timeout_seconds=SECONDS), f"{command[0]!r} does not start a server")


async def server_at(url: str, headers: Mapping[str, str]) -> ReachedServer:
    """A server at an address."""
    async with httpx2.AsyncClient(headers=dict(headers), timeout=SECONDS) as web:
        client = Client(streamable_http_client(url, http_client=web), read_timeout_seconds=SECONDS)
        return await _asked(client, f"{url} is not reached")


async def _asked(client: Client, failure: str) -> ReachedServer:
    with ungrouped():
        async with connected(client, failure) as server:
            with boundary(LaunchError, failure):
                tools = (await server.list_tools()).tools
            info = server.server_info
            return ReachedServer("" if info is None else info.name, tuple(tool.name for tool in tools))
    raise LaunchError(failure)
