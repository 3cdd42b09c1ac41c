"""GRPO with TRL: rollouts of a group are forks of one start, and the reward is the share of checks that hold.

    python -m envscaler_mcp.recipes.grpo_trl --tiny
    accelerate launch --num_processes 8 -m envscaler_mcp.recipes.grpo_trl --size 8B --model SFT_FOLDER --out grpo

It needs `pip install 'trl>=1.16' 'transformers>=5.13' jmespath`, and for a size of the paper `vllm` and a node with eight GPUs of
80 GB (4B and 1.7B: 4 and 2 of them should do). Only `--tiny` was run: a model of Qwen3's architecture with random weights, two
worlds, a CPU. The numbers for the sizes are those of the paper, for TRL's own loss; they were not run.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from envscaler_mcp import rl
from envscaler_mcp.errors import extra
from envscaler_mcp.recipes.arguments import environments_of, model_of, recipe_parser
from envscaler_mcp.recipes.models import make_tiny_model, texts_of
from envscaler_mcp.rl.trl import dataset, factories

PAPER: dict[str, Any] = {
    "learning_rate": 1e-6,
    "lr_scheduler_type": "cosine",
    "warmup_steps": 10,
    "max_steps": 201,
    "save_steps": 50,
    "beta": 0.1,
    "epsilon": 0.2,
    "num_generations": 8,
    "generation_batch_size": 512,
    "per_device_train_batch_size": 1,
    "scale_rewards": "group",
    "temperature": 0.99,
    "top_p": 0.99,
    "top_k": 100,
    "max_completion_length": 28_000,
    "max_tool_calling_iterations": 40,
    "bf16": True,
    "gradient_checkpointing": True,
    "use_vllm": True,
    "vllm_mode": "colocate",
}
"""64 groups of 8, as in the paper's YAML."""
TINY: dict[str, Any] = {
    "learning_rate": 1e-3,
    "max_steps": 3,
    "save_strategy": "no",
    "beta": 0.0,
    "num_generations": 4,
    "per_device_train_batch_size": 4,
    "max_completion_length": 192,
    "max_tool_calling_iterations": 3,
    "bf16": False,
    "gradient_checkpointing": False,
    "use_cpu": True,
}
MOST_STEPS = 40
"""Moves of a rollout, as in the paper."""


def train_grpo(chosen: argparse.Namespace) -> list[dict[str, Any]]:
    """Train, and tell what was logged."""
    with extra("trl"):
        from datasets import Dataset
        from trl import GRPOConfig, GRPOTrainer

    with rl.local(chosen.home, tasks=chosen.tasks) as gym:
        names = chosen.env if chosen.tasks else environments_of(chosen)
        names = names or sorted({task.environment for task in gym.tasks(split="train")})
        model = model_of(chosen)
        if chosen.tiny and chosen.model is None:
            model = str(make_tiny_model(Path(chosen.out) / "tiny-model", texts_of(gym, names)))
        rows = dataset(gym, names, solved=chosen.solved, limit=8 if chosen.tiny else None)
        settings = {**(TINY if chosen.tiny else PAPER), **({"max_steps": chosen.steps} if chosen.steps else {})}
        trainer = GRPOTrainer(
            model=model,
            args=GRPOConfig(output_dir=str(chosen.out), logging_steps=1, report_to="none", **settings),
            train_dataset=Dataset.from_list(rows),
            environment_factory=factories(gym, names, max_steps=MOST_STEPS),
        )
        trainer.train()
        trainer.save_model(str(chosen.out))
        return list(trainer.state.log_history)


def main(words: Sequence[str] | None = None) -> None:
    """Train as the command line says, and print what each step logged."""
    parser = recipe_parser(__doc__, "a real run on a CPU in minutes, of a model with random weights")
    parser.add_argument(
        "--tasks", type=Path, metavar="FILE", help="fresh tasks that `envscaler tasks` made; default: those that ship"
    )
    parser.add_argument("--steps", type=int, help="optimizer steps")
    parser.add_argument(
        "--solved", type=float, default=0.0, help="share of each solution that is played before (default: 0)"
    )
    for entry in train_grpo(parser.parse_args(words)):
        shown = ("step", "loss", "reward", "reward_std", "tools/call_frequency", "tools/failure_frequency")
        print({key: entry[key] for key in shown if key in entry})


if __name__ == "__main__":
    main()
