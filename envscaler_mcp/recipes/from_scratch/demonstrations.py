"""The oracle's episodes as texts: what an agent is told, what it writes and what the tools answer."""

from __future__ import annotations

import json
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from envscaler_mcp.artifacts import FreshTask
from envscaler_mcp.recipes.from_scratch.tokenizer import CALL, END, RESULT, Tokenizer
from envscaler_mcp.rl import Episode, Gym


@dataclass(frozen=True, slots=True)
class Demonstration:
    """One task and how the oracle solved it."""

    prompt: str
    calls: tuple[str, ...]
    answers: tuple[str, ...]

    @property
    def text(self) -> str:
        """All of it."""
        return self.prompt + "".join(
            f"{CALL}{call}{END}{RESULT}{answer}" for call, answer in zip(self.calls, self.answers, strict=True)
        )


@dataclass(frozen=True, slots=True)
class Lesson:
    """A demonstration as numbers, and which of them the agent wrote."""

    tokens: array[int]
    written: bytes


Prompt = Callable[[Episode], str]
"""What the model is shown before it begins."""


def prompt(*, shows_tools: bool) -> Prompt:
    """The name of the world and the task. The rules, and unless asked for the tools, are left out: they are the same for
    all tasks of a world.
    """
    return _with_tools if shows_tools else _task


def _task(episode: Episode) -> str:
    return f"{episode.environment}\n{episode.scenario.task}\n"


def _with_tools(episode: Episode) -> str:
    lines = [_signature(tool["function"]) for tool in episode.tools]
    return "\n".join([episode.environment, *lines, episode.scenario.task, ""])


def _signature(function: dict[str, Any]) -> str:
    schema = function["parameters"]
    needed = schema.get("required", ())
    names = (name if name in needed else f"{name}?" for name in schema.get("properties", {}))
    return f"{function['name']} {','.join(names)}: {function.get('description', '')}"


def call_of(tool: str, arguments: Mapping[str, Any]) -> str:
    """A call as the model writes it."""
    return f"{tool} {json.dumps(arguments, ensure_ascii=False, separators=(',', ':'))}"


def demonstrations(gym: Gym, tasks: Iterable[FreshTask], prompt: Prompt) -> Iterator[Demonstration]:
    """The oracle plays each task."""
    for task in tasks:
        with gym.open(task) as episode:
            calls = task.scenario.oracle
            answers = tuple(str(episode.call(call.tool, call.arguments)) for call in calls)
            yield Demonstration(prompt(episode), tuple(call_of(call.tool, call.arguments) for call in calls), answers)


def lesson_of(demonstration: Demonstration, tokenizer: Tokenizer) -> Lesson:
    """The numbers of a demonstration."""
    tokens, written = array("H"), bytearray()

    def add(numbers: list[int], *, by_agent: bool) -> None:
        tokens.extend(numbers)
        written.extend(bytes([by_agent]) * len(numbers))

    add(tokenizer.encode(demonstration.prompt), by_agent=False)
    for call, answer in zip(demonstration.calls, demonstration.answers, strict=True):
        add([tokenizer.call], by_agent=False)
        add([*tokenizer.encode(call), tokenizer.end], by_agent=True)
        add([tokenizer.result, *tokenizer.encode(answer)], by_agent=False)
    add([tokenizer.call], by_agent=False)
    add([tokenizer.end], by_agent=True)
    return Lesson(tokens, bytes(written))
