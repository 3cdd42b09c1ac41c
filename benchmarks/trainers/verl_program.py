"""verl's own loop for tools, its parser and its tokens, with a server in the model's place that writes the calls of a task."""

import asyncio
import sys
import types

from omegaconf import OmegaConf
from tasks import TASKS, TOKEN, URL, told, written
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast

TEMPLATE = (
    "{% for message in messages %}<|im_start|>{{ message.role }}\n{{ message.content }}"
    '{% for call in message.tool_calls or [] %}<tool_call>\n{"name": "{{ call.function.name }}", "arguments": '
    "{{ call.function.arguments | tojson }}}\n</tool_call>{% endfor %}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)


def tokenizer() -> PreTrainedTokenizerFast:
    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    words = {letter: number for number, letter in enumerate(letters)}
    made = Tokenizer(models.BPE(vocab=words, merges=[]))
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    fast = PreTrainedTokenizerFast(tokenizer_object=made, eos_token="<|im_end|>", pad_token="<|endoftext|>")
    fast.add_special_tokens({"additional_special_tokens": ["<|im_start|>"]})
    fast.add_tokens(["<tool_call>", "</tool_call>"])
    fast.chat_template = TEMPLATE
    return fast


from verl.experimental.agent_loop.agent_loop import DictConfigWrap
from verl.workers.rollout.replica import TokenOutput

from envscaler_mcp.rl.verl import EnvScalerAgentLoop

TOKENS = tokenizer()
CONFIG = OmegaConf.create(
    {
        "actor_rollout_ref": {
            "rollout": {
                "prompt_length": 65_536,
                "response_length": 65_536,
                "full_determinism": False,
                "multi_turn": {
                    "max_user_turns": None,
                    "max_assistant_turns": None,
                    "max_parallel_calls": 4,
                    "max_tool_response_length": 65_536,
                    "tool_response_truncate_side": "middle",
                    "format": "hermes",
                },
            }
        },
        "data": {},
    }
)


class Script:
    """A server of a model that has learnt one task by heart."""

    def __init__(self, calls: list) -> None:
        self.turns = [*map(written, calls), "Task Completed"]

    async def generate(self, **_: object) -> TokenOutput:
        ids = TOKENS.encode(self.turns.pop(0) + "<|im_end|>", add_special_tokens=False)
        return TokenOutput(token_ids=ids, log_probs=None, extra_fields={})


async def played(task: dict, calls: list) -> tuple[float, int]:
    loop = EnvScalerAgentLoop(
        trainer_config=DictConfigWrap(CONFIG),
        server_manager=Script(calls),
        tokenizer=TOKENS,
        processor=None,
        dataset_cls=types.SimpleNamespace,
        data_config=DictConfigWrap(CONFIG.data),
        url=URL,
        token=TOKEN,
    )
    row = {"scenario": task["id"], "environment": task["environment"], "mode": "task"}
    prompt = [{"role": "system", "content": "You work in a system."}, {"role": "user", "content": "Do it."}]
    output = await loop.run({}, raw_prompt=prompt, extra_info=row)
    assert len(output.response_ids) == len(output.response_mask)
    own = [token for token, mask in zip(output.response_ids, output.response_mask, strict=True) if mask]
    assert TOKENS.decode(own).count("<tool_call>") == len(calls)
    return output.reward_score, len(calls) + 1


told(lambda task, calls: asyncio.run(played(task, calls)))
sys.stdout.flush()
