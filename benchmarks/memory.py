"""How many worlds live at once in a gibibyte."""

from __future__ import annotations

import subprocess
import sys
from contextlib import ExitStack

from benchmarks.figures import Benchmark, Budget, Figure, Peer, Scale
from benchmarks.places import ROOT, Place, places
from envscaler_mcp.sandbox.isolation import open_isolated
from envscaler_mcp.sandbox.limits import share_of
from envscaler_mcp.sandbox.zygote import zygote

GIB = 1 << 30
MACHINE = 24
"""The gibibytes for which the budgets were written."""


def measure(scale: Scale) -> list[Figure]:
    """Worlds in a gibibyte, each after one call."""
    place = places(1)[0]
    server = Peer("a stdio server for each world", GIB / _server(place))
    return [
        Figure(
            "live worlds in a GiB, workers",
            GIB / _worker(place, scale.worlds),
            "worlds",
            server,
            Budget("at least", 2_000 / MACHINE),
        ),
        Figure(
            "live worlds in a GiB, in process",
            GIB / _in_process(place, scale.worlds * 10),
            "worlds",
            server,
            Budget("at least", 10_000 / MACHINE),
        ),
    ]


def _worker(place: Place, number: int) -> float:
    """The proportional share of each worker, the zygote's not counted."""
    with ExitStack() as stack:
        pids = []
        for _ in range(number):
            world = open_isolated(place.code, place.content, place.seed)
            stack.callback(world.close)
            place.change.on(world)
            pids.append(world.line.pid)  # type: ignore[attr-defined]
        assert zygote().alive
        return sum(share_of(pid) for pid in pids) / number


def _in_process(place: Place, number: int) -> float:
    """What so many worlds add to a process that has one."""
    script = _MANY.format(root=str(ROOT), name=place.folder.name, number=number)
    done = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True, cwd=ROOT)
    return max(1.0, float(done.stdout)) / number


_MANY = """
import sys
sys.path.insert(0, {root!r})
import os
from envscaler_mcp.sandbox.limits import share_of
from benchmarks.places import place
here = place({name!r})
job = here.change
worlds = [here.open()]
job.on(worlds[0])
before = share_of(os.getpid())
for _ in range({number}):
    worlds.append(here.open())
    job.on(worlds[-1])
print(share_of(os.getpid()) - before)
"""


def _server(place: Place) -> float:
    process = subprocess.Popen(
        [sys.executable, str(place.folder / "server.py")], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert process.stdin is not None
    assert process.stdout is not None
    with process:
        process.stdin.write(_HELLO)
        process.stdin.flush()
        process.stdout.readline()
        used = share_of(process.pid)
        process.stdin.close()
    return used


_HELLO = (
    b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},'
    b'"clientInfo":{"name":"benchmark","version":"1"}}}\n'
)


BENCHMARK = Benchmark("memory", "live worlds in a GiB", measure)
