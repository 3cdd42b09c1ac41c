"""Checking rules where a call wrote, against checking every rule on every record."""

from __future__ import annotations

from statistics import median

from benchmarks.figures import Benchmark, Figure, Peer, Scale
from benchmarks.places import Place, places
from benchmarks.timing import by_turns, typical
from envscaler_mcp.language.interpreter import Interpreter


def measure(scale: Scale) -> list[Figure]:
    """Microseconds for a change with its checks, the median over environments."""
    found = [_of(place, scale) for place in places(scale.environments)]
    middle = {name: median(one[name] for one in found) * 1e6 for name in found[0]}
    return [
        Figure(
            "a change with its rules, compiled",
            middle["compiled"],
            "µs",
            Peer("all rules on all records", middle["scan"]),
        ),
        Figure(
            "the same change, compiled",
            middle["compiled"],
            "µs",
            Peer("the reference interpreter", middle["interpreter"]),
        ),
    ]


def _of(place: Place, scale: Scale) -> dict[str, float]:
    calls = max(3, scale.calls // 10)
    few = max(1, scale.calls // 1_000)
    world = place.open()
    mark = world.snapshot()
    job = place.change
    reference = Interpreter(place.model, place.content)
    return by_turns(
        {
            "compiled": lambda: typical(
                lambda: world.call(job.tool, job.arguments), calls, lambda: world.restore(mark)
            ),
            "scan": lambda: typical(reference.broken_rules, few),
            "interpreter": lambda: typical(
                lambda: Interpreter(place.model, place.content).call(job.tool, job.arguments), few
            ),
        },
        scale.rounds,
    )


BENCHMARK = Benchmark("rules", "compiled rule checks against full scans", measure)
