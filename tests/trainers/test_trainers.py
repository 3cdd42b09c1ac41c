"""Trainers themselves play, parse and train: each in an environment of its own, on a CPU, with models of random weights."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

from tests.farm.farms import ROOT
from tests.trainers.own_venv import program, python_with

PROGRAMS = ROOT / "tests" / "trainers"
TRL = ("trl>=1.16", "transformers>=5.13", "torch", "jmespath", "pyarrow")
# Its torchaudio has to be built for the same PyTorch, which pip does not see to.
LLAMA_FACTORY = ("llamafactory==0.9.5", "torch==2.11.*", "torchaudio==2.11.*")
GEM = ("gem-llm==0.1.0",)

pytestmark = [pytest.mark.trainers, pytest.mark.timeout(1_800)]


@pytest.fixture(scope="module")
def trl() -> Path:
    return python_with("trl", *TRL)


def test_a_group_of_trls_trainer_in_which_half_solve_the_task_has_their_rewards(trl: Path, tmp_path: Path) -> None:
    logged = json.loads(program(trl, str(PROGRAMS / "scripted_grpo.py"), cwd=tmp_path).splitlines()[-1])
    assert len(logged) == 2
    for step in logged:
        assert 0 < step["reward"] < 1
        assert step["reward_std"] > 0
        assert step["tools/call_frequency"] > 0
        assert step["tools/failure_frequency"] == 0
        assert step["grad_norm"] > 0
        assert math.isfinite(step["loss"])
    assert {key for step in logged for key, mean in step.items() if key.startswith("rewards/") and mean} >= {
        "rewards/ChessClub/mean",
        "rewards/IrrigationDistrict/mean",
    }


def test_solutions_that_trl_parses_are_worth_one(trl: Path, tmp_path: Path) -> None:
    rewards = json.loads(program(trl, str(PROGRAMS / "parsed_by_trl.py"), cwd=tmp_path))
    assert len(rewards) == 50
    assert {task: pair for task, pair in rewards.items() if pair != [1.0, 0.0]} == {}


def test_a_model_with_random_weights_is_trained_by_rows_and_then_by_rollouts(trl: Path, tmp_path: Path) -> None:
    rows = program(trl, "-m", "envscaler_mcp.recipes.sft_trl", "--tiny", "--steps", "2", "--out", "sft", cwd=tmp_path)
    assert "'step': 2" in rows
    words = ["-m", "envscaler_mcp.recipes.grpo_trl", "--tiny", "--model", "sft", "--steps", "1", "--out", "grpo"]
    assert "'step': 1, 'loss'" in program(trl, *words, cwd=tmp_path)
    assert (tmp_path / "grpo" / "model.safetensors").exists()


def test_llama_factory_trains_what_its_recipe_writes(trl: Path, tmp_path: Path) -> None:
    python = python_with("llama-factory", *LLAMA_FACTORY, here=False)
    program(trl, "-m", "envscaler_mcp.recipes.sft_llama_factory", "--tiny", "--out", "lf", cwd=tmp_path)
    yaml = tmp_path / "lf" / "train.yaml"
    yaml.write_text(yaml.read_text(encoding="utf-8").replace("max_steps: 10", "max_steps: 2"), encoding="utf-8")
    program(python, "-m", "llamafactory.cli", "train", str(yaml), cwd=tmp_path)
    results = json.loads((tmp_path / "lf" / "model" / "train_results.json").read_text(encoding="utf-8"))
    assert 0 < results["train_loss"] < 12


def test_gem_makes_wraps_and_lines_up_tasks(tmp_path: Path) -> None:
    python = python_with("gem", *GEM)
    rewards = json.loads(program(python, str(PROGRAMS / "played_in_gem.py"), cwd=tmp_path).splitlines()[-1])
    assert len(rewards) == 50
    assert {task: pair for task, pair in rewards.items() if pair != [1.0, 0.0]} == {}
