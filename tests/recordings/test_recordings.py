"""Whole recorded runs, from raw tasks to proven scenarios, come to environments that hold like those of the library."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from envscaler_mcp.artifacts import Environment, QualityReport, Scenario
from envscaler_mcp.serving.tasks import load_scenarios
from tests.recordings.runs import RUNS, Run, surroundings

pytestmark = pytest.mark.slow

Replayed = tuple[Run, Path, dict[str, Any]]


def envscaler(home: Path, *words: str) -> str:
    """What a command prints; whatever it is, it must say yes."""
    program = [sys.executable, "-m", "envscaler_mcp", "--home", str(home), *words]
    done = subprocess.run(program, capture_output=True, text=True, env=surroundings(), check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module", params=RUNS, ids=[run.name for run in RUNS])
def replayed(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Replayed:
    run: Run = request.param
    home = tmp_path_factory.mktemp(run.name)
    words = run.command(home, "--replay", str(run.folder / "tape"), "--json")
    done = subprocess.run(words, capture_output=True, text=True, env=surroundings(), check=False)
    assert done.returncode == 0, f"{done.stderr}\nIf prompts or the manual changed, type: make recordings"
    return run, home, json.loads(done.stdout)


def card(replayed: Replayed) -> Environment:
    run, home, _ = replayed
    return Environment.read(home / "generated_servers" / run.environment / "environment.json")


def scenarios(replayed: Replayed) -> list[Scenario]:
    run, home, _ = replayed
    return list(load_scenarios(home / "generated_servers" / run.environment))


def test_the_environment_is_admitted_after_its_mistakes_were_mended(replayed: Replayed) -> None:
    run, home, told = replayed
    (admitted,) = told["admitted"]
    assert (admitted["id"], admitted["scenarios"]) == (run.environment, run.scenarios)
    assert admitted["repairs"] == 1
    assert told["failed"] == []
    assert told["stages"].keys() >= {"write_method", "repair_method"} or told["stages"].keys() >= {
        "write_blueprint",
        "repair_blueprint",
    }
    report = QualityReport.read(home / "generated_servers" / run.environment / "quality_report.json")
    assert report.admitted


def test_it_is_registered_as_it_lies_there(replayed: Replayed) -> None:
    _, home, _ = replayed
    assert "1 folder is as registered." in envscaler(home, "list", "--check")


def test_its_tools_say_what_they_do_and_half_of_them_change_something(replayed: Replayed) -> None:
    tools = card(replayed).tools
    assert 8 <= len(tools) <= 22
    assert all(len(tool.description) > 20 for tool in tools)
    assert {tool.effect for tool in tools} == {"reads", "writes"}
    assert len(card(replayed).rules) >= 5


def test_its_scenarios_are_proven_from_the_disk_and_say_who_wrote_them(replayed: Replayed) -> None:
    run, home, _ = replayed
    assert f"{run.scenarios} of {run.scenarios} scenarios are proven." in envscaler(home, "prove")
    made = scenarios(replayed)
    assert len({one.task for one in made}) == len(made)
    assert any(one.provenance.model == "recorded-model" for one in made)


def test_its_tools_pass_the_tests_of_all_environments(replayed: Replayed) -> None:
    run, home, _ = replayed
    assert run.environment in envscaler(home, "check", run.environment)


@pytest.mark.parametrize(("agent", "earned"), [("oracle", 1.0), ("noop", 0.0)])
def test_whoever_knows_earns_everything_and_whoever_does_nothing_nothing(
    replayed: Replayed, agent: str, earned: float
) -> None:
    run, home, _ = replayed
    out = home / "runs" / agent
    told = json.loads(envscaler(home, "run", "--agent", agent, "--via", "stdio", "--out", str(out), "--json"))
    assert (told["planned"], told["done"], told["reward"]) == (run.scenarios, run.scenarios, earned)
