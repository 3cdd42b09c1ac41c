"""Opening, marking and forking worlds, in this process and in hardened workers."""

from __future__ import annotations

import copy
import os
import subprocess
import sys
from statistics import median

from benchmarks.figures import Benchmark, Budget, Figure, Peer, Scale
from benchmarks.places import Place, places
from benchmarks.timing import by_turns, typical
from envscaler_mcp.sandbox.isolation import open_isolated
from envscaler_mcp.serving import World


def measure(scale: Scale) -> list[Figure]:
    """Medians over single actions, and over environments."""
    here = _middle([_in_process(place, scale) for place in places(scale.environments)])
    there = _middle([_in_worker(place, scale) for place in places(max(1, scale.environments // 4))])
    copied, python = Peer("copy.deepcopy of the state", here["deepcopy"]), Peer("python -c pass", there["python"])
    return [
        Figure("open a world, in process", here["open"], "ms", copied, Budget("at most", 1.0)),
        Figure("snapshot, in process", here["snapshot"], "ms", copied, Budget("at most", 0.5)),
        Figure("restore after one change, in process", here["restore"], "ms", copied),
        Figure("fork, in process", here["fork"], "ms", copied, Budget("at most", 0.5)),
        Figure("open a world, in a worker", there["open"], "ms", python, Budget("at most", 10.0)),
        Figure("snapshot, in a worker", there["snapshot"], "ms", python, Budget("at most", 5.0)),
        Figure("fork, in a worker", there["fork"], "ms", python, Budget("at most", 5.0)),
    ]


def _middle(found: list[dict[str, float]]) -> dict[str, float]:
    return {name: median(one[name] for one in found) * 1e3 for name in found[0]}


def _in_process(place: Place, scale: Scale) -> dict[str, float]:
    calls = max(3, scale.calls // 40)
    world = place.open()
    return by_turns(
        {
            "open": lambda: typical(place.open, calls),
            "snapshot": lambda: typical(world.snapshot, calls),
            "restore": lambda: _restoring(place, calls),
            "fork": lambda: typical(world.fork, calls),
            "deepcopy": lambda: typical(lambda: copy.deepcopy(place.content), calls),
        },
        scale.rounds,
    )


def _restoring(place: Place, calls: int) -> float:
    world = place.open()
    mark = world.snapshot()
    job = place.change

    def change() -> None:
        job.on(world)

    change()
    return typical(lambda: world.restore(mark), calls, change)


def _in_worker(place: Place, scale: Scale) -> dict[str, float]:
    calls = max(2, scale.calls // 200)
    world = _isolated(place)
    kept: list[World] = []

    def close() -> None:
        kept.pop().close()

    found = by_turns(
        {
            "open": lambda: typical(lambda: kept.append(_isolated(place)), calls, close),
            "snapshot": lambda: typical(world.snapshot, calls),
            "fork": lambda: typical(lambda: kept.append(world.fork()), calls, close),
            "python": lambda: typical(_bare_python, calls),
        },
        scale.rounds,
    )
    world.close()
    return found


def _isolated(place: Place) -> World:
    return open_isolated(place.code, place.content, place.seed)


def _bare_python() -> None:
    subprocess.run([sys.executable, "-c", "pass"], check=True, stdin=subprocess.DEVNULL, env={"PATH": os.defpath})


BENCHMARK = Benchmark("worlds", "open, snapshot, restore and fork", measure)
