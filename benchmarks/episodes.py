"""Scripted episodes end to end: opened, played, judged, and written down durably, on all of this machine's cores."""

from __future__ import annotations

import os
import tempfile
import time
from functools import partial
from pathlib import Path

import anyio

from benchmarks.figures import Benchmark, Budget, Figure, Peer, Scale
from benchmarks.places import SERVERS
from benchmarks.timing import by_turns
from envscaler_mcp.artifacts import Scenario
from envscaler_mcp.artifacts.run import RunPlan, Via
from envscaler_mcp.episode.agents import agent_named
from envscaler_mcp.runs import PlayerProcesses, RunConfig, WorldHome, plan_run, run_episodes

_FEWER = 8
"""Episodes in workers take so many times longer."""


def measure(scale: Scale) -> list[Figure]:
    """Episodes a second, by turns with the same calls alone."""
    with tempfile.TemporaryDirectory(prefix="envscaler-") as out, WorldHome.at(SERVERS) as farm:
        names = _with_tasks(scale.environments)
        tasks = {name: farm.scenarios(name) for name in names}
        direct, worker = scale.calls, max(2, scale.calls // _FEWER)
        # What only happens once, such as starting the zygote, is no part of an episode.
        rates = by_turns(
            {
                "direct": partial(_playing, farm, names, tasks, "direct", direct, Path(out)),
                "worker": partial(_playing, farm, names, tasks, "worker", worker, Path(out)),
                "calls": partial(_calling, farm, tasks, direct),
            },
            scale.rounds,
        )
        steps = sum(len(one.oracle) for found in tasks.values() for one in found) / sum(map(len, tasks.values()))
    alone = Peer("the same calls alone, in process", rates["calls"])
    note = f"{steps:.1f} calls in an episode on average; {os.cpu_count()} cores; verdict and fsync included"
    return [
        Figure("scripted episodes, in process", rates["direct"], "per s", alone, Budget("at least", 300), note),
        Figure("scripted episodes, in workers", rates["worker"], "per s", alone, Budget("at least", 60), note),
    ]


def _with_tasks(number: int) -> list[str]:
    found = sorted(path.parent.name for path in SERVERS.glob("*/scenarios.jsonl"))
    if not found:
        raise AssertionError("no server holds tasks; `envscaler build` makes them")
    return found[:number]


def _playing(
    farm: WorldHome, names: list[str], tasks: dict[str, tuple[Scenario, ...]], via: Via, wanted: int, out: Path
) -> float:
    repeat = -(-wanted // sum(map(len, tasks.values())))
    plan = plan_run(farm, names, RunConfig(via=via, repeat=repeat))
    plan = plan.model_copy(update={"episodes": plan.episodes[:wanted] if repeat == 1 else plan.episodes})
    folder = Path(tempfile.mkdtemp(dir=out))
    start = time.perf_counter()
    solved = _solved(farm, plan, folder)
    taken = time.perf_counter() - start
    if solved != len(plan.episodes):
        raise AssertionError(f"{len(plan.episodes) - solved} scripted episodes were not solved")
    return solved / taken


def _solved(farm: WorldHome, plan: RunPlan, folder: Path) -> int:
    make = agent_named("oracle")[1]
    playing = partial(run_episodes, processes=PlayerProcesses(SERVERS, None, "oracle"))
    tally = anyio.run(playing, farm, plan, make, folder, 2 * (os.cpu_count() or 1), lambda *_: None)
    return sum(one.solved for one in tally.done.values())


def _calling(farm: WorldHome, tasks: dict[str, tuple[Scenario, ...]], wanted: int) -> float:
    """The oracle's calls in worlds that are opened beforehand, and nothing around them."""
    chosen = [(name, one) for name, found in tasks.items() for one in found]
    chosen = [chosen[number % len(chosen)] for number in range(wanted)]
    sessions = [(farm.open(name, scenario=one.id), one) for name, one in chosen]
    start = time.perf_counter()
    for session, scenario in sessions:
        for call in scenario.oracle:
            session.world.call(call.tool, call.arguments)
    taken = time.perf_counter() - start
    for session, _ in sessions:
        session.close()
    return wanted / taken


BENCHMARK = Benchmark("episodes", "scripted episodes, end to end", measure)
