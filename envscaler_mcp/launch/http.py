"""A server folder as a process of its own, spoken to over HTTP."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from subprocess import PIPE

import anyio
import anyio.abc
import httpx2
from anyio.streams.buffered import BufferedByteReceiveStream
from mcp import Client
from mcp.client.stdio import get_default_environment
from mcp.client.streamable_http import streamable_http_client

from envscaler_mcp.errors import LaunchError
from envscaler_mcp.launch.stdio import START_TIMEOUT, connected, server_program, server_variables

STOP_TIMEOUT = 3.0
"""Seconds a server gets to finish what it began."""


@asynccontextmanager
async def over_http(
    folder: Path,
    *options: str,
    mode: str = "auto",
    headers: Mapping[str, str] | None = None,
    variables: Mapping[str, str] | None = None,
) -> AsyncIterator[Client]:
    """A client of the server in this folder, which ends when the block does, or this process."""
    async with (
        http_process(folder, *options, variables=variables) as url,
        # Nothing is encrypted on this machine's own address, and reading certificates takes as long as ten calls.
        httpx2.AsyncClient(verify=False, trust_env=False, headers=dict(headers or {}), timeout=300) as web,
        connected(
            Client(streamable_http_client(url, http_client=web), mode=mode),
            f"The server {folder.name!r} could not be reached at {url}",
        ) as client,
    ):
        yield client


@asynccontextmanager
async def http_process(folder: Path, *options: str, variables: Mapping[str, str] | None = None) -> AsyncIterator[str]:
    """The URL of the server in this folder, running until the block ends, or this process, however it does.

    Of this process's variables the server sees only the harmless ones, and those named here.
    """
    command = server_program(folder, "--http", "--with-parent", *options)
    # The server reads its standard input only to notice that the other end was closed.
    process = await anyio.open_process(
        command,
        stdin=PIPE,
        stdout=PIPE,
        stderr=None,
        env={**get_default_environment(), **server_variables(), **(variables or {})},
        start_new_session=True,
    )
    try:
        yield await _url(folder, process)
    finally:
        with anyio.CancelScope(shield=True):
            await _end(process)


async def _url(folder: Path, process: anyio.abc.Process) -> str:
    assert process.stdout is not None
    try:
        with anyio.fail_after(START_TIMEOUT):
            line = await BufferedByteReceiveStream(process.stdout).receive_until(b"\n", 1_000)
    except (anyio.IncompleteRead, anyio.DelimiterNotFound, anyio.EndOfStream):
        raise LaunchError(f"The server {folder.name!r} ended before it was ready; its last words are above.") from None
    except TimeoutError:
        raise LaunchError(f"The server {folder.name!r} was not ready after {START_TIMEOUT:.0f} seconds.") from None
    return line.decode()


async def _end(process: anyio.abc.Process) -> None:
    assert process.stdin is not None
    await process.stdin.aclose()
    with anyio.move_on_after(STOP_TIMEOUT) as patience:
        await process.wait()
    if patience.cancelled_caught:
        process.kill()
        await process.wait()
    await process.aclose()
