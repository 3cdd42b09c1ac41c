"""A call through the farm beside servers of others, which live in an environment of their own under build/."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import anyio

from benchmarks.farm import farm_program
from benchmarks.figures import Benchmark, Figure, Peer, Scale
from benchmarks.http_calls import CONNECTIONS, Listening, calls_on, listening
from benchmarks.messages import Served, ours_and_echo
from benchmarks.peers.websocket import WebSocket
from benchmarks.places import ROOT, places
from benchmarks.timing import by_turns, cpu_of

HERE = Path(__file__).parent / "peers"
ENVIRONMENT = ROOT / "build" / "peers"
_PIPE = "import sys\nfor line in sys.stdin.buffer:\n    sys.stdout.buffer.write(line)\n    sys.stdout.buffer.flush()\n"


def measure(scale: Scale) -> list[Figure]:
    """Microseconds of CPU of the server's process for one call, turn by turn."""
    python = _python()
    ours, echo = ours_and_echo()
    text = echo.arguments["text"]
    sides: dict[str, Callable[[int], tuple[float, float]]] = {}
    with _piped() as pipe, farm_program("--isolation", "local") as farm, _all(python, text) as others:
        world = farm.client.open(places(1)[0].folder.name)
        here = Listening(farm.pids[-1], f"127.0.0.1:{farm.port}", urlsplit(world.url).path, ours)
        sides["a call through the farm"] = partial(_asked, calls_on, here, "handshake")
        for name, server in others.items():
            asking = _steps if name.startswith("OpenEnv") else calls_on
            words = (server, text) if asking is _steps else (server, "handshake")
            sides[name] = partial(_asked, asking, *words)
        sides["a raw pipe"] = partial(_echoed, pipe, text)
        walls: dict[str, list[float]] = {name: [] for name in sides}

        def turn(name: str) -> float:
            calls = scale.calls * 4 if name in ("a call through the farm", "a raw pipe") else scale.calls // 2
            cpu, wall = sides[name](max(CONNECTIONS, calls))
            walls[name].append(wall)
            return cpu

        turns = {name: partial(turn, name) for name in sides}
        found = {name: 1e6 * cpu for name, cpu in by_turns(turns, scale.rounds).items()}
    mine = "a call through the farm"
    best = {name: 1 / min(times) for name, times in walls.items()}
    return [
        Figure(
            f"{mine}, beside {name}",
            found[mine],
            "µs",
            Peer(name, found[name]),
            note=f"by the clock at best {best[mine]:,.0f} calls/s, {name} {best[name]:,.0f}",
        )
        for name in sides
        if name != mine
    ]


def _asked(asking: Callable[..., Coroutine[Any, Any, tuple[float, float]]], *words: Any) -> tuple[float, float]:
    return anyio.run(asking, *words)


def _python() -> Path | None:
    """An interpreter with the peers' packages, installed once; None where they cannot be had."""
    python = ENVIRONMENT / "bin" / "python"
    if not (ENVIRONMENT / ".installed").is_file():
        try:
            subprocess.run([sys.executable, "-m", "venv", ENVIRONMENT], check=True, capture_output=True)
            command = [str(python), "-m", "pip", "install", "--quiet", "-r", str(HERE / "requirements.txt")]
            subprocess.run(command, check=True, capture_output=True, timeout=600)
        except (OSError, subprocess.SubprocessError) as cause:
            print(f"FastMCP and OpenEnv are left out, they cannot be installed here: {cause}", file=sys.stderr)
            return None
        (ENVIRONMENT / ".installed").touch()
    return python


@contextmanager
def _all(python: Path | None, text: str) -> Iterator[dict[str, Listening]]:
    if python is None:
        yield {}
        return
    fast = Served([], [str(python), str(HERE / "fastmcp_echo.py")], "echo", {"text": text})
    steps = Served([], [str(python), str(HERE / "openenv_echo.py")], "step", {"text": text})
    with listening(fast) as fastmcp, listening(steps) as openenv:
        yield {"FastMCP's echo": fastmcp, "OpenEnv's websocket server": openenv}


async def _steps(server: Listening, text: str, number: int) -> tuple[float, float]:
    """CPU and clock seconds for one of so many steps, made over a few connections at once."""
    frame = WebSocket.frame(json.dumps({"type": "step", "data": {"text": text}}).encode())
    sockets = [await WebSocket.opened(server.host, server.path) for _ in range(CONNECTIONS)]
    for one in sockets:
        await one.ask(WebSocket.frame(b'{"type":"reset","data":{}}'))
        answer = json.loads(await one.ask(frame))
        assert answer["data"]["observation"]["text"] == text, answer
    each = -(-number // CONNECTIONS)

    async def step(one: WebSocket) -> None:
        for _ in range(each):
            await one.ask(frame)

    cpu, start = cpu_of(server.pid), time.perf_counter()
    async with anyio.create_task_group() as group:
        for one in sockets:
            group.start_soon(step, one)
    made = each * CONNECTIONS
    spent = (cpu_of(server.pid) - cpu) / made, (time.perf_counter() - start) / made
    for one in sockets:
        await one.close()
    return spent


@contextmanager
def _piped() -> Iterator[subprocess.Popen[bytes]]:
    with subprocess.Popen([sys.executable, "-c", _PIPE], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        yield process
        assert process.stdin is not None
        process.stdin.close()


def _echoed(pipe: subprocess.Popen[bytes], text: str, number: int) -> tuple[float, float]:
    assert pipe.stdin is not None
    assert pipe.stdout is not None
    line = json.dumps({"text": text}).encode() + b"\n"
    cpu, start = cpu_of(pipe.pid), time.perf_counter()
    for _ in range(number):
        pipe.stdin.write(line)
        pipe.stdin.flush()
        pipe.stdout.readline()
    return (cpu_of(pipe.pid) - cpu) / number, (time.perf_counter() - start) / number


BENCHMARK = Benchmark("others", "a call through the farm beside servers of others", measure)
