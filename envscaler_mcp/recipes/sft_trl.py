"""Supervised fine-tuning with TRL, on what a run left: an episode is a row, and the agent's turns carry loss.

    envscaler run --agent openai:MODEL --mode conversation --split train --out runs/talk
    python -m envscaler_mcp.recipes.sft_trl --run runs/talk --size 4B --out sft
    python -m envscaler_mcp.recipes.sft_trl --tiny

It needs `pip install 'trl>=1.16' 'transformers>=5.13'`; a size of the paper needs `accelerate launch` with DeepSpeed ZeRO-3 or
FSDP2 on eight GPUs of 80 GB (1.7B: one should do). Only `--tiny` was run: random weights of Qwen3's architecture, on a CPU, on
what the stored solutions play. The numbers for the sizes are those of the paper; they were not run.
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
from envscaler_mcp.recipes.rows import exported, played_by_oracle

TEMPLATE = Path(__file__).with_name("qwen3_training.jinja")
"""How rows become tokens: a turn without a thought teaches no empty thought."""

PAPER: dict[str, Any] = {
    "learning_rate": 1e-6,
    "lr_scheduler_type": "cosine",
    "warmup_ratio": 0.1,
    "num_train_epochs": 3,
    "per_device_train_batch_size": 1,
    "gradient_accumulation_steps": 32,
    "max_length": 32_768,
    "bf16": True,
    "gradient_checkpointing": True,
    "save_steps": 100,
}
TINY: dict[str, Any] = {
    "learning_rate": 2e-3,
    "max_steps": 10,
    "per_device_train_batch_size": 1,
    "max_length": 16_384,
    "bf16": False,
    "gradient_checkpointing": False,
    "save_strategy": "no",
    "use_cpu": True,
}


def train_sft(chosen: argparse.Namespace) -> list[dict[str, Any]]:
    """Train, and tell what was logged."""
    with extra("trl"):
        from datasets import load_dataset
        from transformers import AutoTokenizer
        from trl import SFTConfig, SFTTrainer

    out, model = Path(chosen.out), model_of(chosen)
    run = chosen.run
    if chosen.tiny:
        names = environments_of(chosen) or []
        run = run or played_by_oracle(out / "run", names, chosen.home)
        if chosen.model is None:
            with rl.local(chosen.home) as gym:
                model = str(make_tiny_model(out / "tiny-model", texts_of(gym, names)))
    rows = exported(run, "trl", out / "rows" / "rows.jsonl", chosen.home)
    settings = {**(TINY if chosen.tiny else PAPER), **({"max_steps": chosen.steps} if chosen.steps else {})}
    trainer = SFTTrainer(
        model=model,
        args=SFTConfig(
            output_dir=str(out),
            logging_steps=1,
            report_to="none",
            assistant_only_loss=True,
            chat_template_path=str(TEMPLATE),
            **settings,
        ),
        train_dataset=load_dataset("json", data_files=str(rows), split="train"),
    )
    trainer.train()
    trainer.save_model(str(out))
    # The template of training is for the loss alone; the model is asked with its own.
    AutoTokenizer.from_pretrained(model).save_pretrained(str(out))
    return list(trainer.state.log_history)


def main(words: Sequence[str] | None = None) -> None:
    """Train as the command line says, and print what each step logged."""
    parser = recipe_parser(__doc__, "a real run on a CPU in minutes, of a model with random weights")
    parser.add_argument("--run", type=Path, help="the folder of a run; with --tiny, the stored solutions are played")
    parser.add_argument("--steps", type=int, help="optimizer steps")
    chosen = parser.parse_args(words)
    if chosen.run is None and not chosen.tiny:
        parser.error("name a run with --run, or take --tiny")
    for entry in train_sft(chosen):
        print({key: entry[key] for key in ("step", "loss", "mean_token_accuracy") if key in entry})


if __name__ == "__main__":
    main()
