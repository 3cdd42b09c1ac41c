"""An episode as a conversation to train on: messages, tools, what it was worth and where it belongs."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from envscaler_mcp.artifacts import Tool, Trajectory
from envscaler_mcp.artifacts.scenario import Split
from envscaler_mcp.errors import ExportError, boundary

Message = dict[str, Any]
"""`role`, `content`, and where there are any `reasoning_content`, `tool_calls`, `tool_call_id` and `name`."""


@dataclass(frozen=True, slots=True)
class Dialogue:
    """One episode, its messages in one shape for every agent: contents and arguments are texts."""

    trajectory: Trajectory
    split: Split
    tools: tuple[dict[str, Any], ...]
    """As chat endpoints are told of them."""
    messages: tuple[Message, ...]

    @property
    def prompt(self) -> tuple[Message, ...]:
        """What is said before the agent's first turn."""
        return self.messages[: next(iter(self._turns), len(self.messages))]

    @property
    def lesson(self) -> tuple[Message, ...]:
        """Everything up to the last turn that can be learned; after it there is nothing to learn."""
        return self.messages[: max(self._learned, default=-1) + 1]

    @property
    def turns(self) -> int:
        """How often the agent speaks or calls in it."""
        return len(self._learned)

    @property
    def facts(self) -> dict[str, Any]:
        """What a trainer may choose by, whose failure it was if it was one, and what leads back to the episode."""
        played = self.trajectory
        return {
            "id": played.id,
            "digest": played.digest,
            "environment": played.environment,
            "scenario": played.scenario,
            "split": self.split,
            "agent": played.agent,
            "mode": played.mode,
            "user": played.user,
            "ended": played.ended,
            "scoring": played.verdict.scoring,
            "grading": played.verdict.grading,
            "reward": played.verdict.reward,
            "solved": played.verdict.solved,
            "owner": played.verdict.owner or "",
            "masked": played.verdict.masked,
            "disturbances": ",".join(played.disturbances),
        }

    @property
    def _turns(self) -> list[int]:
        return [place for place, message in enumerate(self.messages) if message["role"] == "assistant"]

    @property
    def _learned(self) -> list[int]:
        # Of the turn in which the time was over only those calls are kept that were made.
        return self._turns[:-1] if self.trajectory.ended == "time" else self._turns


FACTS = {
    "id": "string",
    "digest": "string",
    "environment": "string",
    "scenario": "string",
    "split": "string",
    "agent": "string",
    "mode": "string",
    "user": "string",
    "ended": "string",
    "scoring": "string",
    "grading": "string",
    "reward": "double",
    "solved": "bool",
    "owner": "string",
    "masked": "bool",
    "disturbances": "string",
}
"""The kinds of the facts, as a table has them."""


def dialogue_of(trajectory: Trajectory, tools: Iterable[Tool], split: Split) -> Dialogue:
    """The conversation of an episode whose agent had these tools."""
    with boundary(ExportError, f"the messages of {trajectory.id!r} cannot be read"):
        functions = tuple(tool.function for tool in tools)
        return Dialogue(trajectory, split, functions, tuple(map(_shaped, trajectory.messages)))


def _shaped(message: Mapping[str, Any]) -> Message:
    agent = message["role"] == "assistant"
    content = _text(message.get("content"))
    # Templates drop the blank lines before what an agent says, some of them in its last turn only.
    shaped: Message = {"role": message["role"], "content": content.lstrip("\n") if agent else content}
    if reasoning := _text(message.get("reasoning_content")).strip("\n"):
        shaped["reasoning_content"] = reasoning
    if message.get("tool_calls"):
        shaped["tool_calls"] = [_call(call) for call in message["tool_calls"]]
    return shaped | {key: message[key] for key in ("tool_call_id", "name") if message.get(key)}


def _call(call: Mapping[str, Any]) -> dict[str, Any]:
    function = call.get("function", {})
    called = {"name": str(function.get("name") or ""), "arguments": _arguments(function.get("arguments"))}
    return {"id": str(call.get("id") or ""), "type": "function", "function": called}


def _arguments(arguments: Any) -> str:
    """As the templates of models write them; what is no JSON stays as it is."""
    try:
        return json.dumps(json.loads(arguments) if isinstance(arguments, str) else arguments, ensure_ascii=False)
    except (ValueError, RecursionError):
        return str(arguments)


def _text(content: Any) -> str:
    return "" if content is None else content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)
