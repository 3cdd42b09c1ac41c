"""The adapters in the real packages: the solution earns 1 through a trainer's own classes, and doing nothing 0."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from benchmarks.trainers.packages import TRAINERS, NotInstalledError, Trainer, python_of
from envscaler_mcp.registry import read_registry
from envscaler_mcp.serving.tasks import load_scenarios
from tests.farm.farms import ROOT, Program

pytestmark = [pytest.mark.trainers, pytest.mark.timeout(2_400)]

WORLDS = 25
TASKS_OF_EACH = 2


def tasks() -> list[dict[str, Any]]:
    """Two of each of 25 worlds, which lie far apart in the registry."""
    names = [entry.id for entry in read_registry(ROOT / "registry.json").entries if entry.scenarios]
    chosen = names[:: len(names) // WORLDS][:WORLDS]
    return [
        {
            "environment": name,
            "id": scenario.id,
            "oracle": [{"tool": call.tool, "arguments": dict(call.arguments)} for call in scenario.oracle],
        }
        for name in chosen
        for scenario in load_scenarios(ROOT / "generated_servers" / name)[:TASKS_OF_EACH]
    ]


def interpreter(trainer: Trainer) -> Path:
    try:
        return python_of(trainer)
    except NotInstalledError as cause:
        pytest.skip(str(cause))


def run(python: Path, words: list[str], farm: Program, path: str) -> str:
    variables = {**os.environ, "ENVSCALER_FARM_TOKEN": farm.token("control", 3_600), "PYTHONPATH": path}
    done = subprocess.run(
        [str(python), *words], check=False, capture_output=True, text=True, env=variables, timeout=1_200
    )
    assert done.returncode == 0, done.stderr[-3_000:]
    return done.stdout


@pytest.mark.parametrize("trainer", TRAINERS, ids=[trainer.name for trainer in TRAINERS])
def test_the_solution_earns_one_and_doing_nothing_nothing_in_50_tasks_of_25_worlds(
    trainer: Trainer, farm: Program, tmp_path: Path
) -> None:
    wanted = tasks()
    assert len(wanted) == WORLDS * TASKS_OF_EACH
    (tmp_path / "tasks.json").write_text(json.dumps(wanted))
    words = [str(trainer.program), f"http://127.0.0.1:{farm.control}", str(tmp_path / "tasks.json")]
    told = json.loads(run(interpreter(trainer), words, farm, trainer.path).splitlines()[-1])
    assert told["solved"] == pytest.approx([1.0] * len(wanted))
    assert told["idle"] == [0.0] * len(wanted)


def test_openenvs_own_validator_and_graders_find_nothing_wrong(farm: Program, tmp_path: Path) -> None:
    (openenv,) = (trainer for trainer in TRAINERS if trainer.name == "openenv")
    (task, *_) = tasks()
    (tmp_path / "task.json").write_text(json.dumps(task))
    program = str(openenv.program.with_name("openenv_validation.py"))
    words = [program, f"http://127.0.0.1:{farm.control}/openenv/{task['environment']}", str(tmp_path / "task.json")]
    told = json.loads(run(interpreter(openenv), words, farm, openenv.path))
    assert told["passed"]
    assert told["problems"] == []
    assert told["manifest"] == "pass"
    assert told["tools"] > 5


def test_verifiers_own_validation_finds_each_task_solvable_and_not_solved_by_nothing(
    farm: Program, tmp_path: Path
) -> None:
    (verifiers,) = (trainer for trainer in TRAINERS if trainer.name == "verifiers")
    validate = interpreter(verifiers).with_name("vf-validate")
    out = tmp_path / "out"
    words = ["envscaler_verifiers", "--taskset.task.url", f"http://127.0.0.1:{farm.control}", "-n", "4"]
    words += ["--taskset.environments", "library_loans", "--runtime.type", "subprocess", "-o", str(out)]
    run(validate, words, farm, verifiers.path)
    summary = json.loads(next(out.rglob("summary.json")).read_text())
    assert (summary["outcomes"]["valid"], summary["total"]) == (4, 4)
