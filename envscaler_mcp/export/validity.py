"""Whether messages have a form that can be learned: what keeps the templates of models, Qwen3's first, from reading them."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from envscaler_mcp.export.dialogue import Message

MARKS = (
    *("<|im_start|>", "<|im_end|>", "<|endoftext|>"),
    *("<think>", "</think>", "<tool_call>", "</tool_call>", "<tool_response>", "</tool_response>"),
)
"""Signs with which Qwen3's template sets messages apart: inside a message they would end it for a trainer."""
_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
"""What endpoints take as a tool's name; templates write it between quotes as it is."""


def in_order(messages: Sequence[Message]) -> bool:
    """A user's turn, then turns of the agent, each followed by the answers to its calls or else by the user."""
    spoken = messages[1:] if messages and messages[0]["role"] == "system" else messages
    awaited: list[str] = ["user"]
    for message in spoken:
        role, calls = message["role"], message.get("tool_calls", [])
        if not awaited or (message.get("tool_call_id", role) if role == "tool" else role) != awaited.pop(0):
            return False
        if role == "assistant":
            awaited = [call["id"] for call in calls] or ["user"]
        if not awaited or role == "user":
            awaited = ["assistant"]
    return bool(spoken)


def calls_are_read(messages: Sequence[Message]) -> bool:
    """Whether each call has a name and arguments that every reader reads, and no two of a turn have one id."""
    turns = [message.get("tool_calls", []) for message in messages]
    return all(len({call["id"] for call in calls}) == len(calls) and all(map(_is_call, calls)) for calls in turns)


def has_empty_turn(messages: Sequence[Message]) -> bool:
    """Whether the agent neither said nor called anything in a turn."""
    spoken = (message for message in messages if message["role"] == "assistant")
    return any(not message.get("tool_calls") and not message["content"].strip() for message in spoken)


def has_marks(messages: Sequence[Message]) -> bool:
    """Whether a text has a sign of the template in it."""
    return any(mark in text for message in messages for text in _texts(message) for mark in MARKS)


def _texts(message: Message) -> list[str]:
    calls = [call["function"] for call in message.get("tool_calls", [])]
    call_texts = [text for call in calls for text in (call["name"], call["arguments"])]
    return [message["content"], message.get("reasoning_content", ""), *call_texts]


def _is_call(call: dict[str, Any]) -> bool:
    function = call["function"]
    try:
        arguments = json.loads(function["arguments"], parse_constant=_refuse)
        function["arguments"].encode()
    except (ValueError, RecursionError):
        return False
    return bool(_NAME.fullmatch(function["name"]) and call["id"]) and isinstance(arguments, dict)


def _refuse(constant: str) -> Any:
    raise ValueError(f"{constant} is no JSON")
