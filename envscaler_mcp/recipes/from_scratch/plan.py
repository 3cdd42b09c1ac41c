"""What an experiment does, and the plans that have a name."""

from __future__ import annotations

from dataclasses import dataclass

from envscaler_mcp.config.choices import Level

SHAPES: dict[str, tuple[int, int, int]] = {
    "0.5M": (128, 2, 2),
    "1M": (128, 4, 2),
    "2M": (192, 4, 3),
    "4M": (256, 4, 4),
    "9M": (320, 7, 5),
    "40M": (512, 12, 8),
    "120M": (768, 16, 12),
}
"""Width, layers and heads of a model, by its parameters without those of its vocabulary (counted in the result)."""


@dataclass(frozen=True, slots=True)
class Plan:
    """One experiment."""

    worlds: tuple[str, ...] = ("tool_crib",)
    """Whose tasks are learned; `all` is every world of the split for training."""
    unseen_worlds: tuple[str, ...] = ()
    """Worlds of which no task is learned and whose tasks are played; `all` is every world that is held out."""
    level: Level = "easy"
    tasks: int = 12_000
    """That are learned, of all worlds together."""
    unseen: int = 200
    """That are played, in start states of their own."""
    size: str = "4M"
    minutes: float = 30.0
    """Of training; on processors, what the threads would take on a machine that does nothing else."""
    grpo: int = 0
    """Steps of GRPO after that."""
    shows_tools: bool = False
    """Whether the model is shown the list of tools. Without it, it learns them with the world."""
    longest: int = 2048
    """Tokens of a demonstration that is learned."""
    seed: int = 0
    device: str = "cpu"
    threads: int = 2


TINY = Plan(tasks=32, unseen=4, size="0.5M", minutes=0.2, grpo=1)
"""Shows that every part works; the model learns nearly nothing."""
HELD_OUT_WORLDS = Plan(
    worlds=("all",),
    unseen_worlds=("all",),
    tasks=400_000,
    unseen=2_000,
    size="120M",
    minutes=24 * 60,
    shows_tools=True,
    longest=6_144,
    device="cuda",
)
"""Whether what was learned in many worlds helps in worlds that were never seen. It needs an accelerator."""
PLANS: dict[str, Plan] = {"tiny": TINY, "one-world": Plan(), "held-out-worlds": HELD_OUT_WORLDS}
