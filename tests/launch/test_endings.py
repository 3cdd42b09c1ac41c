"""Whatever happens to those who launched a server, it ends."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import AsyncExitStack, contextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest

from envscaler_mcp.launch.http import http_process, over_http
from envscaler_mcp.launch.stdio import over_stdio

PARENT = """
import sys, anyio
from pathlib import Path
from envscaler_mcp.launch.http import over_http
from envscaler_mcp.launch.stdio import over_stdio

async def main():
    folder = Path(sys.argv[1])
    async with over_stdio(folder) as one:
        async with over_http(folder) as two:
            for client in (one, two):
                await client.list_tools()
            print("ready", flush=True)
            await anyio.sleep_forever()

anyio.run(main)
"""


def children_of(pid: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def descendants_of(pid: int) -> list[int]:
    children = children_of(pid)
    return [*children, *(below for child in children for below in descendants_of(child))]


def is_gone(pid: int) -> bool:
    return not Path(f"/proc/{pid}").exists()


@contextmanager
def watched(pids: list[int]) -> Iterator[Any]:
    """Waits for the end of processes that are not our own children, without asking again and again."""
    handles = [os.pidfd_open(pid) for pid in pids]

    def all_end_within(seconds: float) -> bool:
        waiting = set(handles)
        while waiting:
            ended, _, _ = select.select(list(waiting), [], [], seconds)
            if not ended:
                return False
            waiting -= set(ended)
        return True

    try:
        yield all_end_within
    finally:
        for handle in handles:
            os.close(handle)


def started(folder: Path) -> subprocess.Popen[str]:
    process = subprocess.Popen([sys.executable, "-c", PARENT, str(folder)], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    return process


@pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="needs Linux to wait for another's children")
@pytest.mark.parametrize(
    ("environment", "ending"),
    [
        ("library_folder", signal.SIGKILL),
        *(
            pytest.param(folder, ending, marks=pytest.mark.slow)
            for folder in ("library_folder", "office_folder")
            for ending in (signal.SIGKILL, signal.SIGTERM, signal.SIGINT)
            if (folder, ending) != ("library_folder", signal.SIGKILL)
        ),
    ],
)
def test_servers_end_when_the_process_that_launched_them_is_killed(
    environment: str, ending: signal.Signals, request: pytest.FixtureRequest
) -> None:
    parent = started(request.getfixturevalue(environment))
    servers = descendants_of(parent.pid)
    # Written code has workers below its server, and they must end too.
    assert len(servers) == 2 if environment == "library_folder" else len(servers) > 2
    with watched(servers) as all_end_within, parent:
        parent.send_signal(ending)
        assert all_end_within(20)


@pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="needs Linux to wait for another's children")
@pytest.mark.parametrize(
    ("launch", "how"),
    [
        (over_stdio, "normally"),
        (over_stdio, "by a cancellation"),
        (over_http, "by an error"),
        *(
            pytest.param(launch, how, marks=pytest.mark.slow)
            for launch, how in (
                (over_stdio, "by an error"),
                (over_http, "normally"),
                (over_http, "by a cancellation"),
            )
        ),
    ],
)
async def test_servers_end_when_their_block_does(library_folder: Path, launch: Any, how: str) -> None:
    known = set(children_of(os.getpid()))
    seen: list[int] = []
    called = anyio.Event()

    async def held() -> None:
        async with launch(library_folder) as client:
            await client.call_tool("list_books", {})
            seen.extend(set(children_of(os.getpid())) - known)
            called.set()
            if how == "by an error":
                raise ZeroDivisionError
            if how == "by a cancellation":
                await anyio.sleep_forever()

    if how == "by a cancellation":
        async with anyio.create_task_group() as group:
            group.start_soon(held)
            await called.wait()
            group.cancel_scope.cancel()
    elif how == "by an error":
        with pytest.raises((ExceptionGroup, ZeroDivisionError)) as raised:
            await held()
        assert raised.group_contains(ZeroDivisionError) if isinstance(raised.value, ExceptionGroup) else True
    else:
        await held()
    assert len(seen) == 1
    assert is_gone(seen[0])


@pytest.mark.parametrize(
    ("options", "ending"),
    [
        ([], signal.SIGINT),
        (["--http"], signal.SIGTERM),
        pytest.param([], signal.SIGTERM, marks=pytest.mark.slow),
        pytest.param(["--http"], signal.SIGINT, marks=pytest.mark.slow),
    ],
)
def test_a_server_that_is_asked_to_end_does_so_without_a_word(
    library_folder: Path, options: list[str], ending: signal.Signals
) -> None:
    command = [sys.executable, str(library_folder / "server.py"), *options]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        assert server.stderr is not None
        if not options:
            server.stdin.write(json.dumps({"jsonrpc": "2.0", "id": 1, "method": "ping"}) + "\n")
            server.stdin.flush()
        assert server.stdout.readline()
        server.send_signal(ending)
        assert server.wait(20) == 0
        assert server.stderr.read() == ""


async def test_an_http_server_ends_although_a_client_still_listens(library_folder: Path) -> None:
    async with AsyncExitStack() as stack, http_process(library_folder) as url:
        port = int(url.split(":")[2].split("/")[0])
        stream = await stack.enter_async_context(await anyio.connect_tcp("127.0.0.1", port))
        await stream.send(b"GET /mcp HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n")
        assert (await stream.receive()).startswith(b"HTTP/1.1 ")
    with pytest.raises(OSError, match="attempts failed"):
        await anyio.connect_tcp("127.0.0.1", port)


async def test_two_clients_may_be_closed_in_the_order_they_were_opened_by_their_own_tasks(library_folder: Path) -> None:
    opened, first_closed = anyio.Event(), anyio.Event()

    async def first() -> None:
        async with over_stdio(library_folder) as client:
            await client.call_tool("list_books", {})
            opened.set()
        first_closed.set()

    async def second() -> None:
        async with over_http(library_folder) as client:
            await opened.wait()
            await first_closed.wait()
            assert not (await client.call_tool("list_books", {})).is_error

    async with anyio.create_task_group() as group:
        group.start_soon(first)
        group.start_soon(second)
