"""The farm on Ray beside the same farm without it: `python -m benchmarks.farm_ray`; needs the extra `ray`.

Both have two processes with worlds; with Ray these are actors on two nodes of a cluster on this machine. What differs
is the way of the control plane: a request to the front goes on to an actor and back. Calls go straight to the actor.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from statistics import median
from urllib.parse import urlsplit

import anyio

from benchmarks.farm import Running, farm_program
from benchmarks.figures import FULL, Benchmark, Figure, Peer, Scale, table
from benchmarks.http_calls import CONNECTIONS, Listening, calls_on
from benchmarks.messages import ours_and_echo
from benchmarks.places import places
from benchmarks.timing import by_turns
from envscaler_mcp.serving.control.client import RemoteWorld

WORLDS = 200
ACTORS = 2
_PEER = "the farm without Ray"
_NODE = {"num_cpus": 1, "object_store_memory": 80 << 20, "include_dashboard": False}


def measure(scale: Scale) -> list[Figure]:
    """Worlds opened at once and one by one, a look at a state, and calls in a second."""
    with _cluster() as address, _farm("--ray", address) as ray, _farm() as alone:
        return [
            _compared(
                f"{WORLDS} worlds opened at once", "ms", 1000, _opening(ray, WORLDS), _opening(alone, WORLDS), scale
            ),
            _compared("one world opened", "ms", 1000, _opening(ray, 1), _opening(alone, 1), scale),
            _compared("a state looked at", "ms", 1000, _looking(ray), _looking(alone), scale),
            _called(ray, alone, scale),
        ]


def _compared(
    name: str, unit: str, by: float, ray: Callable[[], float], alone: Callable[[], float], scale: Scale
) -> Figure:
    found = by_turns({"ray": ray, "alone": alone}, scale.rounds)
    return Figure(name, by * found["ray"], unit, Peer(_PEER, by * found["alone"]))


def _called(ray: Running, alone: Running, scale: Scale) -> Figure:
    number = max(CONNECTIONS, scale.calls)
    sides = {"ray": _calling(ray, number), "alone": _calling(alone, number)}
    found = by_turns(sides, scale.rounds)
    each = f"{ACTORS} worlds, {CONNECTIONS} connections to each, all from one process"
    return Figure("calls through actors", 1 / found["ray"], "calls/s", Peer(_PEER, 1 / found["alone"]), None, each)


def _opening(farm: Running, count: int) -> Callable[[], float]:
    name = places(1)[0].folder.name

    def turn() -> float:
        began = time.perf_counter()
        group = farm.client.open_many(name, count)
        taken = time.perf_counter() - began
        for world in group:
            world.close()
        return taken

    return turn


def _looking(farm: Running) -> Callable[[], float]:
    world = farm.client.open(places(1)[0].folder.name)

    def turn() -> float:
        taken = []
        for _ in range(50):
            began = time.perf_counter()
            world.state()
            taken.append(time.perf_counter() - began)
        return median(taken)

    return turn


def _calling(farm: Running, number: int) -> Callable[[], float]:
    served, _ = ours_and_echo()
    group = farm.client.open_many(places(1)[0].folder.name, ACTORS)

    def listening(world: RemoteWorld) -> Listening:
        url = urlsplit(world.url)
        return Listening(os.getpid(), url.netloc, url.path, served)

    async def all_at_once() -> float:
        began = time.perf_counter()
        async with anyio.create_task_group() as tasks:
            for world in group:
                tasks.start_soon(calls_on, listening(world), "modern", number)
        return (time.perf_counter() - began) / (number * len(group))

    return lambda: anyio.run(all_at_once)


@contextmanager
def _farm(*options: str) -> Iterator[Running]:
    with farm_program("--processes", str(ACTORS), "--control", "0", *options) as farm:
        yield farm


@contextmanager
def _cluster() -> Iterator[str]:
    from ray.cluster_utils import Cluster

    # Ray gives its workers way to everybody else, and the client of this benchmark would take the processors first.
    os.environ["RAY_worker_niceness"] = "0"  # noqa: SIM112 - its name
    cluster = Cluster(initialize_head=True, head_node_args=_NODE)
    try:
        for _ in range(ACTORS - 1):
            cluster.add_node(**_NODE)
        yield cluster.address
    finally:
        cluster.shutdown()


BENCHMARK = Benchmark("ray", "the farm on a Ray cluster of two nodes on this machine", measure)

if __name__ == "__main__":
    print(table(BENCHMARK.measure(FULL)))
