"""Tool calls over HTTP: what the server's processor spends, next to the SDK's own echo in the same minutes."""

from __future__ import annotations

import asyncio
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from urllib.parse import urlsplit

import anyio

from benchmarks.figures import Benchmark, Budget, Figure, Peer, Scale
from benchmarks.messages import ERAS, MARGIN, Era, Served, must_be_done, ours_and_echo, posted
from benchmarks.timing import by_turns, cpu_of

CONNECTIONS = 8


@dataclass(frozen=True, slots=True)
class Listening:
    """A server that runs, and the call that is made there."""

    pid: int
    host: str
    path: str
    served: Served


def measure(scale: Scale) -> list[Figure]:
    """Microseconds of server CPU for one call, and calls in a second by the clock."""
    ours, echo = ours_and_echo()
    figures = []
    with listening(ours) as here, listening(echo) as there:
        for era in ERAS:
            figures += _era(here, there, era, scale)
    return figures


def _era(here: Listening, there: Listening, era: Era, scale: Scale) -> list[Figure]:
    walls: dict[int, list[float]] = {here.pid: [], there.pid: []}

    def turn(server: Listening) -> float:
        cpu, wall = anyio.run(calls_on, server, era, max(CONNECTIONS, scale.calls // 2))
        walls[server.pid].append(wall)
        return cpu

    found = by_turns({"ours": lambda: turn(here), "echo": lambda: turn(there)}, scale.rounds)
    ours, echo = found["ours"] * 1e6, found["echo"] * 1e6
    fastest = {pid: 1 / min(times) for pid, times in walls.items()}
    return [
        Figure(
            f"a call over HTTP, server CPU ({era})",
            ours,
            "µs",
            Peer("the SDK's lowlevel echo", echo),
            Budget("at most", echo + MARGIN),
            f"{fastest[here.pid]:,.0f} calls/s by the clock at best, the echo {fastest[there.pid]:,.0f}",
        )
    ]


async def calls_on(server: Listening, era: Era, number: int) -> tuple[float, float]:
    """CPU and clock seconds for one of so many calls, made over a few connections at once."""
    request = posted(server.served, era, server.host, server.path)
    await _on_one_connection(server.host, request, 2)
    cpu, start = cpu_of(server.pid), time.perf_counter()
    each = -(-number // CONNECTIONS)
    async with anyio.create_task_group() as group:
        for _ in range(CONNECTIONS):
            group.start_soon(_on_one_connection, server.host, request, each)
    made = each * CONNECTIONS
    return (cpu_of(server.pid) - cpu) / made, (time.perf_counter() - start) / made


async def _on_one_connection(host: str, request: bytes, number: int) -> None:
    name, _, port = host.partition(":")
    reader, writer = await asyncio.open_connection(name, int(port))
    for turn in range(number):
        writer.write(request)
        head = await reader.readuntil(b"\r\n\r\n")
        size = next(line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:"))
        body = await reader.readexactly(int(size.partition(b":")[2]))
        if turn == 0:
            must_be_done(body)
    writer.close()
    await writer.wait_closed()


@contextmanager
def listening(served: Served) -> Iterator[Listening]:
    """A server that tells its address on its first line, for the block."""
    process = subprocess.Popen(served.http, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        url = urlsplit(process.stdout.readline().strip())
        yield Listening(process.pid, url.netloc, url.path, served)
    finally:
        process.terminate()
        process.communicate()


BENCHMARK = Benchmark("http", "tool calls over MCP HTTP", measure)
