"""LLaMA-Factory's sharegpt: roles of its own, which strictly take turns, and a column of tools.

A turn with calls is what was thought, then what was said, then the calls as JSON, which it writes in the words of the model.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from envscaler_mcp.config.choices import EXPORT_FORMATS
from envscaler_mcp.export.dataset_info import enlisted
from envscaler_mcp.export.dialogue import Dialogue, Message
from envscaler_mcp.export.formats import Format
from envscaler_mcp.export.hermes import exchanges, said, system_of, thought
from envscaler_mcp.export.table import Row, write_lines
from envscaler_mcp.export.turn import history_by_turn

_BETWEEN = "\n</tool_response>\n<tool_response>\n"
"""Its own converter of such messages joins several answers like this; its template adds the signs around them."""
_COLUMNS = {"messages": "conversations", "system": "system", "tools": "tools"}


def write_llama_factory(path: Path, dialogues: Iterable[Dialogue]) -> int:
    """One row for each turn of the agent, to be trained with `mask_history`."""
    with enlisted(path, "sharegpt", _COLUMNS):
        return write_lines(path, (row for dialogue in dialogues for row in _rows(dialogue)))


def _rows(dialogue: Dialogue) -> Iterator[Row]:
    tools = json.dumps([tool["function"] for tool in dialogue.tools], ensure_ascii=False)
    facts = dialogue.facts
    for number, messages in enumerate(history_by_turn(dialogue.lesson), 1):
        parts = [part for heard, message in exchanges(messages) for part in (_heard(heard), _said(message))]
        yield {"conversations": parts, "system": system_of(messages), "tools": tools, **facts, "turn": number}


def _heard(answers: Sequence[Message]) -> dict[str, str]:
    role = "observation" if answers[0]["role"] == "tool" else "human"
    return {"from": role, "value": _BETWEEN.join(answer["content"] for answer in answers)}


def _said(message: Message) -> dict[str, str]:
    calls: list[Any] = [
        {"name": call["function"]["name"], "arguments": json.loads(call["function"]["arguments"])}
        for call in message.get("tool_calls", [])
    ]
    if not calls:
        return {"from": "gpt", "value": said(message)}
    written = json.dumps(calls if len(calls) > 1 else calls[0], ensure_ascii=False)
    if message["content"]:
        written = f"{message['content']}\n<tool_call>{written}</tool_call>"
    return {"from": "function_call", "value": thought(message) + written}


FORMAT = Format(*EXPORT_FORMATS["llama-factory"], write_llama_factory)
