"""How calls slow down when the state grows a thousandfold."""

from __future__ import annotations

from statistics import median

from benchmarks.figures import Benchmark, Budget, Figure, Peer, Scale
from benchmarks.places import Job, Place, places
from benchmarks.timing import by_turns, typical
from envscaler_mcp.serving import LocalWorld

FLAT = 1.5


def measure(scale: Scale) -> list[Figure]:
    """The ratio of the time of a call in a large state to that of the same call in the start state."""
    lookups: dict[str, float] = {}
    changes: dict[str, float] = {}
    for place in [one for one in places(2 * scale.environments) if one.widens][: scale.environments]:
        for job, ratio in _ratios(place, scale).items():
            (changes if job[1] else lookups)[f"{place.code.environment.id}.{job[0]}"] = ratio
    return [
        _figure("looking up a record", lookups, scale),
        _figure("changing something", changes, scale),
    ]


def _figure(what: str, ratios: dict[str, float], scale: Scale) -> Figure:
    steep = sorted((name for name, ratio in ratios.items() if ratio > FLAT), key=lambda name: -ratios[name])
    told = ", ".join(f"{name} {ratios[name]:.3g}x" for name in steep)
    return Figure(
        f"{what} in {scale.records:,} records, the steepest tool",
        max(ratios.values()),
        "times the start state",
        Peer("the median tool", median(ratios.values())),
        Budget("at most", FLAT),
        f"{len(ratios) - len(steep)} of {len(ratios)} tools are flat{f'; not: {told}' if told else ''}",
    )


def _ratios(place: Place, scale: Scale) -> dict[tuple[str, bool], float]:
    large = place.open(place.widened(scale.records))
    small = place.open()
    found = {}
    for job in place.jobs:
        if job.writes or job.tool.startswith("get_"):
            found[job.tool, job.writes] = _ratio(job, small, large, scale)
    return found


def _ratio(job: Job, small: LocalWorld, large: LocalWorld, scale: Scale) -> float:
    calls = max(3, scale.calls // 100)
    marks = [(world, world.snapshot()) for world in (small, large)]
    for world, _ in marks:
        job.prepare(world)

    def turn(world: LocalWorld) -> float:
        mark = world.snapshot()
        taken = typical(lambda: world.call(job.tool, job.arguments), calls, lambda: world.restore(mark))
        job.on(world)
        world.restore(mark)
        return taken

    found = by_turns({"small": lambda: turn(small), "large": lambda: turn(large)}, min(scale.rounds, 3))
    for world, mark in marks:
        world.restore(mark)
    return found["large"] / found["small"]


BENCHMARK = Benchmark("growth", "calls in a large state against calls in a small one", measure)
