"""Fifty tasks of twenty-five worlds: solutions as tokens, read by TRL's parser, played on TRL's environments; prints rewards."""

from __future__ import annotations

import inspect
import json
import sys
from pathlib import Path
from typing import Any

from transformers import AutoTokenizer
from trl.chat_template_utils import add_response_schema, parse_response

from envscaler_mcp import rl
from envscaler_mcp.recipes.models import make_tiny_model
from envscaler_mcp.rl.text_env import call_text
from envscaler_mcp.rl.trl import factories


def main() -> None:
    """Each task twice with one instance: solved, and untouched."""
    with rl.local() as gym:
        names = gym.environments()[:: len(gym.environments()) // 25][:25]
        make_tiny_model(Path("tiny-model"), ["what is written is told apart by bytes"])
        tokenizer = add_response_schema(AutoTokenizer.from_pretrained("tiny-model"))
        header = tokenizer.encode("<|im_start|>assistant\n")
        rewards: dict[str, Any] = {}
        for name, factory in factories(gym, names).items():
            instance = factory()
            for task in list(gym.tasks(name))[:2]:
                instance.reset(scenario=task.id)
                for call in task.oracle:
                    written = tokenizer.encode(call_text(call.tool, call.arguments) + "<|im_end|>")
                    for read in parse_response(tokenizer, written, prefix=header)["tool_calls"]:
                        assert inspect.isfunction(getattr(type(instance), read["function"]["name"]))
                        getattr(instance, read["function"]["name"])(**read["function"]["arguments"])
                solved = instance.get_reward()
                instance.reset(scenario=task.id)
                rewards[task.id] = [solved, instance.get_reward()]
        sys.stdout.write(json.dumps(rewards) + "\n")


if __name__ == "__main__":
    main()
