"""The farm as a service: how soon it is there, what it holds, and what its processors spend on a call."""

from __future__ import annotations

import http.client
import json
import os
import secrets
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from urllib.parse import urlsplit

import anyio

from benchmarks.figures import Benchmark, Budget, Figure, Peer, Scale
from benchmarks.http_calls import CONNECTIONS, Listening, calls_on, listening
from benchmarks.messages import ERAS, MARGIN, ours_and_echo
from benchmarks.places import ROOT, places
from benchmarks.timing import by_turns
from envscaler_mcp.farm.tokens import token_for
from envscaler_mcp.registry import read_registry
from envscaler_mcp.sandbox.limits import share_of
from envscaler_mcp.serving.control.client import ControlClient

MIB = 1 << 20
_MANY = ("--max-calls", "1000000000")
ALIVE = 32
"""Worlds that live at once while many are opened and closed."""


@dataclass(frozen=True, slots=True)
class Running:
    """A farm that runs, and who owns its worlds."""

    url: str
    client: ControlClient
    pids: tuple[int, ...]
    secret: bytes
    began: float
    """The clock before the program was started."""

    @property
    def port(self) -> int:
        return urlsplit(self.url).port or 0

    def memory(self) -> int:
        return sum(share_of(pid) for pid in self.pids)


def measure(scale: Scale) -> list[Figure]:
    """Start, memory, calls, worlds, and whether anything is left behind."""
    return [*_start(), *_calls(scale), *_worlds(scale), *_growth(scale), *_soak(scale)]


def _start() -> list[Figure]:
    server, _ = ours_and_echo()
    began = time.perf_counter()
    with listening(server):
        alone = time.perf_counter() - began
    ids = [entry.id for entry in read_registry(ROOT / "registry.json").entries]
    with farm_program() as farm:
        first = _listed(farm, ids[0])
        there = time.perf_counter() - farm.began
        empty = farm.memory()
        began = time.perf_counter()
        tools = first + sum(_listed(farm, one) for one in ids[1:])
        listing = time.perf_counter() - began
        memory = farm.memory()
    return [
        Figure(
            "from the start of a farm to the tools of one environment",
            there,
            "s",
            Peer("one server alone, until it listens", alone),
            Budget("at most", 1.0),
            f"{len(ids)} environments with {tools} tools; after all of them were asked for their tools "
            f"({listing:.1f} s) the processes hold {memory / MIB:.0f} MiB, before {empty / MIB:.0f}",
        ),
        Figure(
            "memory of a farm whose environments were all asked",
            memory / MIB,
            "MiB",
            Peer("as many servers by themselves", len(ids) * _server_share() / MIB),
            Budget("at most", 150.0),
        ),
    ]


def _server_share() -> int:
    server, _ = ours_and_echo()
    with listening(server) as one:
        return share_of(one.pid)


def _listed(farm: Running, environment: str) -> int:
    connection = http.client.HTTPConnection("127.0.0.1", farm.port, timeout=30)
    connection.request("GET", f"/e/{environment}/new")
    path = urlsplit(json.loads(connection.getresponse().read())["url"]).path
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    headers = {"Content-Type": "application/json", "Accept": "application/json"}
    connection.request("POST", path, json.dumps(message), headers)
    tools = json.loads(connection.getresponse().read())["result"]["tools"]
    connection.close()
    return len(tools)


def _calls(scale: Scale) -> list[Figure]:
    ours, echo = ours_and_echo()
    figures = []
    with listening(echo) as there, listening(ours) as single, farm_program("--isolation", "local") as farm:
        world = farm.client.open(places(1)[0].folder.name)
        here = Listening(farm.pids[-1], f"127.0.0.1:{farm.port}", urlsplit(world.url).path, ours)
        for era in ERAS:
            walls: dict[str, list[float]] = {"farm": [], "single": [], "echo": []}

            def turn(name: str, server: Listening, number: int) -> float:
                cpu, wall = anyio.run(calls_on, server, era, max(CONNECTIONS, number))  # noqa: B023 - run at once
                walls[name].append(wall)  # noqa: B023
                return cpu

            sides = {
                "farm": lambda: turn("farm", here, scale.calls * 4),
                "single": lambda: turn("single", single, scale.calls // 2),
                "echo": lambda: turn("echo", there, scale.calls // 2),
            }
            found = {name: cpu * 1e6 for name, cpu in by_turns(sides, scale.rounds).items()}
            best = {name: 1 / min(times) for name, times in walls.items()}
            figures.append(
                Figure(
                    f"a call through the farm, CPU of its process ({era})",
                    found["farm"],
                    "µs",
                    Peer("the SDK's lowlevel echo", found["echo"]),
                    Budget("at most", found["echo"] + MARGIN),
                    f"the same world behind the SDK {found['single']:,.0f} µs; by the clock at best "
                    f"{best['farm']:,.0f} calls/s, the SDK {best['single']:,.0f}, its echo {best['echo']:,.0f}",
                )
            )
    return figures


def _worlds(scale: Scale) -> list[Figure]:
    """Over the control plane, one request after the other; the peer is a stdio server started for the world."""
    ours, _ = ours_and_echo()
    began = time.perf_counter()
    with listening(ours):
        server = time.perf_counter() - began
    figures = []
    name = places(1)[0].folder.name
    for where, isolation, budgets in (
        ("in process", "local", (1.0, 0.5, 0.5)),
        ("in a worker", "auto", (10.0, 5.0, 5.0)),
    ):
        with farm_program("--isolation", isolation) as farm:
            number = max(3, scale.worlds)
            world = farm.client.open(name)
            makes: dict[str, Callable[[], object]] = {
                "open": lambda: farm.client.open(name),
                "snapshot": lambda: world.snapshot(),  # noqa: B023
                "fork": lambda: world.fork(),  # noqa: B023
            }
            for (what, act), budget in zip(makes.items(), (budgets[0], budgets[2], budgets[1]), strict=True):
                figures.append(
                    Figure(
                        f"{what} a world {where}, over the control plane",
                        1000 * _typical(act, number),
                        "ms",
                        Peer("starting a server for it", 1000 * server),
                        Budget("at most", budget),
                    )
                )
            began = time.perf_counter()
            farm.client.open_many(name, number)
            each = (time.perf_counter() - began) / number
            figures.append(
                Figure(
                    f"one world of {number} opened at once {where}",
                    1000 * each,
                    "ms",
                    Peer("starting a server for it", 1000 * server),
                )
            )
    return figures


def _typical(act: Callable[[], object], number: int) -> float:
    taken = []
    for _ in range(number):
        began = time.perf_counter()
        act()
        taken.append(time.perf_counter() - began)
    return median(taken)


def _growth(scale: Scale) -> list[Figure]:
    """What a world adds, the more of them there are; each has answered a call."""
    server = Peer("a server for each world", _server_share() / 1024)
    name = places(1)[0].folder.name
    figures = []
    for where, isolation, most in (
        ("in workers", "auto", 20 * scale.worlds),
        ("in process", "local", 100 * scale.worlds),
    ):
        with farm_program("--isolation", isolation, "--max-worlds", "30000") as farm:
            empty = farm.memory()
            steps = []
            live = 0
            for number in (most // 200, most // 10, most):
                group = farm.client.open_many(name, max(1, number - live))
                live += len(group)
                for world in group[:: max(1, len(group) // 50)]:
                    _called(farm, world.url)
                workers = sum(share_of(pid) for pid in _below(farm.pids))
                used = (farm.memory() + workers - empty) / live / 1024
                steps.append(f"{live:,}: {used:,.0f} KiB")
            figures.append(
                Figure(f"memory of a world, {live:,} of them {where}", used, "KiB", server, note="; ".join(steps))
            )
    return figures


def _below(pids: tuple[int, ...]) -> list[int]:
    found: list[int] = []
    for pid in pids:
        for task in Path(f"/proc/{pid}/task").iterdir():
            below = [int(one) for one in (task / "children").read_text().split()]
            found += [one for one in below if one not in pids]
    return found + (_below(tuple(found)) if found else [])


def _called(farm: Running, url: str) -> None:
    job = places(1)[0].change
    message = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {"name": job.tool, "arguments": job.arguments},
    }
    connection = http.client.HTTPConnection("127.0.0.1", farm.port, timeout=30)
    headers = {"Content-Type": "application/json", "Accept": "application/json"}
    connection.request("POST", urlsplit(url).path, json.dumps(message), headers)
    answer = json.loads(connection.getresponse().read())
    connection.close()
    if answer["result"]["isError"]:
        raise AssertionError(f"the call was not done: {answer}")


def _soak(scale: Scale) -> list[Figure]:
    """Worlds opened and closed, some of them alive at any time: what the farm still holds afterwards."""
    name = places(1)[0].folder.name
    figures = []
    for where, isolation, number in (
        ("in process", "local", 100 * scale.worlds),
        ("in workers", "auto", 100 * scale.worlds),
    ):
        with farm_program("--isolation", isolation) as farm:
            live = []
            marks: list[tuple[int, int, int]] = []
            for opened in range(number):
                live.append(farm.client.open(name))
                if opened % 10 == 0:
                    _called(farm, live[-1].url)
                if len(live) > ALIVE:
                    live.pop(0).close()
                if opened in (number // 10, number - 1):
                    marks.append((farm.memory(), _descriptors(farm), len(_below(farm.pids))))
            (early, descriptors, below), (late, descriptors_late, below_late) = marks[0], marks[-1]
            figures.append(
                Figure(
                    f"memory after {number:,} worlds {where}, by that after {number // 10:,}",
                    late / early,
                    "times",
                    Peer("nothing left behind", 1.0),
                    Budget("at most", 1.05),
                    f"descriptors {descriptors} → {descriptors_late}, processes below {below} → {below_late}",
                )
            )
    return figures


def _descriptors(farm: Running) -> int:
    return sum(len(list(Path(f"/proc/{pid}/fd").iterdir())) for pid in farm.pids)


@contextmanager
def farm_program(*options: str) -> Iterator[Running]:
    """The program with one process that serves, for the block."""
    secret = secrets.token_hex(32)
    with tempfile.TemporaryDirectory() as folder:
        words = ["--port", "0", "--json", "--processes", "1", "--secret-env", "FARM_SECRET", *_MANY, *options]
        began = time.perf_counter()
        process = subprocess.Popen(
            [sys.executable, "-m", "envscaler_mcp", "--home", str(ROOT), "farm", *words],
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "FARM_SECRET": secret, "XDG_STATE_HOME": folder},
        )
        assert process.stdout is not None
        try:
            told = json.loads(process.stdout.readline())
            children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
            pids = (process.pid, *map(int, children))
            with ControlClient(told["control"], token_for(secret.encode(), "control", 3600)) as client:
                yield Running(told["url"], client, pids, secret.encode(), began)
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait()
            process.stdout.close()


BENCHMARK = Benchmark("farm", "the farm as a service", measure)
