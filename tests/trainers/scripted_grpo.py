"""TRL's GRPOTrainer, in whose groups every other rollout is written by the stored solution; prints what was logged.

Only the sampling of tokens is replaced: templates, the parser of calls, tools, rewards, masks and the loss are TRL's.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from datasets import Dataset
from trl import GRPOConfig, GRPOTrainer

from envscaler_mcp import rl
from envscaler_mcp.recipes.grpo_trl import TINY
from envscaler_mcp.recipes.models import make_tiny_model, texts_of
from envscaler_mcp.rl.text_env import call_text
from envscaler_mcp.rl.trl import dataset, factories

NAMES = ["chess_club", "irrigation_district"]


class ScriptedTrainer(GRPOTrainer):  # type: ignore[misc]
    """Rollouts with even numbers play the rest of the solution, the others say that they are done."""

    left: dict[int, list[str]]

    def _generate_single_turn(self, prompt_ids: list[Any], *_: Any, **__: Any) -> tuple[list[list[int]], None]:
        if len(prompt_ids) == len(self.environments):
            self.left = {number: self._words(number) for number in range(len(prompt_ids))}
        written = [self.left[number].pop(0) + "<|im_end|>" for number in sorted(self.left)]
        self.left = {number: words for number, words in self.left.items() if words}
        return [self.processing_class.encode(text, add_special_tokens=False) for text in written], None

    def _words(self, number: int) -> list[str]:
        episode = self.environments[number]._playing()
        rest = episode.scenario.oracle[episode.steps :] if number % 2 == 0 else ()
        return [*(call_text(call.tool, call.arguments) for call in rest), "Task Completed"]


def main() -> None:
    """Two steps, of one group each."""
    with rl.local() as gym:
        model = make_tiny_model(Path("tiny-model"), texts_of(gym, NAMES))
        rows = [row for name in NAMES for row in dataset(gym, name, level="easy", limit=1, solved=0.6)]
        settings = {**TINY, "max_steps": 2, "max_completion_length": 6_000, "max_tool_calling_iterations": 20}
        trainer = ScriptedTrainer(
            model=str(model),
            args=GRPOConfig(output_dir="out", logging_steps=1, report_to="none", **settings),
            train_dataset=Dataset.from_list(rows),
            environment_factory=factories(gym, NAMES),
        )
        trainer.train()
        sys.stdout.write(json.dumps([entry for entry in trainer.state.log_history if "reward" in entry]) + "\n")


if __name__ == "__main__":
    main()
