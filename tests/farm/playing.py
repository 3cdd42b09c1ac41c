"""A run as a process of its own: `python -m tests.farm.playing HOME OUT VIA`; says after each batch how many are done."""

from __future__ import annotations

import sys
from pathlib import Path

import anyio

from envscaler_mcp.episode.agents import agent_named
from envscaler_mcp.farm import Farm, RunConfig, plan_run, run_episodes


def main() -> None:
    home, out, via = sys.argv[1:]
    with Farm.at(Path(home) / "generated_servers") as farm:
        plan = plan_run(farm, ["lending_library"], RunConfig(via=via))  # type: ignore[arg-type]
        anyio.run(
            run_episodes, farm, plan, agent_named("oracle")[1], Path(out), 2, lambda *told: print(told[1], flush=True)
        )


if __name__ == "__main__":
    main()
