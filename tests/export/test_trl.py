"""TRL loads the conversations with `datasets`, and only the agent's turns carry loss."""

from __future__ import annotations

import copy
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import jinja2
import pytest
from hypothesis import example, given, settings

from envscaler_mcp.export.dialogue import Message
from envscaler_mcp.export.trl import write_trl
from envscaler_mcp.recipes.sft_trl import TEMPLATE
from tests.export.dialogues import TALK, TEMPLATES, agent, answer, call, dialogue, qwen3, rows_in, talks, user


def read(messages: Sequence[Message]) -> list[Any]:
    """The messages with objects for arguments, as docs/source/dataset_formats.md of TRL has them."""
    found = copy.deepcopy(list(messages))
    for one in (one for message in found for one in message.get("tool_calls", [])):
        one["function"]["arguments"] = json.loads(one["function"]["arguments"])
    return found


@settings(deadline=None, max_examples=25)
@given(talks())
@example(TALK)
def test_a_conversation_comes_back_as_it_was(tmp_path_factory: Any, talk: tuple[dict[str, Any], ...]) -> None:
    one, path = dialogue(talk), tmp_path_factory.mktemp("trl") / "rows.jsonl"
    assert write_trl(path, [one]) == 1
    (row,) = rows_in(path)
    assert row == {"messages": read(one.lesson), "tools": json.dumps(one.tools, ensure_ascii=False), **one.facts}
    assert qwen3(row["messages"], one.tools) == qwen3(one.lesson, one.tools)


def spared(messages: Sequence[Message]) -> list[Message]:
    """Without the fields that are nothing: a table has every field of a message in every row."""
    return [{key: value for key, value in message.items() if value is not None} for message in messages]


def calls_in(messages: Sequence[Message]) -> str:
    """The calls as those templates write them that take arguments for an object: Qwen2.5's, Llama's and most others."""
    environment = jinja2.Environment()
    environment.filters["tojson"] = lambda value: json.dumps(value, ensure_ascii=False)
    return environment.from_string(
        "{% for message in messages %}{% for call in message.tool_calls or [] %}"
        "{{ call.function.name }}({% for name, value in call.function.arguments.items() %}"
        "{{ name }}={{ value | tojson }} {% endfor %}) {{ call.function.arguments | tojson }}\n"
        "{% endfor %}{% endfor %}"
    ).render(messages=messages)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["rows.jsonl", "rows.parquet"])
def test_datasets_loads_what_was_written_and_the_template_reads_it_the_same(tmp_path: Path, name: str) -> None:
    import datasets

    # The first thought comes after more than `datasets` looks at to learn which fields there are.
    thoughtless = [{key: value for key, value in one.items() if key != "reasoning_content"} for one in TALK]
    long = dialogue([*thoughtless[:5], user("Both. " * 200_000), *thoughtless[6:]])
    # And the same argument is of another kind later on.
    other = [user("Hi"), agent("", call("find", {"shelf": ["a", None], "n": None})), answer("none"), agent("So.")]
    talks_ = [*[long] * 10, dialogue([user("Hi"), agent("So.")]), dialogue(TALK), dialogue(other)]
    path = tmp_path / "data" / name
    write_trl(path, talks_)
    found = datasets.load_dataset(str(path.parent), cache_dir=str(tmp_path / "cache"))["train"]
    assert [spared(row["messages"]) for row in found] == [read(one.lesson) for one in talks_]
    for row, one in zip(found, talks_, strict=True):
        # What `trl/trainer/sft_trainer.py` does before it applies the template.
        tools = json.loads(row["tools"])
        assert qwen3(row["messages"], tools) == qwen3(one.lesson, one.tools)
        assert calls_in(row["messages"]) == calls_in(read(one.lesson))
        assert (row["reward"], row["solved"], row["split"]) == (1.0, True, "train")


@pytest.fixture(scope="module")
def tokenizer() -> Any:
    """A token for each byte, and for each sign of the template."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    vocabulary = {sign: place for place, sign in enumerate(sorted(pre_tokenizers.ByteLevel.alphabet()))}
    made = Tokenizer(models.BPE(vocab=vocabulary, merges=[]))
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    return PreTrainedTokenizerFast(tokenizer_object=made, additional_special_tokens=["<|im_start|>", "<|im_end|>"])


QWEN = TEMPLATES / "qwen3_training.jinja"


def learned(tokenizer: Any, messages: list[dict[str, Any]], tools: Any, path: Path = QWEN) -> list[str]:
    """The stretches of the conversation that carry loss, as transformers marks them for TRL."""
    template = path.read_text(encoding="utf-8")
    marked = tokenizer.apply_chat_template(
        messages,
        tools=tools,
        chat_template=template,
        tokenize=True,
        return_dict=True,
        return_assistant_tokens_mask=True,
    )
    stretches: list[list[int]] = [[]]
    for token, counts in zip(marked["input_ids"], marked["assistant_masks"], strict=True):
        if counts:
            stretches[-1].append(token)
        elif stretches[-1]:
            stretches.append([])
    return [tokenizer.decode(one) for one in stretches if one]


@pytest.mark.slow
def test_exactly_the_agents_turns_carry_loss_calls_and_thoughts_included(tokenizer: Any, tmp_path: Path) -> None:
    write_trl(tmp_path / "rows.jsonl", [dialogue(TALK)])
    (row,) = rows_in(tmp_path / "rows.jsonl")
    assert learned(tokenizer, row["messages"], json.loads(row["tools"])) == [
        (
            "<think>\nWhich ones?\n</think>\n\n"
            '<tool_call>\n{"name": "find", "arguments": {"shelf": "a/b", "n": 1.5, "deep": {"x": [null, true]}}}\n'
            "</tool_call><|im_end|>\n"
        ),
        "<think>\n\n</think>\n\nThere are two. Which one?<|im_end|>\n",
        (
            "<think>\nTwo calls\n\nat once.\n</think>\n\nThen both.\n"
            '<tool_call>\n{"name": "lend_book", "arguments": {"book_id": "BOOK-1"}}\n</tool_call>\n'
            '<tool_call>\n{"name": "lend_book", "arguments": {"book_id": "BOOK-2"}}\n</tool_call><|im_end|>\n'
        ),
        "<think>\n\n</think>\n\nTask Completed<|im_end|>\n",
    ]


@pytest.mark.slow
def test_the_recipes_template_writes_the_same_text_and_teaches_no_empty_thought(tokenizer: Any, tmp_path: Path) -> None:
    write_trl(tmp_path / "rows.jsonl", [dialogue(TALK)])
    (row,) = rows_in(tmp_path / "rows.jsonl")
    tools = json.loads(row["tools"])
    for offered in (tools, None):
        for messages in (row["messages"], row["messages"][1:]):
            written = [
                tokenizer.apply_chat_template(
                    messages, tools=offered, chat_template=path.read_text(encoding="utf-8"), tokenize=False
                )
                for path in (QWEN, TEMPLATE)
            ]
            assert written[0] == written[1]
    empty = "<think>\n\n</think>\n\n"
    before = learned(tokenizer, row["messages"], tools)
    assert any(turn.startswith(empty) for turn in before)
    assert learned(tokenizer, row["messages"], tools, TEMPLATE) == [turn.removeprefix(empty) for turn in before]
