"""The models that recipes train: the sizes of the paper, and a tiny one that needs no network and no GPU."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

from envscaler_mcp.errors import extra
from envscaler_mcp.rl import Gym

SIZES = {"1.7B": "Qwen/Qwen3-1.7B", "4B": "Qwen/Qwen3-4B", "8B": "Qwen/Qwen3-8B"}
"""By size, as Hugging Face knows them."""
END_OF_TURN, PADDING = "<|im_end|>", "<|endoftext|>"
_TAGS = ("<tool_call>", "</tool_call>", "<tool_response>", "</tool_response>", "<think>", "</think>")
_VOCABULARY = 4_096
_POSITIONS = 32_768


def texts_of(gym: Gym, environments: Iterable[str]) -> Iterator[str]:
    """What a policy of these environments reads and writes: prompts, tools, and the stored solutions as they are played."""
    for name in environments:
        for scenario in gym.tasks(name):
            with gym.open(scenario) as episode:
                for call in scenario.oracle:
                    episode.call(call.tool, call.arguments)
                yield json.dumps(episode.tools, ensure_ascii=False)
                for message in episode.messages:
                    yield message["content"]
                    yield json.dumps(message.get("tool_calls", []), ensure_ascii=False)


def make_tiny_model(folder: Path, texts: Iterable[str], seed: int = 0) -> Path:
    """Write a randomly initialised model of Qwen3's architecture, with a tokenizer made of these texts, into a folder."""
    with extra("trl"):
        import torch
        from transformers import Qwen3Config, Qwen3ForCausalLM

    tokenizer = _tokenizer(texts)
    torch.manual_seed(seed)
    config = Qwen3Config(
        vocab_size=len(tokenizer),
        hidden_size=64,
        intermediate_size=192,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        head_dim=16,
        max_position_embeddings=_POSITIONS,
        tie_word_embeddings=True,
        bos_token_id=None,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
    )
    Qwen3ForCausalLM(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def _tokenizer(texts: Iterable[str]) -> Any:
    from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=_VOCABULARY, initial_alphabet=alphabet, show_progress=False)
    tokenizer.train_from_iterator(texts, trainer)
    # As in Qwen3, what stands between special tokens is not special itself: it stays where special ones are left out.
    tokenizer.add_special_tokens([PADDING, "<|im_start|>", END_OF_TURN])
    tokenizer.add_tokens([AddedToken(tag, normalized=False) for tag in _TAGS])
    fast = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, eos_token=END_OF_TURN, pad_token=PADDING, model_max_length=_POSITIONS
    )
    template = qwen3_template()
    if template is not None:
        fast.chat_template = template
    return fast


def qwen3_template() -> str | None:
    """Qwen3's own chat template, which TRL brings along; LLaMA-Factory has its own."""
    try:
        template = files("trl") / "chat_templates" / "qwen3.jinja"
    except ModuleNotFoundError:
        return None
    return template.read_text(encoding="utf-8") if template.is_file() else None
