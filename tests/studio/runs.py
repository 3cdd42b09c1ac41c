"""Runs to be shown in a studio: of the oracle, of random calls, and of half a solution."""

from __future__ import annotations

import json
from pathlib import Path

from envscaler_mcp.artifacts import Scenario
from envscaler_mcp.serving.tasks import load_scenarios
from tests.farm.farms import ROOT
from tests.studio.visitors import ENVIRONMENT
from tests.viewer.playing import envscaler

TASKS = 6


def record_runs(folder: Path) -> Path:
    """A folder of three runs of the same tasks, and of things that are no runs."""
    folder.mkdir(parents=True, exist_ok=True)
    half = {task.id: [call.model_dump(mode="json") for call in task.oracle[:-1]] for task in tasks()}
    script = folder / "half.json"
    script.write_text(json.dumps(half))
    for name, agent in (("solved", "oracle"), ("guessed", "random"), ("half", f"scripted:{script}")):
        done = envscaler(
            ROOT, "run", "--env", ENVIRONMENT, "--limit", TASKS, "--agent", agent, "--out", folder / name, "--json"
        )
        assert json.loads(done.output)["done"] == TASKS, done.output
    (folder / "empty").mkdir()
    (folder / "linked").symlink_to(folder / "solved")
    return folder


def tasks() -> tuple[Scenario, ...]:
    return load_scenarios(ROOT / "generated_servers" / ENVIRONMENT)
