"""ms-swift's form for agents: `tool_call` and `tool_response` are messages of their own, and tools are a text."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path

from envscaler_mcp.config.choices import EXPORT_FORMATS
from envscaler_mcp.export.dialogue import Dialogue, Message
from envscaler_mcp.export.formats import Format
from envscaler_mcp.export.hermes import said, thought
from envscaler_mcp.export.table import write_lines


def write_ms_swift(path: Path, dialogues: Iterable[Dialogue]) -> int:
    """One row for each episode; the agent's turns are all to be learned."""
    rows = (
        {
            "messages": [part for message in dialogue.lesson for part in _messages(message)],
            "tools": json.dumps(dialogue.tools, ensure_ascii=False),
            **dialogue.facts,
        }
        for dialogue in dialogues
    )
    return write_lines(path, rows)


def _messages(message: Message) -> Iterator[dict[str, str]]:
    calls = message.get("tool_calls")
    if message["role"] == "tool":
        yield {"role": "tool_response", "content": message["content"]}
    elif message["role"] != "assistant":
        yield {"role": message["role"], "content": message["content"]}
    elif not calls:
        yield {"role": "assistant", "content": said(message)}
    else:
        # It puts a turn's messages together as they are; the template has a line's end before the first call.
        text = thought(message) + (message["content"] + "\n" if message["content"] else "")
        if text:
            yield {"role": "assistant", "content": text}
        for call in calls:
            yield {"role": "tool_call", "content": _called(call["function"])}


def _called(function: dict[str, str]) -> str:
    return json.dumps({"name": function["name"], "arguments": json.loads(function["arguments"])}, ensure_ascii=False)


FORMAT = Format(*EXPORT_FORMATS["ms-swift"], write_ms_swift)
