"""Long runs: episodes a second by how many are played at once, what memory they take, and how fast they are replayed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import cast

import anyio

from benchmarks.figures import Benchmark, Budget, Figure, Peer, Scale
from benchmarks.places import SERVERS
from benchmarks.timing import by_turns
from envscaler_mcp.artifacts.run import RunPlan, Via
from envscaler_mcp.episode.agents import agent_named
from envscaler_mcp.runs import PlayerProcesses, RunConfig, WorldHome, plan_run, run_episodes
from envscaler_mcp.runs.recording import Progress
from envscaler_mcp.runs.replaying import Replayed, replay_run
from envscaler_mcp.sandbox.limits import share_of
from envscaler_mcp.scoring.run_folder import recorded_episodes

ROOT = Path(__file__).parents[1]
AT_ONCE = (1, 8, 64)
_LONG = 5
"""A long run has so many times the episodes of a turn."""
_NEAR_THE_END = 0.95
_FEWER = 2
"""How many times fewer are played in workers, where one takes longer; the start of processes must still be a small part."""


def measure(scale: Scale) -> list[Figure]:
    """Short runs by turns, and then a long one in a process of its own."""
    with tempfile.TemporaryDirectory(prefix="envscaler-") as out, WorldHome.at(SERVERS) as farm:
        rates: dict[str, float] = {}
        for via, wanted, rounds in (
            ("direct", scale.calls, scale.rounds),
            ("worker", max(2, scale.calls // _FEWER), min(3, scale.rounds)),
        ):
            plan = _plan(farm, scale, cast(Via, via), wanted)
            sides = {f"{via}, {number} at once": partial(_rate, farm, plan, number, Path(out)) for number in AT_ONCE}
            rates |= by_turns(sides, rounds)
        figures = [
            Figure(f"episodes, {name}", rate, "per s", Peer("one at a time", rates[f"{name.split(',')[0]}, 1 at once"]))
            for name, rate in rates.items()
        ]
        return [*figures, *_long(farm, _plan(farm, scale, "direct", _LONG * scale.calls), Path(out) / "long")]


def _long(farm: WorldHome, plan: RunPlan, folder: Path) -> list[Figure]:
    """Played in a process of its own, whose memory is looked at after a fifth and near the end; then replayed here."""
    # Each world is met in the first fifth; what is loaded with it is no growth.
    plan = plan.model_copy(update={"episodes": tuple(sorted(plan.episodes, key=lambda planned: planned.repetition))})
    plan_file = folder.with_suffix(".json")
    plan_file.write_text(plan.to_text(), encoding="utf-8")
    words = [sys.executable, "-m", "benchmarks.runs", str(plan_file), str(folder)]
    done = subprocess.run(words, check=True, capture_output=True, text=True, cwd=ROOT)
    early, late, seconds = json.loads(done.stdout)
    many = f"{len(plan.episodes):,} episodes"
    return [
        Figure(
            f"memory after {many}", late, "MiB", Peer(f"after {len(plan.episodes) // _LONG:,}", early),
            Budget("at most", 1.02 * early), f"{len(plan.episodes) / seconds:,.0f} episodes a second, 8 at once",
        ),
        Figure(f"replay of {many}", _replayed(farm, plan, folder), "per s", Peer("playing them", len(plan.episodes) / seconds)),
    ]  # fmt: skip


def _replayed(farm: WorldHome, plan: RunPlan, folder: Path) -> float:
    identical = 0

    async def take(replayed: Replayed, *_: object) -> None:
        nonlocal identical
        identical += replayed.outcome == "identical"

    start = time.perf_counter()
    anyio.run(replay_run, farm, plan, recorded_episodes(folder), plan.via, 8, take, lambda *_: None)
    if identical != len(plan.episodes):
        raise AssertionError(f"{len(plan.episodes) - identical} episodes were not replayed as they were played")
    return identical / (time.perf_counter() - start)


def _plan(farm: WorldHome, scale: Scale, via: Via, wanted: int) -> RunPlan:
    names = sorted(path.parent.name for path in SERVERS.glob("*/scenarios.jsonl"))[: scale.environments]
    tasks = sum(len(farm.scenarios(name)) for name in names)
    plan = plan_run(farm, names, RunConfig(via=via, repeat=-(-wanted // tasks)))
    return plan.model_copy(update={"episodes": plan.episodes[:wanted]})


def _rate(farm: WorldHome, plan: RunPlan, parallel: int, out: Path) -> float:
    start = time.perf_counter()
    _play(farm, plan, Path(tempfile.mkdtemp(dir=out)), parallel)
    return len(plan.episodes) / (time.perf_counter() - start)


def _play(farm: WorldHome, plan: RunPlan, folder: Path, parallel: int, progress: Progress = lambda *_: None) -> None:
    playing = partial(run_episodes, processes=PlayerProcesses(SERVERS, None, "oracle"))
    tally = anyio.run(playing, farm, plan, agent_named("oracle")[1], folder, parallel, progress)
    if sum(one.solved for one in tally.done.values()) != len(plan.episodes):
        raise AssertionError("a scripted episode was not solved")


def _alone(plan_file: str, folder: str) -> None:
    """Play a plan, and tell the memory of its processes after a fifth of it and near its end, and how long it took."""
    plan = RunPlan.read(Path(plan_file))
    early = late = 0.0

    def progress(_: str, done: int, of: int) -> None:
        nonlocal early, late
        if not early and done >= of // _LONG:
            early = _memory()
        # Before the processes end that play.
        if not late and done >= _NEAR_THE_END * of:
            late = _memory()

    start = time.perf_counter()
    with WorldHome.at(SERVERS) as farm:
        _play(farm, plan, Path(folder), 8, progress)
    print(json.dumps([early, late, time.perf_counter() - start]))


def _memory() -> float:
    """MiB of this process and of those that play for it."""
    children = [pid for task in Path("/proc/self/task").iterdir() for pid in (task / "children").read_text().split()]
    return sum(share_of(int(pid)) for pid in (str(os.getpid()), *children)) / (1 << 20)


BENCHMARK = Benchmark("runs", "long runs, several at once", measure)

if __name__ == "__main__":
    _alone(*sys.argv[1:])
