"""The paper's reinforcement learning with ROLL: its YAML, for these worlds.

    python -m envscaler_mcp.recipes.roll --size 8B --model SFT_FOLDER --out rl.yaml

It writes a YAML and trains nothing. ROLL needs an environment and a node with eight GPUs of 80 GB of its own, `gem-llm`, the
`TrajEnvManager` that EnvScaler's repository adds to it, and the two lines of `envscaler_mcp.rl.roll`. What the YAML names was
played here with GEM; ROLL itself was not run. The numbers are those of the paper's YAML; smaller models take fewer GPUs for each.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml

from envscaler_mcp.recipes.arguments import environments_of, model_of, recipe_parser

GROUPS, GROUP_SIZE, ACTIONS, STEP_TOKENS, SEQUENCE = 64, 8, 40, 4_096, 32_000
MANAGER = "roll.pipeline.agentic.env_manager.traj_env_manager_for_env_scaler.TrajEnvManager"
_TENSOR_PARALLEL = {"1.7B": 1, "4B": 1, "8B": 2}
_DEVICES = "list(range(0,8))"


def roll_settings(model: str, size: str, environments: list[str] | None, home: Path | None) -> dict[str, Any]:
    """What ROLL's agentic pipeline is given."""
    megatron = {
        "tensor_model_parallel_size": _TENSOR_PARALLEL[size],
        "pipeline_model_parallel_size": 1,
        "expert_model_parallel_size": 1,
        "use_distributed_optimizer": True,
        "recompute_granularity": "full",
    }
    worlds = {"environments": environments, "home": None if home is None else str(home)}
    played = {name: value for name, value in worlds.items() if value is not None}
    return {
        "defaults": [f"../config/deepspeed_{kind}@_here_" for kind in ("zero", "zero2", "zero3", "zero3_cpuoffload")],
        "hydra": {"run": {"dir": "."}, "output_subdir": None},
        "exp_name": "envscaler_non_conv_rl",
        "seed": 42,
        "logging_dir": "./output/logs",
        "output_dir": "./output",
        "checkpoint_config": {"type": "file_system", "output_dir": "./checkpoint"},
        "num_gpus_per_node": 8,
        "max_steps": 201,
        "save_steps": 50,
        "logging_steps": 1,
        "eval_steps": 5,
        "resume_from_checkpoint": False,
        "rollout_batch_size": GROUPS * GROUP_SIZE,
        "val_batch_size": 128,
        "sequence_length": SEQUENCE,
        "advantage_clip": 0.2,
        "ppo_epochs": 1,
        "adv_estimator": "reinforce",
        "init_kl_coef": 0.1,
        "whiten_advantages": True,
        "entropy_loss_coef": 0,
        "max_grad_norm": 1.0,
        "reward_normalization": {"grouping": "traj_group_id", "method": "mean_std"},
        "pretrain": model,
        "reward_pretrain": model,
        "actor_train": {
            "model_args": {"attn_implementation": "fa2", "disable_gradient_checkpointing": False, "dtype": "bf16"},
            "training_args": {
                "learning_rate": 1.0e-6,
                "weight_decay": 0,
                "per_device_train_batch_size": 1,
                "gradient_accumulation_steps": 64,
                "warmup_steps": 10,
                "lr_scheduler_type": "cosine",
            },
            "data_args": {"template": "qwen3"},
            "strategy_args": {"strategy_name": "megatron_train", "strategy_config": megatron},
            "device_mapping": _DEVICES,
            "infer_batch_size": 1,
        },
        "actor_infer": {
            "model_args": {"disable_gradient_checkpointing": True, "dtype": "bf16"},
            "generating_args": {
                "max_new_tokens": STEP_TOKENS,
                "top_p": 0.99,
                "top_k": 100,
                "num_beams": 1,
                "temperature": 0.99,
                "num_return_sequences": 1,
            },
            "data_args": {"template": "qwen3"},
            "strategy_args": {
                "strategy_name": "vllm",
                "strategy_config": {"gpu_memory_utilization": 0.8, "block_size": 16, "load_format": "auto"},
            },
            "device_mapping": _DEVICES,
        },
        "reference": {
            "model_args": {"attn_implementation": "fa2", "disable_gradient_checkpointing": True, "dtype": "bf16"},
            "data_args": {"template": "qwen3"},
            "strategy_args": {"strategy_name": "megatron_infer", "strategy_config": megatron},
            "device_mapping": _DEVICES,
            "infer_batch_size": 1,
        },
        "train_env_manager": _rollouts("EnvScalerTrain", GROUPS, GROUP_SIZE),
        "val_env_manager": _rollouts("EnvScalerValidation", 128, 1),
        "custom_envs": {
            "EnvScalerTrain": _played("envscaler_non_conv_env", {"mode": "train", **played}),
            "EnvScalerConversation": _played("envscaler_conv_env", {"mode": "train", **played}),
            "EnvScalerValidation": _played("envscaler_non_conv_env", {"mode": "val", **played}),
        },
    }


def _rollouts(tag: str, groups: int, size: int) -> dict[str, Any]:
    return {
        "format_penalty": 0,
        "max_env_num_per_worker": 8,
        "num_env_groups": groups,
        "group_size": size,
        "tags": [tag],
        "num_groups_partition": [groups],
    }


def _played(id_: str, options: dict[str, Any]) -> dict[str, Any]:
    return {
        "env_type": id_,
        "max_steps": ACTIONS,
        "max_tokens_per_step": STEP_TOKENS,
        "env_manager_cls": MANAGER,
        "env_config": options,
    }


def main(words: Sequence[str] | None = None) -> None:
    """Write the YAML, and say where it lies."""
    parser = recipe_parser(__doc__, "two worlds with short prompts")
    parser.set_defaults(out=Path("rl.yaml"))
    chosen = parser.parse_args(words)
    document = roll_settings(model_of(chosen), chosen.size, environments_of(chosen), chosen.home)
    chosen.out.write_text(yaml.safe_dump(document, sort_keys=False), encoding="utf-8")
    print(
        f"Wrote {chosen.out}: python examples/start_agentic_pipeline.py --config_path . --config_name {chosen.out.stem}"
    )


if __name__ == "__main__":
    main()
