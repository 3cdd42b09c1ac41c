"""The paper's supervised fine-tuning with LLaMA-Factory: n rows for n turns, thoughts of the last turn only, `mask_history`.

    envscaler run --agent openai:MODEL --mode conversation --split train --out runs/talk
    python -m envscaler_mcp.recipes.sft_llama_factory --run runs/talk --size 4B --out sft
    FORCE_TORCHRUN=1 llamafactory-cli train sft/train.yaml

It writes rows, `dataset_info.json` and the YAML, and trains nothing. LLaMA-Factory 0.9.5 needs an environment of its own (it
takes older versions of transformers and TRL); a size of the paper needs DeepSpeed and eight GPUs of 80 GB. With `--tiny` it
makes a model of Qwen3's architecture with random weights too (for that it needs `torch` and `transformers`), and a YAML for a
CPU. Only that was run; the YAML of the sizes has the numbers of the paper.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml

from envscaler_mcp import rl
from envscaler_mcp.recipes.arguments import environments_of, model_of, recipe_parser
from envscaler_mcp.recipes.models import make_tiny_model, texts_of
from envscaler_mcp.recipes.rows import exported, played_by_oracle

PAPER: dict[str, Any] = {
    "deepspeed": "examples/deepspeed/ds_z3_config.json",
    "cutoff_len": 32_768,
    "preprocessing_num_workers": 16,
    "save_steps": 100,
    "per_device_train_batch_size": 1,
    "gradient_accumulation_steps": 32,
    "learning_rate": 1.0e-6,
    "num_train_epochs": 3,
    "lr_scheduler_type": "cosine",
    "warmup_ratio": 0.1,
    "bf16": True,
    "ddp_timeout": 180_000_000,
}
TINY: dict[str, Any] = {
    "cutoff_len": 16_384,
    "save_strategy": "no",
    "per_device_train_batch_size": 1,
    "gradient_accumulation_steps": 1,
    "learning_rate": 2.0e-3,
    "max_steps": 10,
    "use_cpu": True,
}


def write(chosen: argparse.Namespace) -> Path:
    """Write everything that LLaMA-Factory reads; the YAML says where it lies."""
    out = Path(chosen.out).resolve()
    model, run = model_of(chosen), chosen.run
    if chosen.tiny:
        names = environments_of(chosen) or []
        run = run or played_by_oracle(out / "run", names, chosen.home)
        if chosen.model is None:
            with rl.local(chosen.home) as gym:
                model = str(make_tiny_model(out / "tiny-model", texts_of(gym, names)))
    rows = exported(run, "llama-factory", out / "rows" / "envscaler.jsonl", chosen.home)
    numbers = {**(TINY if chosen.tiny else PAPER), "enable_thinking": any("<think>" in line for line in rows.open())}
    file = out / "train.yaml"
    text = yaml.safe_dump(llama_factory_settings(model, out, numbers), sort_keys=False)
    file.write_text(text, encoding="utf-8")
    return file


def llama_factory_settings(model: str, out: Path, numbers: dict[str, Any]) -> dict[str, Any]:
    """What `llamafactory-cli train` is given."""
    return {
        "model_name_or_path": model,
        "stage": "sft",
        "do_train": True,
        "finetuning_type": "full",
        "dataset_dir": str(out / "rows"),
        "dataset": "envscaler",
        "template": "qwen3",
        "mask_history": True,
        "overwrite_cache": True,
        "output_dir": str(out / "model"),
        "logging_steps": 1,
        "report_to": "none",
        **numbers,
    }


def main(words: Sequence[str] | None = None) -> None:
    """Write as the command line says, and print the command that trains."""
    parser = recipe_parser(__doc__, "rows of stored solutions, a model with random weights and a YAML for a CPU")
    parser.add_argument("--run", type=Path, help="the folder of a run; with --tiny, the stored solutions are played")
    chosen = parser.parse_args(words)
    if chosen.run is None and not chosen.tiny:
        parser.error("name a run with --run, or take --tiny")
    print(f"llamafactory-cli train {write(chosen)}")


if __name__ == "__main__":
    main()
