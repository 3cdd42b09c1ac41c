"""Tools, calls and answers as plain text, as the templates of Qwen3 and its kin write them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from envscaler_mcp.export.dialogue import Message

_TOOLS = """# Tools

You may call one or more functions to assist with the user query.

You are provided with function signatures within <tools></tools> XML tags:
<tools>
{tools}
</tools>

For each function call, return a json object with function name and arguments within <tool_call></tool_call> XML tags:
<tool_call>
{{"name": <function-name>, "arguments": <args-json-object>}}
</tool_call>"""


def instructed(system: str, tools: Sequence[dict[str, Any]]) -> str:
    """The system's message with the tools in it."""
    listing = _TOOLS.format(tools="\n".join(json.dumps(tool, ensure_ascii=False) for tool in tools)) if tools else ""
    return "\n\n".join(part for part in (system, listing) if part)


def said(message: Message) -> str:
    """A turn of the agent: what it thought, what it said, what it called."""
    calls = [_called(call["function"]) for call in message.get("tool_calls", [])]
    return thought(message) + "\n".join([*filter(None, [message["content"]]), *calls])


def thought(message: Message) -> str:
    """What the agent thought before it spoke; nothing where it did not."""
    reasoning = message.get("reasoning_content")
    return f"<think>\n{reasoning}\n</think>\n\n" if reasoning else ""


def heard(answers: Sequence[Message]) -> str:
    """What the agent was told: the answers to its calls, or else the user's words."""
    if answers[0]["role"] != "tool":
        return str(answers[0]["content"])
    return "\n".join(f"<tool_response>\n{answer['content']}\n</tool_response>" for answer in answers)


def exchanges(messages: Sequence[Message]) -> list[tuple[list[Message], Message]]:
    """Each turn of the agent after what it was told; without the system's message."""
    pairs: list[tuple[list[Message], Message]] = []
    observed: list[Message] = []
    for message in messages:
        if message["role"] == "assistant":
            pairs.append((observed, message))
            observed = []
        elif message["role"] != "system":
            observed.append(message)
    return pairs


def system_of(messages: Sequence[Message]) -> str:
    """What the system says; nothing where it says nothing."""
    return str(messages[0]["content"]) if messages and messages[0]["role"] == "system" else ""


def _called(function: dict[str, Any]) -> str:
    return f'<tool_call>\n{{"name": "{function["name"]}", "arguments": {function["arguments"]}}}\n</tool_call>'
