"""ms-swift takes every row, and puts a turn's messages together to what the model's own template says.

The rules are those of modelscope/ms-swift 4.6: swift/dataset/preprocessor/core.py (`_check_messages`: roles and keys),
swift/template/base.py (`_swift_prepare_inputs`: what is put together) and swift/agent_template/hermes.py (the words).
"""

from __future__ import annotations

import json
from typing import Any

from hypothesis import example, given, settings

from envscaler_mcp.export.ms_swift import write_ms_swift
from tests.export.dialogues import TALK, agent, call, dialogue, qwen3, rows_in, talks, user

ROLES = {"system", "user", "tool_call", "tool_response", "tool", "assistant"}


def together(messages: list[dict[str, str]]) -> list[dict[str, Any]]:
    """The row's messages as the template of a model takes them."""
    found: list[dict[str, Any]] = []
    for message in messages:
        role, content = message["role"], message["content"]
        if role == "tool_call":
            if not found or found[-1]["role"] != "assistant":
                found.append({"role": "assistant", "content": "", "tool_calls": []})
            if not found[-1].setdefault("tool_calls", []):
                # The text before the first call ends with the line's end that the template would write.
                found[-1]["content"] = found[-1]["content"].removesuffix("\n")
            found[-1]["tool_calls"].append({"function": json.loads(content)})
        else:
            found.append({"role": "tool" if role == "tool_response" else role, "content": content})
    return found


@settings(deadline=None, max_examples=25)
@given(talks())
@example(TALK)
@example((user("Lend it."), agent("At once.\n", call("lend_book", {}), call("lend_book", {}, "call_1"))))
def test_a_row_reads_like_the_conversation(tmp_path_factory: Any, talk: tuple[dict[str, Any], ...]) -> None:
    one, path = dialogue(talk), tmp_path_factory.mktemp("swift") / "rows.jsonl"
    assert write_ms_swift(path, [one]) == 1
    (row,) = rows_in(path)
    assert all(set(message) == {"role", "content"} and message["role"] in ROLES for message in row["messages"])
    assert all(isinstance(message["content"], str) for message in row["messages"])
    assert json.loads(row["tools"]) == list(one.tools)
    assert qwen3(together(row["messages"]), one.tools) == qwen3(one.lesson, one.tools)
    calls = [call["function"] for message in one.lesson for call in message.get("tool_calls", [])]
    told = [json.loads(message["content"]) for message in row["messages"] if message["role"] == "tool_call"]
    assert told == [{"name": call["name"], "arguments": json.loads(call["arguments"])} for call in calls]
