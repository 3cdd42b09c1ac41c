"""TRL's conversations: `messages` and `tools`, which Hugging Face's `datasets` loads.

Arguments are objects: most templates of models write them as JSON, and would write a text as a text.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from envscaler_mcp.config.choices import EXPORT_FORMATS
from envscaler_mcp.export.dialogue import FACTS, Dialogue, Message
from envscaler_mcp.export.formats import Format
from envscaler_mcp.export.table import Columns, write_lines, write_table

MESSAGE: Columns = {
    "role": "string",
    "content": "string",
    "reasoning_content": "string",
    "tool_calls": [{"id": "string", "type": "string", "function": {"name": "string", "arguments": "json"}}],
    "tool_call_id": "string",
    "name": "string",
}


def write_trl(path: Path, dialogues: Iterable[Dialogue]) -> int:
    """One row for each episode; the agent's turns are all to be learned."""
    if path.suffix == ".parquet":
        columns = {"messages": [MESSAGE], "tools": "string", **FACTS}
        return write_table(path, (_row(dialogue, dialogue.lesson) for dialogue in dialogues), columns)
    return write_lines(
        path, (_row(dialogue, [_with_objects(message) for message in dialogue.lesson]) for dialogue in dialogues)
    )


def _row(dialogue: Dialogue, messages: Iterable[Message]) -> dict[str, Any]:
    return {"messages": list(messages), "tools": json.dumps(dialogue.tools, ensure_ascii=False), **dialogue.facts}


def _with_objects(message: Message) -> Message:
    if "tool_calls" not in message:
        return message
    calls = [(call, call["function"]) for call in message["tool_calls"]]
    read = [call | {"function": made | {"arguments": json.loads(made["arguments"])}} for call, made in calls]
    return message | {"tool_calls": read}


FORMAT = Format(*EXPORT_FORMATS["trl"], write_trl)
