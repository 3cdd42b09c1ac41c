"""From a blueprint to a server folder."""

from __future__ import annotations

import tempfile
import time
from functools import partial
from pathlib import Path
from statistics import median

from benchmarks.figures import Benchmark, Budget, Figure, Peer, Scale
from benchmarks.places import places
from benchmarks.timing import by_turns
from envscaler_mcp.emit.folder import write_folder
from envscaler_mcp.language import check_blueprint, read_blueprint
from envscaler_mcp.pipeline.building import blueprint_of, build


def measure(scale: Scale) -> list[Figure]:
    """Seconds for one environment, the median over those that ship."""
    built, checked, slowest = [], [], ("", 0.0)
    for place in places(scale.environments):
        path = blueprint_of(place.code.environment.id)
        found = by_turns({"build": partial(_building, path), "check": partial(_checking, path)}, min(scale.rounds, 3))
        built.append(found["build"])
        checked.append(found["check"])
        slowest = max(slowest, (path.stem, found["build"]), key=lambda one: one[1])
    return [
        Figure(
            "build one environment: blueprint to server folder",
            median(built),
            "s",
            Peer("reading and checking the blueprint", median(checked)),
            Budget("at most", 2.0),
            f"with three grown start states, ten proven tasks, every tool tried and judged, and a worked call of each; the slowest is {slowest[0]} with {slowest[1]:.2f} s",
        )
    ]


def _building(path: Path) -> float:
    with tempfile.TemporaryDirectory() as folder:
        start = time.perf_counter()
        write_folder(Path(folder), build(path).files)
        return time.perf_counter() - start


def _checking(path: Path) -> float:
    start = time.perf_counter()
    check_blueprint(read_blueprint(path))
    return time.perf_counter() - start


BENCHMARK = Benchmark("building", "from a blueprint to a server folder", measure)
