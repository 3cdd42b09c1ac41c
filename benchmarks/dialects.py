"""What a dialect adds to a call: the solutions of tasks, spoken and native, turn by turn in the same worlds."""

from __future__ import annotations

import time
from collections.abc import Sequence
from statistics import median

from benchmarks.figures import Benchmark, Budget, Figure, Peer, Scale
from benchmarks.places import Place, places
from benchmarks.timing import by_turns
from envscaler_mcp.artifacts import Call
from envscaler_mcp.dialects import Dialect, DialectName
from envscaler_mcp.launch.opening import state_of
from envscaler_mcp.serving import World, open_world
from envscaler_mcp.serving.spoken_world import SpokenWorld
from envscaler_mcp.serving.tasks import load_scenarios

DIALECTS = 20


def measure(scale: Scale) -> list[Figure]:
    """The middle of some environments, each in several dialects, of the mean over the calls of a solution."""
    many = max(1, min(DIALECTS, scale.calls // 100))
    taken = [_of(place, DialectName(number), scale) for place in places(scale.environments) for number in range(many)]
    native, spoken = median(one[0] for one in taken), median(one[1] for one in taken)
    added = sorted(one[1] - one[0] for one in taken)
    note = (
        f"by environment and dialect it adds {median(added) * 1e6:.1f} µs in the middle, {added[-1] * 1e6:.1f} at most"
    )
    peer = Peer("the same call, native", native * 1e6)
    # Thirty microseconds more than the call itself.
    return [
        Figure("a call in a dialect, in process", spoken * 1e6, "µs", peer, Budget("at most", native * 1e6 + 30), note)
    ]


def _of(place: Place, name: DialectName, scale: Scale) -> tuple[float, float]:
    """Seconds for a call of a solution, native and spoken."""
    scenario = load_scenarios(place.folder)[0]
    content = state_of(place.folder, place.code, scenario).content
    dialect = Dialect(place.code.environment, name)
    native = open_world(place.code, content, scenario.seed)
    spoken = SpokenWorld(open_world(place.code, content, scenario.seed), dialect)
    calls = [dialect.encode(call) for call in scenario.oracle]
    sides = by_turns(
        {
            "native": lambda: _played(native, scenario.oracle, scale.calls),
            "spoken": lambda: _played(spoken, calls, scale.calls),
        },
        max(1, scale.rounds // 2),
    )
    return sides["native"], sides["spoken"]


def _played(world: World, calls: Sequence[Call], most: int) -> float:
    """Seconds for one of the calls, played over and over from the same mark."""
    mark = world.snapshot()
    rounds = max(1, most // 20 // len(calls))
    taken = 0.0
    for _ in range(rounds):
        begin = time.perf_counter()
        for call in calls:
            world.call(call.tool, call.arguments)
        taken += time.perf_counter() - begin
        world.restore(mark)
    return taken / rounds / len(calls)


BENCHMARK = Benchmark("dialects", "Calls in dialects", measure)
