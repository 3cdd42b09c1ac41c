"""A model at work with tools: it calls, is answered, and says when it is done."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from envscaler_mcp.artifacts import Tool
from envscaler_mcp.llm.chat import ChatModel, ChatRequest, Message
from envscaler_mcp.llm.structured import ModelParams, plain_object
from envscaler_mcp.prompts import Prompt

Perform = Callable[[str, dict[str, Any]], Awaitable[str]]
"""Makes a call and says what came of it."""


@dataclass(frozen=True, slots=True)
class Ended:
    """How a model's work came to its end."""

    how: Literal["said", "turns", "refused", "length"]
    text: str
    """What it said last."""
    turns: int


async def act(
    model: ChatModel, asking: ModelParams, prompt: Prompt, tools: Sequence[Tool], perform: Perform, turns: int
) -> Ended:
    """Let the model call tools until it says something without a call, or has had so many turns."""
    offered = tuple(tool.function for tool in tools)
    messages = [Message(role="system", content=prompt.system), Message(role="user", content=prompt.user)]
    for turn in range(1, turns + 1):
        answer = await model.answer(
            ChatRequest(
                purpose=prompt.name,
                model=asking.model,
                messages=tuple(messages),
                tools=offered,
                temperature=asking.temperature,
                max_tokens=asking.max_tokens,
            )
        )
        if not answer.tool_calls:
            how: Literal["said", "refused", "length"] = "said"
            if answer.finish in ("refused", "length"):
                how = answer.finish
            return Ended(how, answer.text, turn)
        messages.append(Message(role="assistant", content=answer.text, tool_calls=answer.tool_calls))
        for call in answer.tool_calls:
            arguments = plain_object(call.arguments)
            said = _MALFORMED if arguments is None else await perform(call.name, arguments)
            messages.append(Message(role="tool", content=said, tool_call_id=call.id))
    return Ended("turns", "", turns)


_MALFORMED = json.dumps({"success": False, "error": "The arguments are no JSON object; nothing was done."})
