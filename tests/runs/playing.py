"""A run as a process of its own: `python -m tests.runs.playing HOME OUT VIA PROCESSES`; says after each batch how many are done."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import anyio

from envscaler_mcp.artifacts.run import Via
from envscaler_mcp.episode.agents import agent_named
from envscaler_mcp.runs import PlayerProcesses, RunConfig, WorldHome, plan_run, run_episodes


def play(home: Path, out: Path, via: Via, done: Callable[[int], None], processes: int = 1) -> None:
    with WorldHome.at(home / "generated_servers") as farm:
        plan = plan_run(farm, ["lending_library"], RunConfig(via=via))
        spread = PlayerProcesses(farm.servers, None, "oracle", number=processes)
        playing = partial(run_episodes, processes=spread)
        anyio.run(playing, farm, plan, agent_named("oracle")[1], out, 8, lambda *told: done(told[1]))


if __name__ == "__main__":
    place, written, way, many = sys.argv[1:]
    play(Path(place), Path(written), way, lambda number: print(number, flush=True), int(many))  # type: ignore[arg-type]
