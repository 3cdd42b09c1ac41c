"""LLaMA-Factory takes every row: its roles take turns, and calls are JSON that it can write in a model's words.

The rules are those of hiyouga/LLaMA-Factory 0.9.5: src/llamafactory/data/parser.py (names and tags),
converter.py (`SharegptDatasetConverter`: who may follow whom) and formatter.py (`FunctionFormatter`: what a call looks like).
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings

from envscaler_mcp.errors import ExportError
from envscaler_mcp.export.hermes import instructed
from envscaler_mcp.export.llama_factory import write_llama_factory
from envscaler_mcp.export.turn import history_by_turn
from tests.export.dialogues import TALK, dialogue, qwen3, rows_in, talks

COLUMNS = {"messages", "system", "tools", "prompt", "query", "response", "history"}
ODD, EVEN = ("human", "observation"), ("gpt", "function_call")
BETWEEN = "\n</tool_response>\n<tool_response>\n"


def taken(told: dict[str, str]) -> tuple[str, list[Any]]:
    """What is said in the agent's turn, and what is called, by the formatter's two patterns."""
    value = told["value"]
    if told["from"] == "gpt":
        return value, []
    match = re.search(r"<tool_call>(.*?)</tool_call>", value, re.DOTALL)
    thought = re.search(r"<think>\n(.*?)\n</think>\n\n", value, re.DOTALL)
    part = match or thought
    said = value.replace(match[0], "") if match else thought[0] if thought else ""
    calls = json.loads(match[1] if match else value.replace(part[0], "") if part else value)
    return said, calls if isinstance(calls, list) else [calls]


@settings(deadline=None, max_examples=25)
@given(talks())
@example(TALK)
def test_roles_take_turns_and_every_message_comes_back(tmp_path_factory: Any, talk: tuple[dict[str, Any], ...]) -> None:
    one, path = dialogue(talk), tmp_path_factory.mktemp("llama") / "rows.jsonl"
    assert write_llama_factory(path, [one]) == one.turns
    for row, turn in zip(rows_in(path), history_by_turn(one.lesson), strict=True):
        told = row["conversations"]
        assert len(told) % 2 == 0
        assert all(part["from"] in (ODD, EVEN)[place % 2] for place, part in enumerate(told))
        assert json.loads(row["tools"]) == [tool["function"] for tool in one.tools]
        assert row["system"] == (turn[0]["content"] if turn[0]["role"] == "system" else "")
        spoken = [message for message in turn if message["role"] != "system"]
        heard = [message["content"] for message in spoken if message["role"] in ("user", "tool")]
        assert BETWEEN.join(heard) == BETWEEN.join(part["value"] for part in told[::2])
        for part, message in zip(told[1::2], [one for one in spoken if one["role"] == "assistant"], strict=True):
            said, calls = taken(part)
            thought = f"<think>\n{message['reasoning_content']}\n</think>\n\n" if "reasoning_content" in message else ""
            assert said.removesuffix("\n" if calls and message["content"] else "") == thought + message["content"]
            functions = [call["function"] for call in message.get("tool_calls", [])]
            assert calls == [{"name": one["name"], "arguments": json.loads(one["arguments"])} for one in functions]


def trained(row: Any) -> tuple[str, str]:
    """What carries no loss and what does, with `mask_history` and the template `qwen3`.

    After data/processor/supervised.py (`_encode_data_example`) and data/template.py (`ReasoningTemplate`).
    """
    pieces = []
    for part in row["conversations"]:
        said, calls = taken(part) if part["from"] in EVEN else (part["value"], [])
        written = [f"<tool_call>\n{json.dumps(call, ensure_ascii=False)}\n</tool_call>" for call in calls]
        text = said + "\n".join(written)
        if part["from"] in EVEN:
            pieces.append(text + "<|im_end|>\n")
        else:
            heard = f"<tool_response>\n{text}\n</tool_response>" if part["from"] == "observation" else text
            pieces.append(f"<|im_start|>user\n{heard}<|im_end|>\n<|im_start|>assistant\n")
    *history, last = pieces
    tools = [{"type": "function", "function": tool} for tool in json.loads(row["tools"])]
    system = f"<|im_start|>system\n{instructed(row['system'], tools)}<|im_end|>\n"
    return system + "".join(history), last if "<think>" in last else "<think>\n\n</think>\n\n" + last


def test_exactly_the_last_turn_of_a_row_carries_loss(tmp_path: Path) -> None:
    one = dialogue(TALK)
    write_llama_factory(tmp_path / "rows.jsonl", [one])
    for row, turn in zip(rows_in(tmp_path / "rows.jsonl"), history_by_turn(one.lesson), strict=True):
        masked, learned = trained(row)
        assert masked + learned == qwen3(turn, one.tools)
        thought = turn[-1].get("reasoning_content", "")
        assert learned.startswith(f"<think>\n{thought}\n</think>\n\n{turn[-1]['content']}")
        assert learned.count("<tool_call>") == len(turn[-1].get("tool_calls", []))


def test_data_sets_of_one_folder_are_listed_together(tmp_path: Path) -> None:
    listed = tmp_path / "dataset_info.json"
    listed.write_text('{"mine": {"file_name": "mine.json"}}')
    for _ in range(2):
        write_llama_factory(tmp_path / "first.jsonl", [dialogue(TALK)])
    known = json.loads(listed.read_text())
    assert known.pop("mine") == {"file_name": "mine.json"}
    assert known == {
        "first": {
            "file_name": "first.jsonl",
            "formatting": "sharegpt",
            "columns": {"messages": "conversations", "system": "system", "tools": "tools"},
        }
    }
    assert set(known["first"]["columns"]) <= COLUMNS
    assert set(known["first"]["columns"].values()) <= set(rows_in(tmp_path / "first.jsonl")[0])


@pytest.mark.parametrize("text", ["{", "[]"])
def test_a_list_that_cannot_be_read_is_not_written_over(tmp_path: Path, text: str) -> None:
    (tmp_path / "dataset_info.json").write_text(text)
    (tmp_path / "first.jsonl").write_text("old")
    with pytest.raises(ExportError, match=r"dataset_info\.json .*mend it"):
        write_llama_factory(tmp_path / "first.jsonl", [dialogue(TALK)])
    assert (tmp_path / "dataset_info.json").read_text() == text
    assert (tmp_path / "first.jsonl").read_text() == "old"


def test_where_nothing_was_written_nothing_is_listed(tmp_path: Path) -> None:
    write_llama_factory(tmp_path / "more.jsonl", [dialogue(TALK)])
    write_llama_factory(tmp_path / "first.jsonl", [dialogue(TALK)])
    assert write_llama_factory(tmp_path / "first.jsonl", []) == 0
    assert list(json.loads((tmp_path / "dataset_info.json").read_text())) == ["more"]
    assert not (tmp_path / "first.jsonl").exists()


def test_in_an_empty_folder_no_list_is_begun_for_nothing(tmp_path: Path) -> None:
    assert write_llama_factory(tmp_path / "first.jsonl", []) == 0
    assert list(tmp_path.iterdir()) == []
