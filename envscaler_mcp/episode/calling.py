"""How a model calls tools: by its endpoint's own means, or written into what it says."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from envscaler_mcp.artifacts import Call, Tool
from envscaler_mcp.artifacts.episode import ModelCost
from envscaler_mcp.episode.agent import Action
from envscaler_mcp.episode.transcript import as_written
from envscaler_mcp.llm import ChatResponse, Message, plain_object
from envscaler_mcp.prompts import Prompt, Prompts


@dataclass(frozen=True, slots=True)
class Called:
    """A call as a model made it."""

    tool: str
    """Nothing where the call could not be read."""
    arguments: Any
    """An object, or else the text that is none."""
    id: str = ""
    """Where the endpoint told one."""


def action_of(text: str, calls: Sequence[Called], reasoning: str = "", use: ModelCost | None = None) -> Action:
    """The move of a turn in which a model said and called this."""
    if not calls:
        return Action(text=text, reasoning=reasoning, use=use)
    # What is no object is for the episode to refuse.
    first, *more = [Call.model_construct(tool=call.tool, arguments=call.arguments) for call in calls]
    return Action(text, first.tool, first.arguments, tuple(more), reasoning, use)


def action_of_message(message: Mapping[str, Any]) -> Action:
    """The move of an assistant message as chat endpoints have it; arguments may be a text of JSON or an object."""
    calls = calls_of_message(message)
    content, reasoning = message.get("content"), message.get("reasoning_content")
    return action_of(
        content if isinstance(content, str) else "", calls, reasoning if isinstance(reasoning, str) else ""
    )


def calls_of_message(message: Mapping[str, Any]) -> list[Called]:
    """The calls of an assistant message; whatever else stands in their place is one that could not be read."""
    given = message.get("tool_calls") or []
    return [_called(call) for call in (given if isinstance(given, list | tuple) else [given])]


def _called(call: Any) -> Called:
    whole = call if isinstance(call, Mapping) else {}
    function, call_id = whole.get("function", whole), whole.get("id")
    call_id = call_id if isinstance(call_id, str) else ""
    if not isinstance(function, Mapping) or not isinstance(function.get("name"), str):
        return Called("", as_written(call), call_id)
    arguments = function.get("arguments", {})
    return Called(function["name"], _object_or_text(arguments) if isinstance(arguments, str) else arguments, call_id)


class Calling(Protocol):
    """What differs between the ways to call."""

    @property
    def prompts(self) -> tuple[str, ...]:
        """The names of the prompts that the way itself adds."""

    def prompt(self, prompts: Prompts, prompt: Prompt, tools: Sequence[Tool]) -> Prompt:
        """What the model is told first, with the tools where it must be told of them."""

    def offered(self, tools: Sequence[Tool]) -> list[dict[str, Any]]:
        """The tools that its endpoint is told of."""

    def read(self, answer: ChatResponse) -> tuple[str, list[Called]]:
        """What the model said, and the calls that it made."""

    def said(self, answer: ChatResponse) -> Message:
        """The model's turn, as it is reminded of it."""

    def answered(self, calls: Sequence[Called], answers: Sequence[str]) -> list[Message]:
        """What the calls led to, as the model is told."""


class NativeCalls:
    """Calls as the chat completions protocol has them."""

    prompts = ()

    def prompt(self, prompts: Prompts, prompt: Prompt, tools: Sequence[Tool]) -> Prompt:  # noqa: ARG002
        """The prompt itself."""
        return prompt

    def offered(self, tools: Sequence[Tool]) -> list[dict[str, Any]]:
        """All of them."""
        return [tool.function for tool in tools]

    def read(self, answer: ChatResponse) -> tuple[str, list[Called]]:
        """As the endpoint read them."""
        return answer.text, [Called(call.name, _object_or_text(call.arguments), call.id) for call in answer.tool_calls]

    def said(self, answer: ChatResponse) -> Message:
        """As the endpoint told it."""
        return Message(role="assistant", content=answer.text, tool_calls=answer.tool_calls)

    def answered(self, calls: Sequence[Called], answers: Sequence[str]) -> list[Message]:
        """One message for each."""
        return [
            Message(role="tool", content=answer, tool_call_id=call.id)
            for call, answer in zip(calls, answers, strict=True)
        ]


class WrittenCalls:
    """Calls between tags in the text, several in a turn, as Qwen3 and the Hermes models write them."""

    prompts = ("write_calls",)

    def prompt(self, prompts: Prompts, prompt: Prompt, tools: Sequence[Tool]) -> Prompt:
        """The prompt, and after it the tools in the words of Qwen3's own template."""
        listing = "\n".join(json.dumps(tool.function, ensure_ascii=False) for tool in tools)
        return prompts.render(self.prompts[0], instructions=prompt.system, tools=listing, task=prompt.user)

    def offered(self, tools: Sequence[Tool]) -> list[dict[str, Any]]:  # noqa: ARG002
        """None: the endpoint does not know of tools."""
        return []

    def read(self, answer: ChatResponse) -> tuple[str, list[Called]]:
        """What stands between the tags; the last may be cut off by an endpoint that stops at its end."""
        return _CALL.sub("", answer.text).strip(), [_written(match[1]) for match in _CALL.finditer(answer.text)]

    def said(self, answer: ChatResponse) -> Message:
        """As it was written."""
        return Message(role="assistant", content=answer.text)

    def answered(self, calls: Sequence[Called], answers: Sequence[str]) -> list[Message]:  # noqa: ARG002
        """One message for all, as Qwen3's own template has it."""
        responses = "\n".join(f"<tool_response>\n{answer}\n</tool_response>" for answer in answers)
        return [Message(role="user", content=responses)]


_CALL = re.compile(r"<tool_call>(.*?)(?:</tool_call>|(?=<tool_call>)|\Z)", re.DOTALL)
_NAME = re.compile(r'"name"\s*:\s*"([^"\\]{1,200})"')


def _written(text: str) -> Called:
    call = _object_or_text(text.strip())
    if isinstance(call, dict) and isinstance(call.get("name"), str):
        arguments = call.get("arguments", {})
        return Called(call["name"], arguments if isinstance(arguments, dict) else json.dumps(arguments))
    name = _NAME.search(text)
    return Called(name[1] if name and not isinstance(call, dict) else "", text.strip())


def _object_or_text(text: str) -> Any:
    parsed = plain_object(text)
    return text if parsed is None else parsed
