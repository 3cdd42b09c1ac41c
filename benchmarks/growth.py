"""How calls slow down when the state grows a thousandfold, and every change of the library when it grows sixtyfold."""

from __future__ import annotations

import time
from statistics import median

from benchmarks.figures import Benchmark, Budget, Figure, Peer, Scale
from benchmarks.places import Job, Place, places
from benchmarks.timing import by_turns, quiet, typical
from envscaler_mcp.serving import LocalWorld

FLAT = 1.5
LARGE = 10_000
"""Records of the large states of the whole library."""
NAMED = 8
"""How many of the steepest tools are named."""
ROUNDS = 9
"""Calls of each change of the library in each state."""
LONGEST = 3.0
"""Seconds after which a change has been called often enough."""


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
        *_over_the_library(scale),
    ]


def _over_the_library(scale: Scale) -> list[Figure]:
    """Every change of every environment: how many cost the same in a large state, and the steepest."""
    ratios: dict[str, float] = {}
    refused = 0
    for place in places(scale.library):
        small, large = place.open(), place.open(place.widened(min(LARGE, scale.records)))
        for job in place.changes:
            ratios[f"{place.code.environment.id}.{job.tool}"] = _change_ratio(job, small, large)
            refused += job not in place.jobs
    flat = [name for name, ratio in ratios.items() if ratio <= FLAT]
    steepest = sorted(ratios, key=lambda name: -ratios[name])[:NAMED]
    named = ", ".join(f"{name} {ratios[name]:.3g}x" for name in steepest if ratios[name] > FLAT)
    many = f"{min(LARGE, scale.records):,} records"
    return [
        Figure(
            f"changes that are flat up to {many}, over the library",
            len(flat),
            "tools",
            Peer("all of them", len(ratios)),
            Budget("at least", len(ratios)),
            f"{refused} of these calls are refused",
        ),
        Figure(
            f"changing something in {many}, the steepest tool of the library",
            max(ratios.values()),
            "times the start state",
            Peer("the median tool", median(ratios.values())),
            Budget("at most", FLAT),
            named,
        ),
    ]


def _change_ratio(job: Job, small: LocalWorld, large: LocalWorld) -> float:
    """The processor time of the call in both states by turns; whether it is done or refused there is part of what it costs."""
    worlds = (small, large)
    before = [world.snapshot() for world in worlds]
    taken: tuple[list[float], list[float]] = ([], [])
    for world in worlds:
        job.prepare(world)
    marks = [world.snapshot() for world in worlds]
    began = time.monotonic()
    with quiet():
        for number in range(ROUNDS + 1):
            for world, mark, seconds in zip(worlds, marks, taken, strict=True):
                start = time.thread_time()
                world.call(job.tool, job.arguments)
                seconds.append(time.thread_time() - start)
                world.restore(mark)
            if number and time.monotonic() - began > LONGEST:
                break
    for world, mark in zip(worlds, before, strict=True):
        world.restore(mark)
    # The first call of each meets cold code.
    return median(taken[1][1:]) / median(taken[0][1:])


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
